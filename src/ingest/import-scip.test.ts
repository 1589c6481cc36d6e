/** Edges of a compiler: what they replace, and when they no longer apply. */
import { describe, expect, test } from "vitest";
import { type IndexedTree, indexTree } from "../../test/kit/index-tree.ts";
import { inChunks, SHOP, SHOP_SCIP } from "../../test/kit/shop.ts";
import { sha256, takeLease } from "../../test/kit/store.ts";
import { COMPILER_VIEW } from "../model/compiler-edges.ts";
import { buildGraph } from "../navigate/graph.ts";
import { referenceRules } from "../navigate/reference-rules.ts";
import { encodeDocument, encodeMetadata, join, type ScipOccurrence } from "../scip/encode.ts";
import { importScip } from "./import-scip.ts";

let jobs = 0;

async function importInto({ store, at }: IndexedTree, bytes: Uint8Array) {
  const lease = await takeLease(store);
  const { signal } = new AbortController();
  const clock = { jobId: () => `import${++jobs}`, now: 0, signal };
  try {
    return await importScip({
      store,
      lease,
      at,
      root: "/tmp/shop",
      open: () => inChunks(bytes),
      hash: sha256,
      ...clock,
    });
  } finally {
    await lease.release();
  }
}

/** `path:line:column kind resolution` of each use. */
async function usesOf({ store }: IndexedTree, path: string, name: string): Promise<string[]> {
  const at = (await store.snapshot("live"))!;
  const { symbols } = await at.record((await at.file(path))!);
  const index = symbols.findIndex((it) => it.name === name && it.kind !== "use");
  const edges = await buildGraph(at, referenceRules).referencesTo({ path, index });
  at.release();
  return edges.map((it) => `${it.path}:${it.line}:${it.column} ${it.kind} ${it.resolution}`);
}

describe("an index of scip-typescript", () => {
  test("replaces what was bound, and what only shared a name", async () => {
    const tree = await indexTree(SHOP);
    const value = ["src/shop.ts:10:48 references", "src/user.ts:3:62 references"];
    const same = ["src/shop.ts:10:37 references name_only", "src/user.ts:3:82 references name_only"];
    expect(await usesOf(tree, "src/shop.ts", "value")).toEqual([...value.map((it) => `${it} receiver`), ...same]);
    const report = await importInto(tree, SHOP_SCIP);
    expect(report).toMatchObject({ tool: "scip-typescript 0.4.0", documents: 2, imported: 2, missing: 0, changed: 0 });
    expect(await usesOf(tree, "src/shop.ts", "value")).toEqual([...value.map((it) => `${it} compiler`), same[0]]);
    expect(await usesOf(tree, "src/shop.ts", "File")).toEqual([
      "src/shop.ts:6:50 calls compiler",
      "src/shop.ts:8:30 calls compiler",
      "src/user.ts:1:31 imports compiler",
      "src/user.ts:3:32 calls compiler",
    ]);
  });

  test("again: the same; and callers see no view of it", async () => {
    const tree = await indexTree(SHOP);
    const first = await importInto(tree, SHOP_SCIP);
    expect(await importInto(tree, SHOP_SCIP)).toEqual(first);
    expect((await tree.store.views()).map(({ ref }) => ref)).toEqual(["live"]);
    expect((await tree.store.dump()).views.map(({ info }) => info.ref)).toEqual(["live"]);
  });

  test("a file with another content keeps our own edges", async () => {
    const tree = await indexTree({ ...SHOP, "src/user.ts": `// moved\n${SHOP["src/user.ts"]}` });
    const report = await importInto(tree, SHOP_SCIP);
    expect(report).toMatchObject({ imported: 1, changed: 1, leftOut: ["src/user.ts"] });
    expect(await usesOf(tree, "src/shop.ts", "make")).toEqual([
      "src/user.ts:2:16 imports import",
      "src/user.ts:4:15 calls import",
      "src/user.ts:5:17 calls import",
    ]);
  });

  test("files that the view does not have are counted", async () => {
    const { "src/user.ts": _, ...rest } = SHOP;
    expect(await importInto(await indexTree(rest), SHOP_SCIP)).toMatchObject({ imported: 1, missing: 1 });
  });

  test("of a folder of the workspace, made on another machine", async () => {
    const tree = await indexTree(
      Object.fromEntries(Object.entries(SHOP).map(([path, text]) => [`shop/${path}`, text])),
    );
    expect(await importInto(tree, SHOP_SCIP)).toMatchObject({ imported: 2, missing: 0 });
  });

  test("a damaged file changes nothing", async () => {
    const tree = await indexTree(SHOP);
    await importInto(tree, SHOP_SCIP);
    const before = await usesOf(tree, "src/shop.ts", "value");
    await expect(importInto(tree, SHOP_SCIP.subarray(0, 5_000))).rejects.toMatchObject({ code: "invalid_input" });
    expect(await usesOf(tree, "src/shop.ts", "value")).toEqual(before);
  });

  test("a new index keeps the edges of what did not change", async () => {
    const tree = await indexTree(SHOP);
    await importInto(tree, SHOP_SCIP);
    const { store, at } = tree;
    const lease = await takeLease(store);
    const files = await Promise.all(
      (await at.files()).map(async (file) => ({ path: file.path, contentHash: file.contentHash })),
    );
    const build = await store.begin(lease, "live", "reset");
    await build.publish({ jobId: "again" as never, changes: [], publishedAt: 1 });
    await lease.release();
    const compiled = await (await store.snapshot("live"))!.compiled();
    const known = files.filter(({ path }) => path.startsWith("src/"));
    expect([...compiled.keys()].sort()).toEqual(known.map(({ path, contentHash }) => `${contentHash}/${path}`).sort());
    expect(await store.snapshot(COMPILER_VIEW)).toBeDefined();
  });
});

