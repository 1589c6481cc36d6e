/** Vectors in bytes, as the store keeps them: the largest component becomes ±127, and the scale is kept beside it. */
import type { Vectors } from "../model/vectors.ts";

/** Writes the bytes and returns the scale: 1 / length of the bytes as a vector, so that dot × scale × scale is a cosine. */
export function quantise(vector: Float32Array, into: Int8Array): number {
  let most = 0;
  for (let i = 0; i < vector.length; i++) most = Math.max(most, Math.abs(vector[i]!));
  // No known word, or numbers that are none: a vector that is like nothing.
  if (!(most > 0 && most < Number.POSITIVE_INFINITY)) {
    into.fill(0);
    return 0;
  }
  const grow = 127 / most;
  let squares = 0;
  for (let i = 0; i < vector.length; i++) {
    const byte = Math.round(vector[i]! * grow);
    into[i] = byte;
    squares += byte * byte;
  }
  return Math.fround(1 / Math.sqrt(squares));
}

/** A question, finer: 16 bits cost the kernel nothing and make rescoring needless. */
export function quantiseQuery(vector: Float32Array, into: Int16Array): number {
  let most = 0;
  for (let i = 0; i < vector.length; i++) most = Math.max(most, Math.abs(vector[i]!));
  if (!(most > 0 && most < Number.POSITIVE_INFINITY)) return 0;
  // 127 × QUERY_MOST × 4,096 dimensions stay below 2³¹.
  const grow = QUERY_MOST / most;
  let squares = 0;
  for (let i = 0; i < vector.length; i++) {
    const value = Math.round(vector[i]! * grow);
    into[i] = value;
    squares += value * value;
  }
  return 1 / Math.sqrt(squares);
}

const QUERY_MOST = 4095;

/** The same for a sum of whole numbers, in 32-bit steps: writes the bytes and returns the sum of their squares. */
export function packRow(sums: Int32Array, into: Int8Array): number {
  let most = 0;
  for (let i = 0; i < sums.length; i++) most = Math.max(most, Math.abs(sums[i]!));
  const grow = Math.fround(127 / Math.fround(most));
  let squares = 0;
  for (let i = 0; i < sums.length; i++) {
    const byte = most === 0 ? 0 : nearest(Math.fround(Math.fround(sums[i]!) * grow));
    into[i] = byte;
    squares += byte * byte;
  }
  return squares;
}

function nearest(value: number): number {
  const up = Math.round(value);
  return up - value === 0.5 && up % 2 !== 0 ? up - 1 : up;
}

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
