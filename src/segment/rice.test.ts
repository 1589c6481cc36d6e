import fc from "fast-check";
import { expect, test } from "vitest";
import { ByteCursor, ByteWriter } from "./bytes.ts";
import { keepNumbers, readNumbers, writeNumbers } from "./rice.ts";

/** Written behind a byte and read back; what follows is found again. */
function around(numbers: readonly number[], limit: number): readonly number[] {
  const out = new ByteWriter();
  out.byte(7);
  writeNumbers(out, { numbers: Uint32Array.from(numbers), from: 0, to: numbers.length }, limit);
  out.byte(9);
  const bytes = out.bytes.slice(0, out.length);
  const cursor = new ByteCursor(bytes, 1);
  const read: number[] = [];
  readNumbers(cursor, numbers.length, (number) => read.push(number));
  expect(bytes[cursor.at]).toBe(9);
  return read;
}

test("any numbers come back, in their order", () => {
  const lists = fc.uniqueArray(fc.nat(5_000), { minLength: 2, maxLength: 400 }).map((all) => all.sort((a, b) => a - b));
  fc.assert(
    fc.property(lists, fc.nat(20_000), (list, more) => {
      expect(around(list, 5_001 + more)).toEqual(list);
    }),
  );
});

test("gaps that no four bytes hold come back", () => {
  const run = (from: number) => Array.from({ length: 200 }, (_, i) => from + i);
  for (let gap = 20; gap < 80; gap++) {
    const list = [...run(0), ...run(200 + gap)];
    expect(around(list, 1_000)).toEqual(list);
  }
  const far = [0, 1, 2 ** 31 - 2];
  expect(around(far, 2 ** 31)).toEqual(far);
});

test("of some numbers, those that a list has are kept", () => {
  const lists = fc.uniqueArray(fc.nat(300), { minLength: 2, maxLength: 300 }).map((all) => all.sort((a, b) => a - b));
  fc.assert(
    fc.property(lists, lists, fc.nat(2_000), (list, some, more) => {
      const out = new ByteWriter();
      writeNumbers(out, { numbers: Uint32Array.from(list), from: 0, to: list.length }, 301 + more);
      const cursor = new ByteCursor(out.bytes.slice(0, out.length), 0);
      const numbers = Uint32Array.from(some);
      const kept = keepNumbers(cursor, list.length, numbers, numbers.length);
      expect([...numbers.subarray(0, kept)]).toEqual(some.filter((number) => list.includes(number)));
      expect(cursor.at).toBe(out.length);
    }),
  );
});
