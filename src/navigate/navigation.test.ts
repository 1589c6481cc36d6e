/** Hard queries about relations of symbols: generic names, cycles, very common names, broken files, missing symbols. */
import { describe, expect, test } from "vitest";
import { indexTree } from "../../test/kit/index-tree.ts";
import type { CompassError } from "../model/errors.ts";
import type { CallDirection } from "../model/navigation.ts";
import { references } from "./find-references.ts";
import { createNavigation } from "./navigation.ts";

async function over(tree: Readonly<Record<string, string>>) {
  const { at, ids } = await indexTree(tree);
  const ask = createNavigation(at, ids);
  const graph = async (name: string, direction: CallDirection, depth: number, limit = 50) => {
    const answer = await ask.callGraph({ name, direction, depth, limit });
    const edges = answer.edges.map((it) => `${it.from.symbol.name} → ${it.to?.symbol.name ?? `?${it.name}`}`);
    return { ...answer, edges };
  };
  return { at, ids, ask, graph };
}

const refusal = (asked: Promise<unknown>) =>
  asked.then(
    () => undefined,
    (error: CompassError) => error,
  );

describe("generic names", () => {
  const files = Array.from({ length: 30 }, (_, i) => [
    `src/m${i}.ts`,
    `export class C${i} {\n  get() {}\n  new() {}\n}\nexport function main() {}\n`,
  ]);

  test.each(["get", "new", "main"])("%s is refused with candidates", async (name) => {
    const { ask, at, ids } = await over(Object.fromEntries(files));
    for (const asked of [
      ask.hierarchy({ name, direction: "ancestors" }),
      ask.neighbours({ name, scope: "file", limit: 5 }),
      ask.callGraph({ name, direction: "both", depth: 2, limit: 5 }),
      ask.impact({ symbol: { name }, changed: [], paths: [], depth: 1, limit: 5 }),
      references({ name, limit: 5 }, at, ids),
    ]) {
      const error = await refusal(asked);
      expect(error?.code).toBe("ambiguous_symbol");
      expect(error?.data).toMatchObject({ name, candidate_count: 30 });
      expect(error?.data.candidates).toHaveLength(10);
    }
    const found = await ask.hierarchy({ name: `C7.${name}`, direction: "ancestors" }).catch(() => undefined);
    if (name !== "main") expect(found?.nodes.map(({ hit }) => hit.symbol.name)).toEqual([name, "C7"]);
  });
});

test("circles end: a function that calls itself, and two that call each other", async () => {
  const { graph } = await over({
    "a.ts": `import { odd } from "./b.ts";
export function even(n: number): boolean { return n === 0 || odd(n - 1); }
export function down(n: number): void { if (n > 0) down(n - 1); }
`,
    "b.ts": `import { even } from "./a.ts";\nexport function odd(n: number): boolean { return n !== 0 && even(n - 1); }\n`,
  });
  expect((await graph("down", "both", 5)).edges).toEqual(["down → down"]);
  expect((await graph("even", "both", 5)).edges.toSorted()).toEqual(["even → odd", "odd → even"]);
});

test("a symbol that 500 files use: what is shown is bounded, what is there is counted", async () => {
  const users = Array.from({ length: 500 }, (_, i) => [
    `src/u${i}.ts`,
    `import { shared } from "./shared.ts";\nexport function use${i}() { shared(); }\n`,
  ]);
  const { graph, ask } = await over({ "src/shared.ts": "export function shared() {}\n", ...Object.fromEntries(users) });
  const { edges, total } = await graph("shared", "callers", 3, 20);
  expect(edges).toHaveLength(20);
  expect(total).toBe(500);
  const impact = await ask.impact({ symbol: { name: "shared" }, changed: [], paths: [], depth: 2, limit: 10 });
  expect(impact).toMatchObject({ total: 500, cut: true });
  expect(impact.affected).toHaveLength(10);
}, 60_000);

test("a syntax error in the middle of a symbol leaves its calls", async () => {
  const { graph } = await over({
    "a.ts":
      "export function broken() {\n  first();\n  const = ;;( \n  second();\n}\nfunction first() {}\nfunction second() {}\n",
  });
  const { edges } = await graph("first", "callers", 2);
  expect(edges).toEqual(["broken → first"]);
});

test("what only shares a name stands last, is not followed, and is counted", async () => {
  const { graph } = await over({
    "a.py":
      "class Store:\n    def load(self):\n        pass\n\n\ndef sure():\n    Store().load()\n\n\ndef unsure(thing):\n    thing.load()\n\n\ndef far():\n    unsure(1)\n",
  });
  const { edges, nameOnly } = await graph("load", "callers", 3);
  expect(edges).toEqual(["sure → load", "unsure → ?load"]);
  expect(nameOnly).toBe(1);
});

