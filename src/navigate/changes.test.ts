import { expect, test } from "vitest";
import { sharedGrammars } from "../../test/kit/inline-parsers.ts";
import { createHash } from "../adapters/hash/hashes.ts";
import { readFile } from "../ingest/read-file.ts";
import type { FileSide } from "../model/changes.ts";
import type { ContentHash, ProjectId } from "../model/ids.ts";
import { symbolChanges } from "./changes.ts";
import { fileRenames } from "./file-renames.ts";

const grammars = await sharedGrammars();
const ids = { project: "0123456789abcdef" as ProjectId, hash: await createHash() };

async function sideOf(path: string, text: string): Promise<FileSide> {
  const file = { path, bytes: new TextEncoder().encode(text), contentHash: ids.hash(text) as ContentHash };
  const read = await readFile(file, grammars, { includeSecrets: false, maxFileBytes: 1_000_000 });
  if ("skip" in read) throw new Error(read.skip);
  return { record: read.record, text: read.text };
}

type Tree = Readonly<Record<string, string>>;

/** Each change as `change name`, with where it came from. Paths that differ by name are joined as `old > new`. */
async function changes(before: Tree, after: Tree, renames: Tree = {}): Promise<string[]> {
  const gone = new Set(Object.values(renames));
  const paths = new Set([...Object.keys(before), ...Object.keys(after)].filter((path) => !gone.has(path)));
  const pairs = await Promise.all(
    [...paths].sort().map(async (path) => {
      const old = renames[path] ?? path;
      return {
        ...(before[old] !== undefined && { before: await sideOf(old, before[old]) }),
        ...(after[path] !== undefined && { after: await sideOf(path, after[path]) }),
      };
    }),
  );
  return (await symbolChanges(pairs, ids)).map(({ change, after: now, before: old, renamedFrom }) => {
    const from = renamedFrom === undefined ? "" : ` from ${renamedFrom}`;
    return `${change} ${(now ?? old)!.symbol.qualifiedName}${from}`;
  });
}

const check = (what: string, before: Tree, after: Tree, expected: readonly string[], renames: Tree = {}) =>
  test(what, async () => expect(await changes(before, after, renames)).toEqual(expected));

const LIB = "pub fn shared() -> u32 {\n    1\n}\n\npub fn keep_me() -> u32 {\n    2\n}\n";
const LONG = (name: string, step = "1") =>
  `export function ${name}(list: number[]): number {\n  let sum = 0;\n  for (const item of list) sum += item * ${step};\n  return sum / list.length;\n}\n`;
const CLASS = (name: string, body = "return this.a + 1;") =>
  `class ${name} {\n  private a = 1;\n  get(): number {\n    ${body}\n  }\n  put(a: number): void {\n    this.a = a;\n  }\n}\n`;

check("nothing", { "src/lib.rs": LIB }, { "src/lib.rs": LIB }, []);
check("a signature", { "src/lib.rs": LIB }, { "src/lib.rs": LIB.replace("shared()", "shared(mode: u8)") }, [
  "modified shared",
]);
check("a body", { "src/lib.rs": LIB }, { "src/lib.rs": LIB.replace("    1", "    3") }, ["modified shared"]);
check("code that only moved within its file", { "a.rs": LIB }, { "a.rs": `// more\n\n\n${LIB}` }, []);
check("line breaks that a checkout turned", { "a.rs": LIB }, { "a.rs": LIB.replaceAll("\n", "\r\n") }, []);
check("added and deleted", { "a.rs": "fn one() {}\n" }, { "b.rs": "struct Two;\n" }, [
  "deleted a::one",
  "added b::Two",
]);
check("imports are no symbols of their own", { "a.rs": "fn f() {}\n" }, { "a.rs": "use std::io;\nfn f() {}\n" }, []);

