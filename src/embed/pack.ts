/** Vectors of any model, in numbers, as the store keeps them. */
import type { Vectors } from "../model/vectors.ts";
import { quantise } from "./quantise.ts";

/** Throws when a vector has another number of dimensions than the model. */
export function packVectors(rows: readonly ArrayLike<number>[], dims: number): Vectors {
  const bytes = new Int8Array(rows.length * dims);
  const scales = new Float32Array(rows.length);
  for (const [i, row] of rows.entries()) {
    scales[i] = quantise(Float32Array.from(checked(row, dims)), bytes.subarray(i * dims, (i + 1) * dims));
  }
  return { dims, rows: bytes, scales };
}

/** The same direction, of length 1; undefined for one that points nowhere. */
export function unitVector(row: ArrayLike<number>, dims: number): Float32Array | undefined {
  const values = Float32Array.from(checked(row, dims));
  const length = Math.hypot(...values);
  return length > 0 && Number.isFinite(length) ? values.map((value) => value / length) : undefined;
}

function checked(row: ArrayLike<number>, dims: number): ArrayLike<number> {
  if (row.length !== dims) throw new Error(`the model gave a vector of ${row.length} dimensions, not ${dims}`);
  return row;
}
