import { expect, test } from "vitest";
import { createKernel, type Kernel, plainKernel, wasmKernel } from "./kernel.ts";

const ROWS_AT = 4096;

/** Dot products of pseudo-random rows, extremes among them. */
function dots(kernel: Kernel, dims: number, rows: number): number[] {
  kernel.grow(ROWS_AT + rows * dims);
  const bytes = new Int8Array(kernel.memory(), ROWS_AT, rows * dims);
  const query = new Int16Array(kernel.memory(), 0, dims);
  let seed = 7;
  const next = () => {
    seed = (Math.imul(seed, 1103515245) + 12345) | 0;
    return seed >> 16;
  };
  for (let i = 0; i < bytes.length; i++) bytes[i] = i < dims ? 127 : next() >> 8;
  for (let i = 0; i < dims; i++) query[i] = next() >> 3;
  kernel.dots(ROWS_AT, ROWS_AT + rows * dims, dims, 0, 2048);
  return [...new Int32Array(kernel.memory(), 2048, rows)];
}

test.each([16, 64, 256, 384])("WebAssembly and JavaScript agree on %i dimensions", (dims) => {
  const fast = dots(wasmKernel()!, dims, 50);
  expect(fast).toEqual(dots(plainKernel(), dims, 50));
  expect(new Set(fast).size).toBeGreaterThan(40);
});

test("nothing to do is nothing done", () => {
  const kernel = createKernel();
  new Int32Array(kernel.memory(), 0, 4).fill(9);
  kernel.dots(256, 256, 16, 512, 0);
  expect([...new Int32Array(kernel.memory(), 0, 4)]).toEqual([9, 9, 9, 9]);
});