check("a method does not change its class", { "a.ts": CLASS("Box") }, { "a.ts": CLASS("Box", "return 2;") }, [
  "modified a.Box.get",
]);
check("a field does", { "a.ts": CLASS("Box") }, { "a.ts": CLASS("Box").replace("private a = 1", "private a = 2") }, [
  "modified a.Box",
]);
check(
  "a new method is one change",
  { "a.ts": CLASS("Box") },
  { "a.ts": CLASS("Box").replace("  put(", "  two(): number {\n    return 2;\n  }\n  put(") },
  ["added a.Box.two"],
);
check(
  "an overload in front of others moves nobody",
  { "A.java": "class A {\n  void f(int a) { g(a); }\n  void f(long a) { h(a); }\n}\n" },
  { "A.java": "class A {\n  void f() { }\n  void f(int a) { g(a); }\n  void f(long a) { h(a); }\n}\n" },
  ["added A.f"],
);

check("a renamed function", { "a.ts": LONG("mean") }, { "a.ts": LONG("average") }, ["modified a.average from a.mean"]);
check("renamed, and nearly the same", { "a.ts": LONG("mean") }, { "a.ts": LONG("average", "2") }, [
  "modified a.average from a.mean",
]);
check(
  "short functions are not one for being short",
  { "a.rs": "fn a() -> u8 { 0 }\n" },
  { "a.rs": "fn b() -> u8 { 0 }\n" },
  ["deleted a::a", "added a::b"],
);
check(
  "moved to another file",
  { "a.ts": LONG("mean") + LONG("other"), "b.ts": "export const x = 1;\n" },
  { "a.ts": LONG("other"), "b.ts": `export const x = 1;\n${LONG("mean")}` },
  ["modified b.mean from a.ts"],
);
check("another class around the same method", { "a.ts": CLASS("Box") }, { "a.ts": CLASS("Crate") }, [
  "modified a.Crate from a.Box",
  "modified a.Crate.get from a.Box.get",
  "modified a.Crate.put from a.Box.put",
]);
check(
  "a class that was rewritten around its methods",
  { "a.ts": CLASS("Box") },
  {
    "a.ts": CLASS("Crate").replace(
      "private a = 1;",
      "readonly many = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];\n  other = { b: 1, c: 2 };",
    ),
  },
  ["modified a.Crate from a.Box", "modified a.Crate.get from a.Box.get", "modified a.Crate.put from a.Box.put"],
);
check(
  "a renamed file",
  { "src/lib.rs": LIB },
  { "src/core.rs": LIB },
  ["modified core::shared from src/lib.rs", "modified core::keep_me from src/lib.rs"],
  { "src/core.rs": "src/lib.rs" },
);
check("a function that became a constant", { "a.ts": "function f() { return 1; }\n" }, { "a.ts": "const f = 1;\n" }, [
  "modified a.f",
]);
check(
  "code before prose",
  { "README.md": "# One\n\ntext\n", "z.rs": "fn z() {}\n" },
  { "README.md": "# One\n\nother\n", "z.rs": "fn z() { y() }\n" },
  ["modified z::z", "modified README.One"],
);

const rename = (what: string, deleted: Tree, added: Tree, expected: Tree) =>
  test(`files: ${what}`, () => {
    const files = (tree: Tree) => Object.entries(tree).map(([path, text]) => ({ path, id: text, text }));
    expect(Object.fromEntries(fileRenames(files(deleted), files(added)))).toEqual(expected);
  });
const lines = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `line ${from + i}\n`).join("");
rename("equal content", { "a.txt": "same\n" }, { "b.txt": "same\n" }, { "b.txt": "a.txt" });
rename(
  "two equal ones keep their names",
  { "x/a": "s", "x/b": "s" },
  { "y/b": "s", "y/a": "s" },
  { "y/b": "x/b", "y/a": "x/a" },
);
rename("most lines", { "a.txt": lines(0, 20) }, { "b.txt": lines(4, 22) }, { "b.txt": "a.txt" });
rename("few lines", { "a.txt": lines(0, 20) }, { "b.txt": lines(15, 40) }, {});
