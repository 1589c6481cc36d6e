import { expect, test } from "vitest";
import { countWords, eachTerm } from "../text/terms.ts";
import { SegmentBuilder } from "./build.ts";
import { CorruptionError } from "./bytes.ts";
import { cutIntoParts, readHead } from "./format.ts";
import { mergeSegments } from "./merge.ts";
import {
  eachSymbolNamed,
  type NameMatch,
  openSegment,
  type Segment,
  segmentFromSections,
  symbolsWithId,
} from "./read.ts";

type Fixture = { chunks: string[]; symbols?: string[] };

function build(files: readonly Fixture[], from = 0): Segment {
  return openSegment(bytesOf(files, from));
}

function bytesOf(files: readonly Fixture[], from = 0): Uint8Array {
  const builder = new SegmentBuilder();
  for (const [at, file] of files.entries()) {
    builder.beginFile();
    for (const chunk of file.chunks) {
      builder.beginChunk();
      for (const term of chunk.split(" ").filter(Boolean)) builder.term(term);
    }
    for (const name of file.symbols ?? []) builder.symbol(name, `sym_${from + at}_${name}`, `b3:${name}`);
  }
  return builder.finish();
}

function postings(segment: Segment, term: string): [number, number][] {
  const found: [number, number][] = [];
  const at = segment.terms.find(term);
  if (at >= 0) segment.postings.each(at, (chunk, count) => found.push([chunk, count]));
  return found;
}

function named(segment: Segment, name: string, match: NameMatch): string[] {
  const found: string[] = [];
  eachSymbolNamed(segment, name, match, (file, index, spelt) => found.push(`${file}:${index}:${spelt}`));
  return found;
}

const FILES: Fixture[] = [
  { chunks: ["get user by id get", "user"], symbols: ["getUser", "User"] },
  { chunks: [], symbols: [] },
  { chunks: ["übung 𝒳 \uffee user"], symbols: ["user", "GETUSER", "getUser", ""] },
];

test("terms are found with their chunks and counts", () => {
  const segment = build(FILES);
  expect(segment).toMatchObject({ fileCount: 3, chunkCount: 3, symbolCount: 6 });
  expect(postings(segment, "get")).toEqual([[0, 2]]);
  expect(postings(segment, "user")).toEqual([
    [0, 1],
    [1, 1],
    [2, 1],
  ]);
  expect(postings(segment, "us")).toEqual([]);
  expect([...segment.chunkLengths]).toEqual([5, 1, 4]);
});

test("terms beyond ASCII sort as bytes and are found", () => {
  const segment = build(FILES);
  for (const term of ["übung", "𝒳", "\uffee"]) expect(postings(segment, term)).toEqual([[2, 1]]);
});

test("a builder counts what it was given", () => {
  const builder = new SegmentBuilder();
  builder.beginFile();
  builder.beginChunk();
  builder.term("old", 3);
  expect([builder.fileCount, builder.chunkCount]).toEqual([1, 1]);
  const first = openSegment(builder.finish());
  expect(postings(first, "old")).toEqual([[0, 3]]);
  expect(first).toMatchObject({ fileCount: 1, chunkCount: 1, symbolCount: 0 });
});

test.each([
  ["getUser", "exact", ["0:0:getUser", "2:2:getUser"]],
  ["getuser", "exact", []],
  ["user", "exact", ["2:0:user"]],
  ["GetUser", "folded", ["2:1:GETUSER", "0:0:getUser", "2:2:getUser"]],
  ["USER", "folded", ["2:0:user", "0:1:User"]],
  ["g", "prefix", ["2:1:GETUSER", "0:0:getUser", "2:2:getUser"]],
  ["use", "folded", []],
] as const)("symbols by name: %s, %s", (name, match, expected) => {
  expect(named(build(FILES), name, match)).toEqual(expected);
});

test("symbols by either id", () => {
  const segment = build(FILES);
  expect(symbolsWithId(segment, "sym_2_user")).toEqual([{ file: 2, index: 0 }]);
  expect(symbolsWithId(segment, "b3:getUser")).toEqual([
    { file: 0, index: 0 },
    { file: 2, index: 2 },
  ]);
  expect(symbolsWithId(segment, "b3:getUse")).toEqual([]);
});

test("a merge of kept files equals a build of them, byte for byte", () => {
  const more: Fixture[] = [
    { chunks: ["user get", "rare"], symbols: ["Other"] },
    { chunks: ["gone"], symbols: ["Gone"] },
  ];
  const merged = mergeSegments([
    { segment: build(FILES), keep: () => true },
    { segment: build(more, 3), keep: (file) => file === 0 },
  ]);
  expect(merged).toEqual(bytesOf([...FILES, more[0]!]));
});

test("every flipped byte and every cut is found", () => {
  const bytes = bytesOf(FILES);
  for (let at = 0; at < bytes.length; at++) {
    const damaged = bytes.slice();
    damaged[at]! ^= 1 << (at % 8);
    expect(() => openSegment(damaged).check()).toThrow(CorruptionError);
  }
  for (let length = 0; length < bytes.length; length += 7) {
    expect(() => openSegment(bytes.slice(0, length))).toThrow(CorruptionError);
  }
});

test("parts are read when they are needed, and checked then", () => {
  const { head, parts } = cutIntoParts(bytesOf(FILES));
  const read: number[] = [];
  const load = (damage: number) => (at: number, length: number) => {
    const { start, bytes } = parts.findLast((part) => part.start <= at)!;
    read.push(start);
    const found = bytes.slice(at - start, at - start + length);
    if (start === damage) found[0]! ^= 1;
    return found;
  };
  const names = parts[2]!.start;
  const segment = segmentFromSections(readHead(head, load(names)));
  expect(new Set(read)).toEqual(new Set([parts[0]!.start]));
  expect(postings(segment, "get")).toEqual([[0, 2]]);
  expect(new Set(read)).toEqual(new Set([parts[0]!.start, parts[1]!.start]));
  expect(() => named(segment, "a", "exact")).toThrow(CorruptionError);
  expect(() => segmentFromSections(readHead(head, load(parts[0]!.start)))).toThrow(CorruptionError);
});

test("bytes that do not lie on a word boundary are copied", () => {
  const bytes = bytesOf(FILES);
  const shifted = new Uint8Array(bytes.length + 1);
  shifted.set(bytes, 1);
  expect(postings(openSegment(shifted.subarray(1)), "get")).toEqual([[0, 2]]);
});

test("words that two segments under construction share count in each like their terms", () => {
  const text = "readToken(token, read_token) readToken";
  const [byTerm, byWord, other] = [new SegmentBuilder(), new SegmentBuilder(), new SegmentBuilder()];
  for (const builder of [byTerm, byWord, other]) builder.beginFile();
  for (const builder of [byTerm, byWord, other]) builder.beginChunk();
  eachTerm(text, (term) => byTerm.term(term));
  other.term("before");
  other.words(countWords(text));
  byWord.words(countWords(text));
  expect(byWord.finish()).toEqual(byTerm.finish());
});
