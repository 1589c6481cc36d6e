/** A vector in bytes: its largest component becomes ±127, and what is left of the scale is kept beside it. */

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
