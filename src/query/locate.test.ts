import { expect, test } from "vitest";
import { indexTree } from "../../test/kit/index-tree.ts";
import { F_RUST } from "../../test/kit/repos/f-rust.ts";
import type { LocateRequest } from "../model/search.ts";
import type { Snapshot } from "../ports/snapshot.ts";
import { locate } from "./locate.ts";

const repo = indexTree({
  ...F_RUST,
  "src/a.rs": "pub struct Shape;\nimpl Shape {\n    pub fn area(&self) -> f64 { 0.0 }\n}\npub fn shape() {}\n",
  "src/b.rs": "use crate::a::Shape;\npub struct Other;\nimpl Other {\n    pub fn area(&self) -> f64 { 1.0 }\n}\n",
  "tests/a_test.rs": "pub fn area() {}\n",
  "src/expire.c":
    "int expire(int key);\n\nint other(void) { return expire(1); }\n\nint expire(int key) {\n  return key;\n}\n",
});

const ask = async (more: Partial<LocateRequest>) => {
  const { at, ids } = await repo;
  return locate({ limit: 10, ...more }, at, ids);
};
const places = async (more: Partial<LocateRequest>) =>
  (await ask(more)).hits.map(({ path, symbol }) => `${path} ${symbol!.symbol.kind}`);

test("a definition is found with exact lines", async () => {
  const { hits, totalCandidates } = await ask({ name: "validate_token" });
  expect(totalCandidates).toBe(1);
  expect(hits[0]).toMatchObject({ type: "symbol", path: "src/auth.rs" });
  expect(hits[0]!.symbol!.symbol.signature).toContain("fn validate_token");
});

test("kinds filter by any alias and never fail", async () => {
  expect(await places({ name: "validate_token", kind: "fn" })).toHaveLength(1);
  expect(await places({ name: "validate_token", kind: "Function" })).toHaveLength(1);
  expect(await ask({ name: "validate_token", kind: "struct" })).toEqual({ hits: [], totalCandidates: 0 });
  expect(await ask({ name: "validate_token", kind: "nonsense" })).toEqual({ hits: [], totalCandidates: 0 });
  expect(await places({ name: "area", kind: "method" })).toEqual(["src/a.rs fn", "src/b.rs fn"]);
});

test("a function ranks above its prototype", async () => {
  const { hits } = await ask({ name: "expire" });
  expect(hits.map(({ lineStart }) => lineStart)).toEqual([5, 1]);
});

test("exact case ranks above other case, and imports are left out", async () => {
  expect(await places({ name: "Shape" })).toEqual(["src/a.rs struct", "src/a.rs impl", "src/a.rs fn"]);
  expect((await places({ name: "shape" }))[0]).toBe("src/a.rs fn");
});

test("imports are found on request", async () => {
  const { hits } = await ask({ name: "crate::a::Shape", kind: "use" });
  expect(hits.every(({ symbol }) => symbol!.symbol.kind === "use")).toBe(true);
});

test("an owner or a path tells namesakes apart, tests stand last", async () => {
  expect((await places({ name: "Other::area" }))[0]).toBe("src/b.rs fn");
  expect((await places({ name: "Shape.area" }))[0]).toBe("src/a.rs fn");
  expect(await places({ name: "area", path: "src/b.rs" })).toEqual(["src/b.rs fn"]);
  expect((await places({ name: "area" })).at(-1)).toBe("tests/a_test.rs fn");
});

test("both ids lead back to the symbol", async () => {
  const { symbolId, symbolStableId } = (await ask({ name: "Shape" })).hits[0]!.symbol!;
  expect(await places({ symbolId })).toEqual(["src/a.rs struct"]);
  expect(await places({ symbolId: symbolStableId })).toEqual(["src/a.rs struct"]);
  expect(await places({ symbolId: "sym_nobody" })).toEqual([]);
});

test("what does not exist is an empty answer", async () => {
  expect(await ask({ name: "no_such_symbol" })).toEqual({ hits: [], totalCandidates: 0 });
  expect(await ask({ name: "" })).toEqual({ hits: [], totalCandidates: 0 });
  expect(await ask({})).toEqual({ hits: [], totalCandidates: 0 });
});

test("a name with thousands of definitions opens only a few files", async () => {
  const { at, ids } = await repo;
  const file = (await at.file("src/handler.rs"))!;
  const index = (await at.record(file)).symbols.findIndex(({ name }) => name === "new");
  let opened = 0;
  const crowded: Snapshot = {
    ...at,
    symbols: async () => ({
      candidates: Array.from({ length: 5_000 }, (_, i) => ({
        file: { ...file, id: i as typeof file.id, path: `src/f${i}.rs` },
        index,
        name: "new",
      })),
      matched: 5_000,
    }),
    frame: async () => {
      opened++;
      return at.frame(file);
    },
    text: async () => at.text(file),
  };
  const answer = await locate({ name: "new", limit: 10 }, crowded, ids);
  expect(answer.hits).toHaveLength(10);
  expect(answer.totalCandidates).toBe(5_000);
  expect(opened).toBeLessThan(100);
});
