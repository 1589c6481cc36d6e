import { expect, test } from "vitest";
import { decodeRows, encodeRows, type Field, int2, int4, int8, text } from "./copy.ts";

const HEAD_BYTES = 19;

const streamOf = (rows: readonly Field[][]) => [...encodeRows(rows)].map((chunk) => Buffer.from(chunk));

test("rows come back as they were given, however they are cut into chunks", () => {
  const large = Buffer.alloc(700_000, 7);
  const many = Array.from({ length: 3_000 }, (_, i): Field[] => [int4(i), Buffer.alloc(i % 300, i), null]);
  const rows: Field[][] = [[], [int2(-2), null, text("é")], [large], ...many, [Buffer.alloc(0)]];
  const chunks = streamOf(rows);
  expect(chunks.length).toBeGreaterThan(3);
  const read = decodeRows(Buffer.concat(chunks));
  expect(read.length).toBe(rows.length);
  for (const [i, row] of read.entries())
    expect(row.map((field) => field && Buffer.from(field))).toEqual(
      rows[i]!.map((field) => field && Buffer.from(field)),
    );
});

test("a chunk that was given is not written to again", () => {
  const rows = Array.from({ length: 4_000 }, (_, i): Field[] => [Buffer.alloc(200, i)]);
  const stream = encodeRows(rows);
  const first = stream.next().value as Buffer;
  const before = Buffer.from(first);
  Array.from(stream);
  expect(first.equals(before)).toBe(true);
});

test("no rows are a head and an end", () => expect(Buffer.concat(streamOf([])).length).toBe(HEAD_BYTES + 2));

test.each([0, 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 1_794_952_743_710, Number.MAX_SAFE_INTEGER, -1, -(2 ** 40) - 3])(
  "%d as the engine's bigint",
  (value) => expect(Buffer.from(int8(value)).readBigInt64BE()).toBe(BigInt(value)),
);
