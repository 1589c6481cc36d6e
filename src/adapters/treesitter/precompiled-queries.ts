/**
 * A compiled query as bytes, and back. Compiling walks the grammar's parse table for every pattern, 3.5 s over all
 * languages in every thread; a copy of what came out is there at once.
 *
 * Follows the layout of `TSQuery` in the tree-sitter that is installed. Whoever thaws must know that the same code
 * froze; a test reads every language's sample with both.
 */
import type { Core, Memory } from "./wasm-instance.ts";

/** The arrays of a query by the bytes of an element: names and values, steps, patterns, fields, symbols. */
const ELEMENT_BYTES = [1, 8, 1, 8, 12, 20, 6, 8, 28, 8, 2, 1, 2];
/** Of every pattern, how often it captures: an array each, which nothing here asks for. It is left out. */
const QUANTIFIERS = 4;
/** Where the elements are, how many there are, how many fit. */
const ARRAY_BYTES = 12;
const LANGUAGE_AT = ELEMENT_BYTES.length * ARRAY_BYTES;
const QUERY_BYTES = LANGUAGE_AT + 8;

/** The query itself, then the elements of its arrays. */
export function freeze(query: number, { buffer }: Memory): Uint8Array {
  const parts = [new Uint8Array(buffer, query, QUERY_BYTES)];
  for (const [i, elementBytes] of ELEMENT_BYTES.entries()) {
    const [at, count] = new Uint32Array(buffer, query + i * ARRAY_BYTES, 2) as unknown as [number, number];
    parts.push(
      i === QUANTIFIERS ? new Uint8Array(count * elementBytes) : new Uint8Array(buffer, at, count * elementBytes),
    );
  }
  return Buffer.concat(parts);
}

interface Into {
  readonly core: Core;
  readonly memory: Memory;
  /** Address of the language. */
  readonly language: number;
}

/** The query's address. Each array gets a block of its own, so that the query can be deleted like any other. */
export function thaw(frozen: Uint8Array, { core, memory, language }: Into): number {
  let from = 0;
  const place = (bytes: number) => {
    const at = bytes === 0 ? 0 : core._malloc(bytes);
    // Memory may have grown by the block, and then it is another buffer.
    new Uint8Array(memory.buffer, at, bytes).set(frozen.subarray(from, from + bytes));
    from += bytes;
    return at;
  };
  const query = place(QUERY_BYTES);
  for (const [i, elementBytes] of ELEMENT_BYTES.entries()) {
    const array = query + i * ARRAY_BYTES;
    const count = new Uint32Array(memory.buffer, array + 4, 1)[0]!;
    const at = place(count * elementBytes);
    new Uint32Array(memory.buffer, array, 3).set([at, count, count]);
  }
  new Uint32Array(memory.buffer, query + LANGUAGE_AT, 1)[0] = language;
  return query;
}
