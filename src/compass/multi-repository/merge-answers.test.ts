import { expect, test } from "vitest";
import type { SearchAnswer, SearchHit, SemanticAnswer } from "../../model/search.ts";
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

const merged = (intent: SearchAnswer["intent"], parts: Readonly<Record<string, readonly Short[]>>, limit = 9) =>
  mergedSearch(
    Object.entries(parts).map(([workspace, hits]) => ({ workspace, answer: answerOf(intent, hits) })),
    limit,
  )!;
const shown = ({ hits }: SearchAnswer) => hits.map(({ workspace, path, total }) => `${workspace}:${path} ${total}`);

test("text counts as much as the workspace's best text matches", () => {
  const parts = { a: [["x", 1.2, 3]], b: [["y", 1, 12] as const, ["z", 0.5, 6] as const] } as const;
  expect(shown(merged("natural_language", parts))).toEqual(["b:y 1", "b:z 0.5", "a:x 0.3"]);
});

test("what was found by its name keeps its total", () => {
  const parts = { a: [["named", 1.4, 0] as const, ["text", 0.6, 3] as const], b: [["y", 1, 12]] } as const;
  expect(shown(merged("symbol", parts))).toEqual(["a:named 1.4", "b:y 1", "a:text 0.15"]);
});

test("equal totals go by workspace and path, whatever comes first", () => {
  const parts = { b: [["x", 1, 5] as const, ["a", 1, 5] as const], a: [["z", 1, 5]] } as const;
  expect(shown(merged("error", parts, 2))).toEqual(["a:z 1", "b:a 1"]);
});

test("parts add up to the total, scores fall with it, and notes are said once", () => {
  const answer = merged("natural_language", { a: [["x", 1.2, 3]], b: [["y", 1, 12]] });
  for (const { parts, total } of answer.hits)
    expect(parts.reduce((sum, { value }) => sum + value, 0)).toBeCloseTo(total, 6);
  expect(answer.hits.map(({ score }) => score)).toEqual(
    answer.hits.map(({ score }) => score).toSorted((a, b) => b - a),
  );
  expect(answer.notes).toEqual(["a note"]);
  expect(answer.totalCandidates).toBe(2);
});

test("no text anywhere, and nothing at all", () => {
  expect(shown(merged("natural_language", { a: [["x", 0.4, 0]], b: [["y", 0.6, 0]] }))).toEqual(["b:y 0.6", "a:x 0.4"]);
  expect(mergedSearch([], 5)).toBeUndefined();
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

test("likeness is compared as it is; equal ones go by workspace and path", () => {
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
