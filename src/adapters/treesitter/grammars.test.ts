import { describe, expect, test } from "vitest";
import { LANGUAGES } from "../../languages/index.ts";
import { TreeSitterGrammars } from "./grammars.ts";
import { grammarSources } from "./locate.ts";

const GENEROUS_MS = 30_000;
const MINUTES_MS = 600_000;
const sources = grammarSources(LANGUAGES.filter((it) => ["rust", "typescript", "cpp", "kotlin"].includes(it.id)));

const names = (text: string, { definitions }: ReturnType<TreeSitterGrammars["parse"]>) =>
  definitions.map((it) => text.slice(it.nameStart, it.nameEnd));

describe("reading matches", () => {
  const grammars = new TreeSitterGrammars(sources);

  test("offsets are UTF-16 units and rows are 0-based, whatever the characters", async () => {
    await grammars.prepare(["rust"]);
    const text = '// ünï 🎉 漢字\nconst A: &str = "🎉";\nfn größe() {\n}\n';
    const { outcome, definitions } = grammars.parse("rust", text, GENEROUS_MS);
    expect(outcome).toBe("clean");
    const [constant, fn] = definitions;
    expect(text.slice(constant!.start, constant!.end)).toBe('const A: &str = "🎉";');
    expect(text.slice(fn!.nameStart, fn!.nameEnd)).toBe("größe");
    expect([fn!.startRow, fn!.endRow]).toEqual([2, 3]);
    expect(text[fn!.bodyStart!]).toBe("{");
  });

  test("wrappers widen what they wrap, one in another", async () => {
    await grammars.prepare(["typescript", "cpp"]);
    const ts = "export declare function f(): void;";
    expect(grammars.parse("typescript", ts, GENEROUS_MS).definitions[0]).toMatchObject({ start: 0, end: ts.length });
    const cpp = "template <class T>\nT a::b::f(T t) { return t; }";
    expect(grammars.parse("cpp", cpp, GENEROUS_MS).definitions[0]).toMatchObject({ start: 0, scope: "a::b" });
  });

  test("a file that spans several input buffers is read whole", async () => {
    await grammars.prepare(["rust"]);
    const text = Array.from({ length: 4_000 }, (_, i) => `fn f${i}() {}\n`).join("");
    expect(names(text, grammars.parse("rust", text, GENEROUS_MS))).toHaveLength(4_000);
  });

  test("a broken file is partial and keeps what could be read", async () => {
    await grammars.prepare(["rust"]);
    const text = "fn good() {}\nfn (((\nstruct Also;\n";
    const parsed = grammars.parse("rust", text, GENEROUS_MS);
    expect(parsed.outcome).toBe("partial");
    expect(names(text, parsed)).toContain("good");
  });
});

describe("a second try after errors", () => {
  const grammars = new TreeSitterGrammars(sources);
  /** Blanks out lines with a `#`, as languages with a preprocessor do. */
  const simpler = (text: string) => text.replace(/^#.*$/gm, (line) => " ".repeat(line.length));
  const good = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => `fn good${from + i}() {}\n`).join("");
  const BROKEN = "fn broken( {\n";

  test.each([
    { what: "shows more", text: `${good(0, 9)}# mod x { fn (((\n${good(9, 20)}`, taken: "second" },
    { what: "shows less", text: `${good(0, 9)}${BROKEN}\n#[a] fn lost() {}\n`, taken: "first" },
    { what: "shows as much", text: `${BROKEN}# /* nothing */\n${good(0, 9)}`, taken: "first" },
    {
      what: "shows more in one place than it loses in another",
      text: `#[a] fn lost() {}\n${good(0, 9)}# fn (((\n${good(9, 20)}# fn (((\n${good(20, 30)}`,
      taken: "second",
    },
    {
      what: "loses more in one place than it shows in another",
      text: `${"#[a] fn lost() {}\n".repeat(30)}${good(0, 9)}# mod x { fn (((\n${good(9, 20)}`,
      taken: "first",
    },
    {
      what: "differs in more lines than a tree is told",
      text: `${"#\n\n".repeat(1_500)}# mod x { fn (((\n${good(0, 9)}`,
      taken: "second",
    },
  ])("that $what", async ({ text, taken }) => {
    await grammars.prepare(["rust"]);
    const other = simpler(text);
    const [first, second] = [text, other].map((it) => grammars.parse("rust", it, GENEROUS_MS));
    expect(first!.outcome).toBe("partial");
    expect(second!.definitions.length > first!.definitions.length).toBe(taken === "second");
    const both = grammars.parse("rust", text, GENEROUS_MS, { simpler });
    expect(both).toEqual(taken === "second" ? second : first);
  });
});