test("impact: implementers and users, nearest first, and the tests", async () => {
  const { ask } = await over({
    "src/shape.ts": "export interface Shape { area(): number }\n",
    "src/square.ts": `import type { Shape } from "./shape.ts";\nexport class Square implements Shape { area() { return 1; } }\n`,
    "src/draw.ts": `import type { Shape } from "./shape.ts";\nexport function draw(shape: Shape) { return shape.area(); }\nexport function page(s: Shape) { draw(s); }\n`,
    "src/shape.test.ts": `import type { Shape } from "./shape.ts";\nconst one: Shape = { area: () => 1 };\n`,
  });
  const { affected, tests } = await ask.impact({
    symbol: { name: "Shape" },
    changed: [],
    paths: [],
    depth: 2,
    limit: 50,
  });
  expect(affected[0]).toMatchObject({ implements: true, hit: { symbol: { name: "Square" } } });
  expect(affected.map(({ hit }) => hit.symbol.name)).toEqual(expect.arrayContaining(["draw", "page"]));
  expect(tests.map(({ path }) => path)).toEqual(["src/shape.test.ts"]);
});

test("C66: a project without any edges says so", async () => {
  const { ask, at, ids } = await over({ "a.md": "# go\n" });
  for (const asked of [
    ask.callGraph({ name: "go", direction: "both", depth: 1, limit: 5 }),
    ask.impact({ symbol: { name: "go" }, changed: [], paths: [], depth: 1, limit: 5 }),
    references({ name: "go", limit: 5 }, at, ids),
  ]) {
    expect((await refusal(asked))?.code).toBe("no_edges_available");
  }
  expect((await ask.hierarchy({ name: "go", direction: "ancestors" })).count).toBe(1);
});

test("impact: of equal users the one that more of the project leans on comes first", async () => {
  const { at, ids } = await indexTree({
    "core.ts": "export function base() {}\n",
    "aside.ts": "import { base } from './core';\nexport const aside = () => base();\n",
    "hub.ts": "import { base } from './core';\nexport const hub = () => base();\n",
    "x.ts": "import { hub } from './hub';\nexport const x = () => hub;\n",
    "y.ts": "import { hub } from './hub';\nexport const y = () => hub;\n",
  });
  const ask = { symbol: { name: "base" }, changed: [], paths: [], depth: 1, limit: 10 };
  const { changed, affected } = await createNavigation(at, ids).impact(ask);
  expect(affected.map(({ path }) => path)).toEqual(["hub.ts", "aside.ts"]);
  expect(changed.map(({ name, centrality }) => [name, centrality])).toEqual([["base", 1]]);
});

test("a heading with the name of a class does not hide the class", async () => {
  const { at, ids } = await indexTree({
    "README.md": "# Guide\n\n## Slice\n\nAbout it.\n",
    "slice.ts": "export class Slice {}\nexport const one = new Slice();\n",
  });
  expect((await references({ name: "Slice", limit: 5 }, at, ids)).total).toBe(1);
});

test("a heading has no callers and affects nothing", async () => {
  const { ask } = await over({ "README.md": "# Guide\n\n## Slice\n", "slice.ts": "export class Part {}\n" });
  const graph = await ask.callGraph({ name: "Slice", direction: "both", depth: 2, limit: 5 });
  expect(graph.edges).toEqual([]);
  const { affected } = await ask.impact({ symbol: { name: "Slice" }, changed: [], paths: [], depth: 1, limit: 5 });
  expect(affected).toEqual([]);
});

test("a class and its constructor in another file are one question", async () => {
  const { at, ids } = await indexTree({
    "node.h": "namespace db {\nclass Node {\n public:\n  Node();\n};\n}\n",
    "node.cc": '#include "node.h"\n\nnamespace db {\nNode::Node() {}\nNode* make() { return new Node(); }\n}\n',
  });
  const { symbol } = await references({ name: "Node", limit: 5 }, at, ids);
  expect(symbol.symbol.kind).toBe("class");
});

describe("what a name in a line means", () => {
  const tree = {
    "a.ts": "export function open(file: string) {}\nexport class Box {\n  open() {}\n}\n",
    "b.ts": 'import { open, Box } from "./a.ts";\nconst box = new Box();\nbox.open();\nopen("x");\nmissing();\n',
    "c.ts": "export function open() {}\n",
  };
  test.each([
    [1, "open", ["a.ts:1"]],
    [2, "Box", ["a.ts:2"]],
    [3, "open", ["a.ts:3"]],
    [4, "open", ["a.ts:1"]],
    [5, "missing", []],
  ] as const)("line %i, %s", async (line, name, expected) => {
    const { ask } = await over(tree);
    const found = await ask.definitions({ path: "b.ts", line, name });
    expect(found.map(({ path, symbol }) => `${path}:${symbol.span.lineStart}`)).toEqual(expected);
  });
});
