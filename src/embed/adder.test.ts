import { describe, expect, test } from "vitest";
import { type Adder, plainAdder, roomFor } from "./adder.ts";

const TOKENS = 50;

/** Whole and broken weights, as those of words that come once and often; a row of zeroes among the others. */
function both(dims: number): { readonly fast: Adder; readonly plain: Adder } {
  // The rows stand at an odd place behind something else, as in a model's file.
  const room = roomFor(7 + TOKENS * dims);
  const rows = new Int8Array(room.file.buffer, room.file.byteOffset + 7, TOKENS * dims);
  for (let i = dims; i < rows.length; i++) rows[i] = ((i * 7919) % 256) - 128;
  return { fast: room.adderOf({ rows, dims }), plain: plainAdder({ rows, dims }) };
}

function sumOf(adder: Adder, count: number): Float32Array {
  for (let i = 0; i < count; i++)
    adder.weigh((i * 31) % TOKENS, Math.fround(0.1 + (i % 9)) * (1 + Math.log(1 + (i % 5))));
  return adder.sum().slice();
}

describe("the same bits, whoever adds them up", () => {
  const check = (dims: number, counts: readonly number[]) =>
    test(`${dims} dimensions, ${counts.join(", then ")} rows`, () => {
      const { fast, plain } = both(dims);
      for (const count of counts) {
        const sum = sumOf(fast, count);
        expect(new Uint32Array(sum.buffer)).toEqual(new Uint32Array(sumOf(plain, count).buffer));
        expect(sum.some((value) => value !== 0)).toBe(count > 1);
      }
    });

  check(256, [3, 80, 1, 0, 80]);
  check(16, [512, 513, 2_000, 0]);
  check(20, [3, 0, 700]);
});

test("where the rows are elsewhere, they are added all the same", () => {
  const rows = Int8Array.from({ length: 32 }, (_, i) => i);
  const adder = roomFor(8).adderOf({ rows, dims: 16 });
  adder.weigh(1, 2);
  expect([...adder.sum()]).toEqual(Array.from({ length: 16 }, (_, i) => 2 * (16 + i)));
});