describe("what may go wrong", () => {
  test("a file over its budget is given up, and the next is read", async () => {
    const grammars = new TreeSitterGrammars(sources);
    await grammars.prepare(["typescript"]);
    expect(grammars.parse("typescript", "function f() {}\n".repeat(50_000), 1).outcome).toBe("timeout");
    await grammars.prepare(["typescript"]);
    expect(grammars.parse("typescript", "function f() {}", GENEROUS_MS)).toMatchObject({ outcome: "clean" });
  });

  // A query would take minutes: running it would exceed the time of this test.
  test.each(["(", "[", "{"])("100,000 unclosed %s in a row are given up without a look", async (sign) => {
    const grammars = new TreeSitterGrammars(sources);
    await grammars.prepare(["rust"]);
    const text = `fn before() {}\n${`${sign}\n`.repeat(100_000)}`;
    expect(grammars.parse("rust", text, MINUTES_MS).outcome).toBe("timeout");
    await grammars.prepare(["rust"]);
    expect(grammars.parse("rust", "fn f() {}", GENEROUS_MS)).toMatchObject({ outcome: "clean" });
  });

  test("what is broken off after many lines of code still has its symbols", async () => {
    const grammars = new TreeSitterGrammars(sources);
    await grammars.prepare(["rust"]);
    const text = `${"fn f() { g(1); }\n".repeat(5_000)}${"{ h(2);\n".repeat(5_000)}`;
    const { outcome, definitions } = grammars.parse("rust", text, MINUTES_MS);
    expect(outcome).toBe("partial");
    expect(definitions).toHaveLength(5_000);
  });

  test("an instance that traps is replaced", async () => {
    const trapping = new Map(sources).set("rust", { ...sources.get("rust")!, querySource: "(function_item) @def.fn" });
    const grammars = new TreeSitterGrammars(trapping);
    await grammars.prepare(["rust"]);
    const lone = { toString: () => "", slice: () => throwing() } as unknown as string;
    expect(grammars.parse("rust", lone, GENEROUS_MS)).toMatchObject({ outcome: "crash", detail: "trap" });
    await grammars.prepare(["typescript"]);
    const text = "class A { go() {} }";
    expect(names(text, grammars.parse("typescript", text, GENEROUS_MS))).toEqual(["A", "go"]);
  });

  test(
    "a file that devours memory ends in a crash, and the next is read",
    async () => {
      const grammars = new TreeSitterGrammars(sources);
      await grammars.prepare(["typescript"]);
      const { outcome } = grammars.parse("typescript", `x=[${"1,".repeat(1_500_000)}]`, MINUTES_MS);
      expect(outcome).toBe("crash");
      await grammars.prepare(["typescript"]);
      expect(grammars.parse("typescript", "function f() {}", GENEROUS_MS)).toMatchObject({ outcome: "clean" });
    },
    MINUTES_MS,
  );

  test("an unknown language and an unreadable grammar are reported, not thrown", async () => {
    const grammars = new TreeSitterGrammars(new Map([["rust", { wasmPath: "/nowhere.wasm", querySource: "" }]]));
    await grammars.prepare(["rust", "cobol"]);
    expect(grammars.parse("cobol", "", GENEROUS_MS).outcome).toBe("crash");
    expect(grammars.parse("rust", "", GENEROUS_MS).detail).toContain("rust");
  });

  test("two thousand files in a row", async () => {
    const grammars = new TreeSitterGrammars(sources);
    await grammars.prepare(["rust"]);
    for (let i = 0; i < 2_000; i++) {
      await grammars.prepare(["rust"]);
      expect(grammars.parse("rust", `pub fn f${i}() {}`, GENEROUS_MS).definitions).toHaveLength(1);
    }
  });
});

function throwing(): never {
  throw new WebAssemblyTrap("trap");
}

class WebAssemblyTrap extends Error {}

describe("what a grammar does not know costs no more than itself", () => {
  const grammars = new TreeSitterGrammars(sources);
  const check = (what: string, id: string, text: string, found: readonly string[], outcome = "clean") =>
    test(what, async () => {
      const simpler = LANGUAGES.find((it) => it.id === id)!.secondTry;
      await grammars.prepare([id]);
      const parsed = grammars.parse(id, text, GENEROUS_MS, simpler && { simpler });
      expect(parsed.outcome).toBe(outcome);
      expect(names(text, parsed)).toEqual(expect.arrayContaining([...found]));
      if (outcome === "clean") expect(names(text, parsed)).toHaveLength(found.length);
    });

  check(
    "a call signature behind a member without a semicolon",
    "typescript",
    "interface Make {\n  <A>(a: A): Made<A> & Rest\n\n  /** Two. */\n  <A, B>(a: A, b: B): Rest\n}\nfunction after() {}\n",
    ["Make", "after"],
  );
  check(
    "an annotated constructor in a line of its own",
    "kotlin",
    "class Held<T>\n@Inject internal constructor(val holder: T) {\n  fun get() = holder\n}\nfun after() = 1\n",
    ["Held", "constructor", "holder", "get", "after"],
  );
  const methods = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => `  fun m${from + i}(): Int {\n    return ${i}\n  }\n`).join("\n");
  check(
    "a branch in a method of a long class",
    "kotlin",
    `class A {\n${methods(0, 12)}\n  fun odd() = when {\n    type == $$"a$b" -> 1\n    else -> 2\n  }\n\n${methods(12, 24)}}\n\nfun after() = 1\n`,
    ["A", "m0", "m11", "odd", "m12", "m23", "after"],
    "partial",
  );
});
