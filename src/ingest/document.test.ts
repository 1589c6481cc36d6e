import { expect, test } from "vitest";
import type { CodeSymbol, FileRecord } from "../model/code.ts";
import { countFileWords } from "./document.ts";

const symbol = (name: string, lineStart: number, lineEnd: number, more: Partial<CodeSymbol> = {}): CodeSymbol => ({
  kind: "fn",
  name,
  qualifiedName: name,
  span: { start: lineStart, end: lineEnd, lineStart, lineEnd },
  ordinal: 0,
  ...more,
});
const symbols = [
  symbol("Outer", 1, 90, { kind: "class" }),
  symbol("import_me", 1, 1, { kind: "use" }),
  symbol("middle", 10, 80, { parent: 0 }),
  symbol("after", 85, 86),
];

function terms(path: string, lineStart: number, lineEnd: number, text: string, at?: number): Map<string, number> {
  const found = new Map<string, number>();
  const chunk = { lineStart, lineEnd, ...(at !== undefined && { symbol: at }) };
  const record = { path, symbols, chunks: [chunk] } as unknown as FileRecord;
  // The chunk's own line is its first.
  const { path: place, chunks } = countFileWords({ record, text: "\n".repeat(lineStart - 1) + text });
  for (const { words, counts } of [place, chunks[0]!.lines, chunks[0]!.names])
    for (const [i, { terms }] of words.entries())
      for (const term of [terms].flat()) found.set(term, (found.get(term) ?? 0) + counts[i]!);
  return found;
}

test("text, file name twice, last directories once", () => {
  const found = terms("a/b/deep/auth/jwt_token.rs", 200, 201, "let x = 1;");
  expect([
    found.get("let"),
    found.get("jwt"),
    found.get("auth"),
    found.get("deep"),
    found.get("b"),
    found.get("a"),
  ]).toEqual([1, 2, 1, 1, 1, undefined]);
});

test("the middle of a function is found by the names around it, each once", () => {
  const found = terms("x.rs", 30, 40, "loop", 2);
  expect([found.get("middle"), found.get("outer"), found.get("after")]).toEqual([1, 1, undefined]);
});

test("what begins in the chunk counts once more than its text; imports do not", () => {
  const found = terms("x.rs", 1, 12, "class Outer import_me fn middle", 0);
  expect([found.get("outer"), found.get("middle"), found.get("import_me")]).toEqual([2, 2, 1]);
});

test("a chunk has the words of its lines, the first and the last included, and no others", () => {
  const chunks = [
    { lineStart: 1, lineEnd: 2 },
    { lineStart: 3, lineEnd: 3 },
    { lineStart: 4, lineEnd: 5 },
  ];
  const record = { path: "x.txt", symbols: [], chunks } as unknown as FileRecord;
  const text = "one\ntwo\nthree\nfour\nfive";
  const found = countFileWords({ record, text }).chunks.map(({ lines }) => lines.words.map(({ text }) => text));
  expect(found).toEqual([["one", "two"], ["three"], ["four", "five"]]);
});
