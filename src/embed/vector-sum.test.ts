import { describe, expect, test } from "vitest";
import { quantise } from "./quantise.ts";
import { plainAdder, roomFor, type VectorSum } from "./vector-sum.ts";

const TOKENS = 50;

/** Whole and broken weights, as those of words that come once and often; a row of zeroes among the others. */
function both(dims: number): { readonly fast: VectorSum; readonly plain: VectorSum } {
  // The rows begin at an odd offset after other data, as in a model file.
  const room = roomFor(7 + TOKENS * dims);
  const rows = new Int8Array(room.file.buffer, room.file.byteOffset + 7, TOKENS * dims);
  for (let i = dims; i < rows.length; i++) rows[i] = ((i * 7919) % 256) - 128;
  return { fast: room.adderOf({ rows, dims }), plain: plainAdder({ rows, dims }) };
}

function weigh(adder: VectorSum, count: number): VectorSum {
  for (let i = 0; i < count; i++)
    adder.weigh((i * 31) % TOKENS, Math.fround(0.1 + (i % 9)) * (1 + Math.log(1 + (i % 5))));
  return adder;
}

function packed(adder: VectorSum, count: number, dims: number) {
  const bytes = new Int8Array(dims);
  const scale = weigh(adder, count).pack(bytes);
  return { bytes, scale };
}

describe("all implementations give the same bits", () => {
  const check = (dims: number, counts: readonly number[]) =>
    test(`${dims} dimensions, ${counts.join(", then ")} rows`, () => {
      const { fast, plain } = both(dims);
      for (const count of counts) {
        const sum = weigh(fast, count).sum().slice();
        const same = weigh(plain, count).sum().slice();
        expect(new Uint32Array(sum.buffer)).toEqual(new Uint32Array(same.buffer));
        expect(sum.some((value) => value !== 0)).toBe(count > 1);
        const bytes = packed(fast, count, dims);
        expect(bytes).toEqual(packed(plain, count, dims));
        expect(bytes.scale > 0).toBe(count > 1);
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

test("bytes are those of the sum, to within 1", () => {
  const { fast } = both(256);
  for (const count of [2, 80, 512, 700]) {
    const exact = new Int8Array(256);
    const scale = quantise(weigh(fast, count).sum(), exact);
    const found = packed(fast, count, 256);
    expect(found.scale).toBeCloseTo(scale, 6);
    expect(Math.max(...found.bytes.map((byte, i) => Math.abs(byte - exact[i]!)))).toBeLessThanOrEqual(1);
  }
});

test("no sum is too large for a row of the largest bytes", () => {
  const room = roomFor(32);
  const rows = new Int8Array(room.file.buffer, room.file.byteOffset, 32).fill(-128);
  const adder = room.adderOf({ rows, dims: 16 });
  for (let i = 0; i < 1_024; i++) adder.weigh(i & 1, 3);
  expect([...adder.sum()]).toEqual(new Array(16).fill(1_024 * 3 * -128));
});

test("halves go to the even number, in WebAssembly and without", () => {
  // 254 becomes 127, so that every odd number is a half.
  const row = Int8Array.from({ length: 16 }, (_, i) => (i === 0 ? 127 : i % 2 === 0 ? i : -i));
  const room = roomFor(32);
  const rows = new Int8Array(room.file.buffer, room.file.byteOffset, 32);
  rows.set(row);
  rows[16] = 127;
  const found = [room.adderOf({ rows, dims: 16 }), plainAdder({ rows, dims: 16 })].map((adder) => {
    adder.weigh(0, 1);
    adder.weigh(1, 1);
    const bytes = new Int8Array(16);
    adder.pack(bytes);
    return [...bytes];
  });
  expect(found[0]).toEqual([127, 0, 1, -2, 2, -2, 3, -4, 4, -4, 5, -6, 6, -6, 7, -8]);
  expect(found[1]).toEqual(found[0]);
});
