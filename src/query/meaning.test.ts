import { expect, test } from "vitest";
import { askMeaning } from "../../test/kit/embed-query.ts";
import { indexTree } from "../../test/kit/index-tree.ts";
import { F_GREP } from "../../test/kit/repos/f-grep.ts";
import { explain } from "./explain.ts";
import { search } from "./search.ts";
import { hybrid, semantic } from "./semantic.ts";

const repo = indexTree(F_GREP);
const QUESTIONS = [
  "call a function again when it fails",
  "paint a round shape",
  "persist data durably",
  "session token",
];
const PAGE = { threshold: 0, offset: 0, limit: 20, context: 0 };

test("what only meaning finds is found", async () => {
  const { at, ids } = await repo;
  const words = await search({ query: "authenticate somebody", limit: 10 }, at, ids);
  expect(words.hits).toEqual([]);
  const both = await search({ query: "authenticate somebody", limit: 10 }, at, ids, { askMeaning });
  expect(both.hits[0]?.path).toBe("src/auth.py");
});

test("a word that no model and no file knows finds nothing", async () => {
  const { at, ids } = await repo;
  for (const query of ["zqxwv", "zqxwv blorptang"]) {
    expect((await search({ query, limit: 10 }, at, ids, { askMeaning })).hits).toEqual([]);
  }
});

test("totals are the sums of their parts, in their order, and explained as they were ranked", async () => {
  const { at, ids } = await repo;
  for (const query of QUESTIONS) {
    const { hits } = await search({ query, limit: 20 }, at, ids, { askMeaning });
    const totals = hits.map(({ total }) => total);
    expect(totals).toEqual(totals.toSorted((a, b) => b - a));
    for (const hit of hits) {
      expect(hit.parts.reduce((sum, { value }) => sum + value, 0)).toBeCloseTo(hit.total, 6);
      const place = { path: hit.path, lineStart: hit.lineStart };
      expect((await explain({ query, limit: 1 }, place, at, ids, { askMeaning })).hit).toEqual(hit);
    }
  }
});

test("a semantic query has its similarity explained, a name has none", async () => {
  const { at, ids } = await repo;
  const part = async (query: string) =>
    (await search({ query, limit: 1 }, at, ids, { askMeaning })).hits[0]!.parts.find(
      ({ factor }) => factor === "semantic_similarity",
    )!;
  expect((await part("call a function again when it fails")).reason).toMatch(/cosine 0\.\d+/);
  expect(await part("withBackoff")).toMatchObject({ value: 0, reason: "not compared by meaning" });
});

test("hybrid has search's order, scores that fall, and pages that fit together", async () => {
  const { at, ids } = await repo;
  for (const query of QUESTIONS) {
    const { hits } = await search({ query, limit: 20 }, at, ids, { askMeaning });
    const all = await hybrid({ ...PAGE, query }, at, ids, { askMeaning });
    expect(all.hits.map(({ path, lineStart }) => [path, lineStart])).toEqual(
      hits.map(({ path, lineStart }) => [path, lineStart]),
    );
    const scores = all.hits.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    const second = await hybrid({ ...PAGE, query, offset: 1, limit: 1 }, at, ids, { askMeaning });
    expect(second.hits).toEqual(all.hits.slice(1, 2));
    expect(second.total).toBe(all.total);
  }
});

test("a model that cannot be used leaves words and a note", async () => {
  const { at, ids } = await repo;
  const down = { askMeaning: async () => ({ unavailable: "the model is away" }) };
  const answer = await search({ query: "write a row to the disk", limit: 5 }, at, ids, down);
  expect(answer.hits[0]?.path).toBe("src/store.rs");
  expect(answer.notes).toEqual(["Searched by words only: the model is away."]);
  const semantically = await semantic({ ...PAGE, query: "write a row to the disk" }, at, ids, down);
  expect(semantically).toMatchObject({ mode: "lexical", notes: answer.notes });
  expect(semantically.hits[0]?.path).toBe("src/store.rs");
});