const reference = (line: number, start: number, end: number, symbol: string): ScipOccurrence => {
  return { line, start, end, symbol, role: "reference" };
};
const definition = (...place: [number, number, number, string]): ScipOccurrence => {
  return { ...reference(...place), role: "definition" };
};
const indexOf = (path: string, occurrences: readonly ScipOccurrence[]) =>
  join([
    encodeMetadata({ version: "1" }, "file:///elsewhere"),
    encodeDocument({ path, language: "Python", occurrences, symbols: [] }),
  ]);

/** The last byte of a document says how its columns are counted. */
const counted = (bytes: Uint8Array, encoding: number) => Uint8Array.from([...bytes.subarray(0, -1), encoding]);

describe("how columns are counted", () => {
  const source = 'def go():\n    pass\n\nx = "é𝒳"; go()\n';
  const tree = { "a.py": source };
  const columns = { utf8: [14, 1], utf16: [11, 2], utf32: [10, 3] } as const;
  for (const [name, [column, encoding]] of Object.entries(columns))
    for (const said of [encoding, 0])
      test(`${name}, ${said === 0 ? "not said" : "said"}`, async () => {
        const indexed = await indexTree(tree);
        const uses = [definition(0, 4, 6, "s . p . a/go()."), reference(3, column, column + 2, "s . p . a/go().")];
        expect(await importInto(indexed, counted(indexOf("a.py", uses), said))).toMatchObject({ imported: 1 });
        expect(await usesOf(indexed, "a.py", "go")).toEqual(["a.py:4:11 calls compiler"]);
      });
  test("one that does not fit is refused", async () => {
    const uses = [definition(0, 4, 6, "s . p . a/go()."), reference(3, 14, 16, "s . p . a/go().")];
    expect(await importInto(await indexTree(tree), counted(indexOf("a.py", uses), 2))).toMatchObject({ changed: 1 });
  });
});

test("a use of another package is none of ours; one of our own package may be", async () => {
  const tree = await indexTree({
    "a.py": "class A:\n    def run(self): pass\n",
    "b.py": "def go(x, y):\n    x.run()\n    y.run()\n",
    "pyproject.toml": '[project]\nname = "own"\n',
  });
  const uses = [
    definition(0, 4, 6, "s pip own 1 b/go()."),
    reference(1, 6, 9, "s pip other 1 lib/A#run()."),
    reference(2, 6, 9, "s pip own 2 a/A#run()."),
  ];
  await importInto(tree, indexOf("b.py", uses));
  expect(await usesOf(tree, "a.py", "run")).toEqual(["b.py:3:6 calls name_only"]);
});

test("uses that our own reading does not have, in the call graph as well", async () => {
  const tree = await indexTree({ "a.py": "def go():\n    pass\n", "b.py": "def run():\n    eval('go()')\n" });
  const uses = [definition(0, 4, 6, "s pip p 1 a/go().")];
  const more = [reference(1, 10, 12, "s pip p 1 a/go()."), definition(0, 4, 7, "s pip p 1 b/run().")];
  const document = (path: string, occurrences: readonly ScipOccurrence[]) =>
    encodeDocument({ path, language: "Python", occurrences, symbols: [] });
  const bytes = join([indexOf("a.py", uses), document("b.py", more)]);
  expect(await importInto(tree, bytes)).toMatchObject({ imported: 2, edges: 1 });
  expect(await usesOf(tree, "a.py", "go")).toEqual(["b.py:2:10 calls compiler"]);
  const at = (await tree.store.snapshot("live"))!;
  const edges = await buildGraph(at, referenceRules).edgesFrom({ path: "b.py", index: 0 });
  expect(edges.filter(({ to }) => to !== undefined)).toMatchObject([{ to: { path: "a.py", index: 0 }, line: 2 }]);
});
