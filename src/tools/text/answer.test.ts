import { expect, test } from "vitest";
import { errorText, noteLines } from "./answer.ts";

const COVERAGE = { files_indexed: 3, files_skipped: 1, skipped_reasons: { binary: 1 } };
const NEAR = ["Blueprint", "blueprint"];

const check = (name: string, results: object[], metadata: object, notes: string[]) =>
  test(name, () =>
    expect(noteLines({ results, metadata: { ref: "main", coverage: COVERAGE, ...metadata } })).toEqual(notes),
  );
check("a misspelt name", [], { did_you_mean: NEAR }, ["No such name at main. Did you mean Blueprint, blueprint?"]);
check("nothing to suggest", [], {}, ["Nothing found in 3 files at main. Skipped 1: 1 binary"]);
check("an absent query without results", [], { literal_match: "absent" }, [
  "Nothing found in 3 files at main: the query does not occur as a whole word. Skipped 1: 1 binary",
]);
check("an absent query with neighbours", [{}], { literal_match: "absent", did_you_mean: NEAR }, [
  "The query does not occur as a whole word in the indexed files. Did you mean Blueprint, blueprint?",
]);
check("results of which none fits", [], { omitted: { count: 7, suggestion: "Raise max_tokens." } }, [
  "7 found, but none fits the limit. Raise max_tokens.",
]);
check("results", [{}], { literal_match: "present" }, []);

test("an answer of several pages says how to get the next one, unless a next call does", () => {
  const pagination = { has_next: true, next_cursor: btoa('{"offset":2}'), page_size: 2, total_results: 5 };
  const body = { results: [{}, {}], pagination, metadata: { result_completeness: "complete" } };
  expect(noteLines(body)).toEqual(['5 results in all. For the next page, repeat the call with cursor {"offset":2}']);
  const metadata = { result_completeness: "truncated" };
  const next = [{ tool: "find_references", symbol_name: "x", limit: 5 }];
  expect(noteLines({ ...body, metadata, suggested_next_actions: next })).toEqual([
    'next: find_references {"symbol_name":"x","limit":5}',
  ]);
  expect(noteLines({ ...body, pagination: { ...pagination, has_next: false, next_cursor: null } })).toEqual([]);
});

test("a name that is missing because the first index is being built", () => {
  const error = { code: "symbol_not_found", message: "No symbol named x is indexed at main.", data: {} };
  const metadata = { indexing_status: "indexing", schema_status: "not_indexed" };
  expect(errorText({ error, metadata })).toMatch(/is still being built: ask again/);
  expect(errorText({ error, metadata: { ...metadata, schema_status: "compatible" } })).not.toMatch(/being built/);
});

test("a file without symbols", () =>
  expect(noteLines({ file_path: "src/index.ts", symbols: [], metadata: { coverage: COVERAGE } })).toEqual([
    "No symbols in src/index.ts.",
  ]));

test("an answer that counts what it checked says nothing more of an empty list", () =>
  expect(noteLines({ symbols: [], checked: 5, unused: 0, metadata: { ref: "main", coverage: COVERAGE } })).toEqual([]));
