/** Uses of a member through its base or an override of it are listed apart, never as certain. */
import { checkUses as check } from "../../test/kit/references.ts";

const TYPES = {
  "a.ts": [
    "interface Schema { inner: string }",
    "interface Text extends Schema {",
    "  inner: 'text';",
    "}",
    "export function run(schema: Schema, text: Text) {",
    "  schema.inner;",
    "  text.inner;",
    "}",
  ].join("\n"),
};
check(
  "TypeScript: a use of the base is not a certain use of the override",
  TYPES,
  ["a.ts", "inner", 1],
  "a.ts:7:7 references receiver",
  "a.ts:6:9 references name_only of base",
);
const PYTHON = [
  "class Base:",
  "    def go(self): pass",
  "class Child(Base):",
  "    def go(self): pass",
  "def run(base: Base, child: Child):",
  "    base.go()",
  "    child.go()",
].join("\n");
check(
  "Python: of an override",
  { "a.py": PYTHON },
  ["a.py", "go", 1],
  "a.py:7:10 calls receiver",
  "a.py:6:9 calls name_only of base",
);
check(
  "Python: of a base",
  { "a.py": PYTHON },
  ["a.py", "go"],
  "a.py:6:9 calls receiver",
  "a.py:7:10 calls name_only of override",
);
const CPP = [
  "struct Base {",
  "  virtual void go();",
  "};",
  "struct Child : Base {",
  "  void go() override;",
  "};",
  "void run(Base *base, Child *child) {",
  "  base->go();",
  "  child->go();",
  "}",
].join("\n");
check(
  "C++: of an override",
  { "a.cpp": CPP },
  ["a.cpp", "go", 1],
  "a.cpp:9:9 calls receiver",
  "a.cpp:8:8 calls name_only of base",
);
const JAVA = [
  "class Base {",
  "  void go() {}",
  "}",
  "class Child extends Base {",
  "  void go() {}",
  "  static void run(Base base, Child child) {",
  "    base.go();",
  "    child.go();",
  "  }",
  "}",
].join("\n");
check(
  "Java: of a base",
  { "Base.java": JAVA },
  ["Base.java", "go"],
  "Base.java:7:9 calls receiver",
  "Base.java:8:10 calls name_only of override",
);
