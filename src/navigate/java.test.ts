/** What a use means in Java; each case is a disagreement with javac that was traced. */
import { describe } from "vitest";
import { checkUses as check } from "../../test/kit/references.ts";

const BUILDERS = {
  "p/Base.java": `package p;
public class Base {
  public abstract static class AbstractBuilder<T, B extends AbstractBuilder<T, B>> {
    public B line(String line) { return null; }
    public T get() { return null; }
  }
}
`,
  "p/Coder.java": `package p;
public class Coder extends Base {
  public static class Builder extends AbstractBuilder<Coder, Builder> {
    public Builder safe() { return this; }
  }
  public static Builder builder() { return new Builder(); }
  public void run() {}
}
`,
  "p/Other.java": `package p;
public class Other {
  public static class Builder {
    public Builder line(String line) { return this; }
  }
  public static Builder builder() { return new Builder(); }
}
`,
  "p/Use.java": `package p;
class Use {
  void f(java.util.List<Coder> all) {
    Coder.builder().line("a").line("b").safe().get().run();
    Other.builder().line("c").line("d");
    for (var one : all) one.run();
    for (Coder one : all) one.run();
    switch (kind) { case RED: break; }
  }
}
`,
  "p/Kind.java": "package p;\nenum Kind { RED }\n",
};

describe("Java", () => {
  check(
    "a builder that a base gives back by its type parameter",
    BUILDERS,
    ["p/Base.java", "line"],
    "p/Use.java:4:20 calls receiver",
    "p/Use.java:4:30 calls receiver",
  );
  check(
    "a nested type of the name that another class has, too",
    BUILDERS,
    ["p/Other.java", "line"],
    "p/Use.java:5:20 calls receiver",
    "p/Use.java:5:30 calls receiver",
  );
  check(
    "what a type argument stands for, elements with and without a type",
    BUILDERS,
    ["p/Coder.java", "run"],
    "p/Use.java:4:53 calls receiver",
    "p/Use.java:6:28 calls receiver",
    "p/Use.java:7:30 calls receiver",
  );
  check(
    "a constant in a switch is not taken for nothing",
    BUILDERS,
    ["p/Kind.java", "RED"],
    "p/Use.java:8:25 references name_only",
  );
});
