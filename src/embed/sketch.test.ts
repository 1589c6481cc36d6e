import fc from "fast-check";
import { expect, test } from "vitest";
import { SKETCH_BYTES, sketchOf } from "./sketch.ts";

const hex = (sketch: Uint8Array) => Buffer.from(sketch).toString("hex");

function bitsApart(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const [x, y] = [sketchOf(a), sketchOf(b)];
  return x.reduce((sum, byte, at) => sum + (byte ^ y[at]!).toString(2).replaceAll("0", "").length, 0);
}

/** A direction, and one that is turned away from it by an angle. */
function turned(dims: number, seed: number, angle: number): [number[], number[]] {
  let state = seed;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
  const unit = (row: number[]) => {
    const length = Math.hypot(...row);
    return row.map((value) => value / length);
  };
  const a = unit(Array.from({ length: dims }, next));
  const other = unit(Array.from({ length: dims }, next));
  const along = a.reduce((sum, value, i) => sum + value * other[i]!, 0);
  const across = unit(other.map((value, i) => value - along * a[i]!));
  return [a, a.map((value, i) => Math.cos(angle) * value + Math.sin(angle) * across[i]!)];
}

test("sketches are stored: they are the same in every release", () => {
  const vector = Int8Array.from({ length: 256 }, (_, i) => ((i * 37) % 255) - 127);
  expect(hex(sketchOf(vector))).toMatchInlineSnapshot(
    `"5ff7564585147b8cf1628e684e44177e2eb9a135a1297b1d6cfb5310fdd4d8d7adfe31d7742555abd74b4e1e3fd39681ac53e4af90d5b76061ad5e7116d6c6fb"`,
  );
  expect(hex(sketchOf([3, -1, 2]))).toMatchInlineSnapshot(
    `"000000ee7700ee77dd00000077bb0000eeee0000000077bb77000077bb0077000077dd77dd00bb0000eeee00bbbb00eebbeeee00007700bbddddee0000007700"`,
  );
});

test.each([3, 4, 100, 256, 384, 768, 1536])("bits of %i numbers differ as the angle grows", (dims) => {
  const seeds = Array.from({ length: 20 }, (_, at) => at + 1);
  const apart = (angle: number) =>
    seeds.reduce((sum, seed) => sum + bitsApart(...turned(dims, seed, angle)), 0) / seeds.length;
  const bits = 8 * SKETCH_BYTES;
  expect(apart(0)).toBe(0);
  for (const angle of [0.3, 0.8, Math.PI / 2]) {
    const expected = (bits * angle) / Math.PI;
    expect(Math.abs(apart(angle) - expected)).toBeLessThan(bits * (dims < 8 ? 0.15 : 0.04));
  }
});

test("a vector's length does not count, nor is what was sketched before it remembered", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -127, max: 127 }), { minLength: 1, maxLength: 40 }), (vector) => {
      const sketch = hex(sketchOf(vector));
      expect(hex(sketchOf(vector.map((value) => 3 * value)))).toBe(sketch);
      sketchOf([1, 2, 3, 4, 5, 6, 7, 8, 9]);
      expect(hex(sketchOf(Float32Array.from(vector)))).toBe(sketch);
    }),
  );
});

test("a vector that is like nothing is one of the others", () => {
  expect(hex(sketchOf(new Int8Array(256)))).toBe("00".repeat(SKETCH_BYTES));
});
