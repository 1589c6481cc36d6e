import { expect, test } from "vitest";
import { CompassError } from "../model/errors.ts";
import { findTool } from "./index.ts";
import { decode } from "./input.ts";

const search = findTool("search_code")!;

function refusal(raw: unknown): unknown {
  try {
    return decode(search, raw).input;
  } catch (error) {
    return error instanceof CompassError ? [error.code, error.data.parameter, error.data.reason] : error;
  }
}

test("defaults are filled in", () => {
  expect(decode(search, { query: "x" })).toEqual({
    input: { query: "x", limit: 10, detail_level: "signature", compact: false },
    warnings: [],
  });
});

test.each([
  [[], "arguments", "arguments must be an object"],
  ["x", "arguments", "arguments must be an object"],
  [{}, "query", "query must be a string"],
  [{ query: "x", limit: 1e308 }, "limit", "limit must be at most 9007199254740991"],
  [{ query: "x", limit: true }, "limit", "limit must be a number"],
  [{ query: "x", compact: "yes" }, "compact", "compact must be a boolean"],
  [{ query: "x", detail_level: 5 }, "detail_level", "detail_level must be one of: location, signature, context"],
])("%j is refused", (raw, parameter, reason) => {
  expect(refusal(raw)).toEqual(["invalid_input", parameter, reason]);
});

test("a field named __proto__ is a field", () => {
  const raw = JSON.parse('{"query":"x","__proto__":{"limit":3}}');
  expect(decode(search, raw)).toMatchObject({
    input: { limit: 10 },
    warnings: ['Unknown parameters were ignored: "__proto__".'],
  });
});

test("a cut is reported", () => {
  const { input, warnings } = decode(search, { query: "y".repeat(70_000), limit: 201 });
  expect([(input.query as string).length, input.limit, warnings.length]).toEqual([65_536, 200, 2]);
});
