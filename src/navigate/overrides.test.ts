/** Implementations and overrides in both directions, in impact and in the call graph. */
import { expect, test } from "vitest";
import { indexTree } from "../../test/kit/index-tree.ts";
import type { Snapshot } from "../ports/snapshot.ts";
import { walkCalls } from "./call-graph.ts";
import { buildGraph } from "./graph.ts";
import { createNavigation } from "./navigation.ts";
import { referenceRules } from "./reference-rules.ts";

type Tree = Readonly<Record<string, string>>;

async function place(at: Snapshot, path: string, line: number) {
  const { symbols } = await at.record((await at.file(path))!);
  const index = symbols.findLastIndex(({ kind, span }) => kind !== "use" && span.lineStart === line);
  return { path, index };
}

async function shown(at: Snapshot, { path, index }: { path: string; index: number }): Promise<string> {
  const { symbols } = await at.record((await at.file(path))!);
  return `${path}:${symbols[index]?.span.lineStart ?? 0} ${symbols[index]?.name ?? ""}`;
}

const check = (language: string, tree: Tree, base: readonly [string, number], ...overrides: string[]) =>
  test(language, async () => {
    const { at } = await indexTree(tree);
    const graph = buildGraph(at, referenceRules);
    const from = await place(at, ...base);
    const { symbols } = await graph.overridesOf(from);
    expect((await Promise.all(symbols.map((it) => shown(at, it)))).sort()).toEqual(overrides);
    for (const symbol of symbols) expect(await graph.overriddenBy(symbol)).toContainEqual(from);
  });

check(
  "TypeScript: an interface, a class that implements it and one that extends that",
  {
    "base.ts": "export interface Store {\n  get(id: string): string;\n}\n",
    "disk.ts":
      "import type { Store } from './base';\nexport class Disk implements Store {\n  get(id: string) { return id; }\n}\n",
    "cache.ts": "import { Disk } from './disk';\nclass Cache extends Disk {\n  get(id: string) { return id; }\n}\n",
    "other.ts": "class Other {\n  get(id: string) { return id; }\n}\n",
  },
  ["base.ts", 2],
  "cache.ts:3 get",
  "disk.ts:3 get",
);
check(
  "Go: types with every method of the interface",
  {
    "store.go": "package store\n\ntype Store interface {\n\tGet(id string) string\n\tPut(id string)\n}\n",
    "disk.go":
      "package store\n\ntype Disk struct{}\n\nfunc (d *Disk) Get(id string) string { return id }\nfunc (d *Disk) Put(id string) {}\n",
    "half.go": "package store\n\ntype Half struct{}\n\nfunc (h Half) Get(id string) string { return id }\n",
  },
  ["store.go", 4],
  "disk.go:5 Get",
);
const EMBEDDED: Tree = {
  "lib/config.go":
    "package lib\n\ntype Named interface {\n\tName() string\n}\n\ntype Config interface {\n\tNamed\n\tStart() int\n\tRun() int\n}\n",
  "exec/base.go":
    'package exec\n\ntype Base struct{}\n\nfunc (b Base) Name() string { return "" }\nfunc (b Base) Start() int { return 0 }\n',
  "exec/ramp.go":
    "package exec\n\ntype Ramp struct {\n\tBase\n\tsteps int\n}\n\nfunc (r Ramp) Run() int { return r.Start() }\n",
  "exec/lame.go": "package exec\n\ntype Lame struct{}\n\nfunc (l Lame) Run() int { return 0 }\n",
};
check("Go: what a type embeds gives it methods", EMBEDDED, ["lib/config.go", 9], "exec/base.go:6 Start");
check("Go: its own method", EMBEDDED, ["lib/config.go", 10], "exec/ramp.go:8 Run");
check("Go: the type that has them all", EMBEDDED, ["lib/config.go", 7], "exec/ramp.go:3 Ramp");
check("Go: an interface in an interface", EMBEDDED, ["lib/config.go", 4], "exec/base.go:5 Name");
test("Go: what is embedded does not implement an interface by the methods of others", async () => {
  const { at } = await indexTree(EMBEDDED);
  const graph = buildGraph(at, referenceRules);
  const bases = await graph.overriddenBy(await place(at, "exec/base.go", 3));
  expect(await Promise.all(bases.map((it) => shown(at, it)))).toEqual(["lib/config.go:3 Named"]);
});
check(
  "Rust: a trait's method",
  {
    "src/lib.rs":
      "pub trait Store {\n    fn get(&self) -> u8;\n}\npub struct Disk;\nimpl Store for Disk {\n    fn get(&self) -> u8 { 1 }\n}\nimpl Disk {\n    fn put(&self) {}\n}\n",
  },
  ["src/lib.rs", 2],
  "src/lib.rs:6 get",
);
check(
  "Python: a subclass",
  { "a.py": "class A:\n    def go(self): pass\n", "b.py": "from a import A\nclass B(A):\n    def go(self): pass\n" },
  ["a.py", 2],
  "b.py:3 go",
);

test("a call of a base may reach its overrides, and an override is reached by calls of its base", async () => {
  const { at } = await indexTree({
    "a.py": "class A:\n    def go(self): pass\nclass B(A):\n    def go(self): pass\ndef run(a: A):\n    a.go()\n",
  });
  const graph = buildGraph(at, referenceRules);
  const walk = async (line: number, direction: "callers" | "callees") => {
    const { calls } = await walkCalls({ root: await place(at, "a.py", line), direction, depth: 1, enough: 50 }, graph);
    const rows = calls.map(async ({ from, to, possible }) =>
      [await shown(at, from), to && (await shown(at, to)), possible ? "possible" : "certain"].join(" "),
    );
    return Promise.all(rows);
  };
  expect(await walk(5, "callees")).toEqual(["a.py:5 run a.py:2 go certain", "a.py:5 run a.py:4 go possible"]);
  expect(await walk(4, "callers")).toEqual(["a.py:5 run a.py:4 go possible"]);
});

test("the hierarchy names what a type and a member inherit from, and what inherits from them", async () => {
  const { at, ids } = await indexTree({
    "base.py": "class Base:\n    def run(self): pass\n",
    "fast.py": "from base import Base\nclass Fast(Base):\n    def run(self): pass\n",
    "faster.py": "from fast import Fast\nclass Faster(Fast):\n    def run(self): pass\n",
  });
  const navigation = createNavigation(at, ids);
  const inherited = async (name: string, direction: "ancestors" | "descendants") => {
    const { inheritance, cut } = await navigation.hierarchy({ name, direction });
    expect(cut).toBe(false);
    return inheritance.map(({ symbol }) => symbol.qualifiedName);
  };
  expect(await inherited("Faster", "ancestors")).toEqual(["fast.Fast", "base.Base"]);
  expect(await inherited("Base", "descendants")).toEqual(["fast.Fast", "faster.Faster"]);
  expect(await inherited("Faster.run", "ancestors")).toEqual(["fast.Fast.run", "base.Base.run"]);
  expect(await inherited("Base.run", "descendants")).toEqual(["fast.Fast.run", "faster.Faster.run"]);
});
