import { expect, test } from "vitest";
import type { SearchAnswer, SearchHit, SemanticAnswer } from "../../model/search.ts";
import type { FileRow } from "../../ports/snapshot.ts";
import type { SearchFindings } from "../../query/build-results.ts";
import { mergedMeaning, mergedSearch } from "./merge-answers.ts";

type Short = readonly [path: string, total: number, bm25: number];

const hitOf = ([path, total, bm25]: Short): SearchHit => ({
  type: "snippet",
  path,
  language: "rust",
  lineStart: 1,
  lineEnd: 2,
  text: "",
  score: 0.5,
  total,
  bm25,
  parts: [{ factor: "bm25", value: total, reason: "" }],
});

const answerOf = (intent: SearchAnswer["intent"], hits: readonly Short[]): SearchAnswer => ({
  intent,
  hits: hits.map(hitOf),
  totalCandidates: hits.length,
  suppressedDuplicates: 0,
  joins: { hits: 0, misses: 0 },
  completeness: "complete",
  notes: ["a note"],
});

const merged = async (intent: SearchAnswer["intent"], parts: Readonly<Record<string, readonly Short[]>>, limit = 9) =>
  (await mergedSearch(
    Object.entries(parts).map(([workspace, hits]) => ({ workspace, answer: { shown: answerOf(intent, hits) } })),
    limit,
    async () => undefined,
  ))!;
const shown = ({ hits }: SearchAnswer) => hits.map(({ workspace, path, total }) => `${workspace}:${path} ${total}`);

test("text counts as much as the workspace's best text matches", async () => {
  const parts = { a: [["x", 1.2, 3]], b: [["y", 1, 12] as const, ["z", 0.5, 6] as const] } as const;
  expect(shown(await merged("natural_language", parts))).toEqual(["b:y 1", "b:z 0.5", "a:x 0.3"]);
});

test("what was found by its name keeps its total", async () => {
  const parts = { a: [["named", 1.4, 0] as const, ["text", 0.6, 3] as const], b: [["y", 1, 12]] } as const;
  expect(shown(await merged("symbol", parts))).toEqual(["a:named 1.4", "b:y 1", "a:text 0.15"]);
});

test("equal totals go by workspace and path, whatever comes first", async () => {
  const parts = { b: [["x", 1, 5] as const, ["a", 1, 5] as const], a: [["z", 1, 5]] } as const;
  expect(shown(await merged("error", parts, 2))).toEqual(["a:z 1", "b:a 1"]);
});

test("only what is on the page is shown, and a workspace that fails while it is shown gives its places to others", async () => {
  const found = (paths: readonly string[], stateId: string): SearchFindings => {
    const places = paths.map((path, at) => {
      const file = { id: at, path, language: "rust", contentHash: path } as unknown as FileRow;
      return {
        candidate: { type: "snippet" as const, at, bm25: 4, file },
        total: 1 - at / 10,
        parts: [],
        byName: false,
      };
    });
    return { ...answerOf("natural_language", []), stateId, terms: [], places };
  };
  const shownPlaces: string[] = [];
  const ask = (isDown: boolean) =>
    mergedSearch(
      [
        { workspace: "a", answer: found(["x", "y"], "1") },
        { workspace: "b", answer: found(["x", "y"], "2") },
      ],
      2,
      async (workspace, { places }) => {
        if (isDown && workspace === "a") return undefined;
        shownPlaces.push(...places.map(({ candidate }) => `${workspace}:${candidate.file.path}`));
        const hits = places.map(({ candidate, total }): Short => [candidate.file.path, total, candidate.bm25]);
        return { ...answerOf("natural_language", hits), joins: { hits: hits.length, misses: 0 } };
      },
    );
  const both = (await ask(false))!;
  expect(shown(both)).toEqual(["a:x 1", "b:x 1"]);
  expect(shownPlaces).toEqual(["a:x", "b:x"]);
  expect(both).toMatchObject({ totalCandidates: 0, joins: { hits: 2, misses: 0 } });
  expect(shown((await ask(true))!)).toEqual(["b:x 1", "b:y 0.9"]);
});

test("parts add up to the total, scores fall with it, and notes are said once", async () => {
  const answer = await merged("natural_language", { a: [["x", 1.2, 3]], b: [["y", 1, 12]] });
  for (const { parts, total } of answer.hits)
    expect(parts.reduce((sum, { value }) => sum + value, 0)).toBeCloseTo(total, 6);
  expect(answer.hits.map(({ score }) => score)).toEqual(
    answer.hits.map(({ score }) => score).toSorted((a, b) => b - a),
  );
  expect(answer.notes).toEqual(["a note"]);
  expect(answer.totalCandidates).toBe(2);
});

test("no text anywhere, and nothing at all", async () => {
  expect(shown(await merged("natural_language", { a: [["x", 0.4, 0]], b: [["y", 0.6, 0]] }))).toEqual([
    "b:y 0.6",
    "a:x 0.4",
  ]);
  expect(await mergedSearch([], 5, async () => undefined)).toBeUndefined();
});

const meant = (hits: readonly (readonly [path: string, score: number])[], more: Partial<SemanticAnswer> = {}) => ({
  hits: hits.map(([path, score]) => ({ path, language: "rust", lineStart: 1, lineEnd: 2, score, text: "", tokens: 1 })),
  total: hits.length,
  mode: "semantic" as const,
  notes: [],
  completeness: "complete" as const,
  ...more,
});
const ASK = { query: "q", threshold: 0, offset: 0, limit: 9, context: 0 };

test("similarity is compared unscaled; ties go by workspace and path", () => {
  const parts = [
    { workspace: "b", answer: meant([["x", 0.9] as const, ["a", 0.7] as const]) },
    { workspace: "a", answer: meant([["z", 0.9] as const, ["y", 0.8] as const]) },
  ];
  const places = (answer: SemanticAnswer) => answer.hits.map(({ workspace, path }) => `${workspace}:${path}`);
  expect(places(mergedMeaning(parts, ASK))).toEqual(["a:z", "b:x", "a:y", "b:a"]);
  expect(mergedMeaning(parts, ASK)).toMatchObject({ total: 4, mode: "semantic", completeness: "complete" });
  expect(places(mergedMeaning(parts, { ...ASK, offset: 1, limit: 2 }))).toEqual(["b:x", "a:y"]);
  const few = mergedMeaning(parts, { ...ASK, offset: 2, limit: 9, topK: 3 });
  expect([places(few), few.total]).toEqual([["a:y"], 3]);
});

test("what one of them had to do without is said of all", () => {
  const parts = [
    { workspace: "a", answer: meant([], { notes: ["n"], completeness: "partial" }) },
    { workspace: "b", answer: meant([["x", 1]], { notes: ["n"], mode: "lexical" }) },
  ];
  expect(mergedMeaning(parts, ASK)).toMatchObject({ notes: ["n"], completeness: "partial", mode: "lexical" });
  expect(mergedMeaning([], ASK)).toMatchObject({ hits: [], total: 0, mode: "semantic", completeness: "complete" });
});
