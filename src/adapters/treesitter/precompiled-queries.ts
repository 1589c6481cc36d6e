/**
 * A compiled query as bytes, and back. Compiling walks the grammar's parse table for every pattern: 1.1 s of CPU time for
 * C++, 0.6 s for TypeScript, in every thread (docs/decisions/0011-compiled-queries.md). The bytes are made when the
 * package is built.
 *
 * Depends on the layout of `TSQuery` in web-tree-sitter. The layout was checked for `KNOWN_CORE` alone: with another
 * release the build fails, and an installed package compiles its queries from source.
 */
import { crc32 } from "node:zlib";
import type { Language, Query } from "web-tree-sitter";
import { type Runtime, readCore } from "./runtime.ts";

/** CRC-32 of web-tree-sitter.wasm 0.27.1. */
const KNOWN_CORE = 0x3c622c53;

/** The arrays of a query by the bytes of an element: names and values, steps, patterns, fields, symbols. */
const ELEMENT_BYTES = [1, 8, 1, 8, 12, 20, 6, 8, 28, 8, 2, 1, 2];
/** Of every pattern, how often it captures: an array each, which nothing here asks for. It is left out. */
const QUANTIFIERS = 4;
/** Where the elements are, how many there are, how many fit. */
const ARRAY_BYTES = 12;
const LANGUAGE_AT = ELEMENT_BYTES.length * ARRAY_BYTES;
const QUERY_BYTES = LANGUAGE_AT + 8;

/** The query itself, then the elements of its arrays. */
export function freezeQuery(compiled: Query, { memory: { buffer } }: Runtime): Uint8Array {
  const query = addressOf(compiled);
  const parts = [new Uint8Array(buffer, query, QUERY_BYTES)];
  for (const [i, elementBytes] of ELEMENT_BYTES.entries()) {
    const [at, count] = new Uint32Array(buffer, query + i * ARRAY_BYTES, 2) as unknown as [number, number];
    parts.push(
      i === QUANTIFIERS ? new Uint8Array(count * elementBytes) : new Uint8Array(buffer, at, count * elementBytes),
    );
  }
  return Buffer.concat(parts);
}

/** The query that `freezeQuery` was given. The package still reads names and predicates from it. */
export function thawQuery(frozen: Uint8Array, source: string, language: Language, runtime: Runtime): Query {
  const { api, core } = runtime;
  const compile = core._ts_query_new;
  core._ts_query_new = (at) => thaw(frozen, at, runtime);
  try {
    return new api.Query(language, source);
  } finally {
    core._ts_query_new = compile;
  }
}

/** The query's address. Each array gets a block of its own, so that the query can be deleted like any other. */
function thaw(frozen: Uint8Array, language: number, { core, memory }: Runtime): number {
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

function addressOf(query: Query): number {
  return (query as unknown as readonly [number])[0];
}

/** Of all the sources of compiled queries; undefined where the layout of this tree-sitter is not known. */
export function checksumOf(...sources: readonly (string | Uint8Array)[]): number | undefined {
  const core = crc32(readCore());
  return core === KNOWN_CORE ? sources.reduce((sum: number, source) => crc32(source, sum), core) : undefined;
}

/** Checksum, the number of queries and their lengths; then the queries. */
export function packQueries(checksum: number, queries: readonly Uint8Array[]): Uint8Array {
  const head = Uint32Array.of(checksum, queries.length, ...queries.map(({ length }) => length));
  return Buffer.concat([new Uint8Array(head.buffer), ...queries]);
}

/** Undefined when they are of other queries, another grammar or another tree-sitter: then they are compiled. */
export function unpackQueries(bytes: Uint8Array, checksum: number | undefined): Uint8Array[] | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (bytes.length < 8 || view.getUint32(0, true) !== checksum) return undefined;
  const count = view.getUint32(4, true);
  let from = 8 + 4 * count;
  return Array.from({ length: count }, (_, i) => {
    const length = view.getUint32(8 + 4 * i, true);
    from += length;
    return bytes.subarray(from - length, from);
  });
}
