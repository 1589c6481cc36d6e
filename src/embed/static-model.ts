/**
 * A static embedding model as bytes: a vocabulary with its hash table, two weights a token, one int8 row a token, and the
 * matrix that takes a question to where code is.
 * Nothing is built at load but views on the bytes, so that opening costs one pass over them, in whichever thread.
 */

/** "CCSE": codecompass static embedding. */
const MAGIC = 0x45534343;
const VERSION = 2;
/** Magic, version, dimensions, tokens, slots, bytes of the words, checksum of the body, reserved; then the fingerprint. */
const HEADER_BYTES = 64;
const FINGERPRINT_AT = 32;

export interface StaticModel {
  /** 64 hex digits: BLAKE3 of the body. Vectors of models with different fingerprints are never compared. */
  readonly fingerprint: string;
  readonly dims: number;
  readonly vocabulary: Vocabulary;
  readonly queryWeights: Float32Array;
  readonly documentWeights: Float32Array;
  /** `dims` × `dims`; row i is what component i of a question's sum becomes. */
  readonly queryMap: Float32Array;
  /** Row t is `rows[t * dims …]`; its scale is in the weights. */
  readonly rows: Int8Array;
}

export interface Vocabulary {
  readonly size: number;
  /** Longest word, in bytes. */
  readonly longest: number;
  /** Word t is `words[starts[t] … starts[t + 1]]`; a piece that continues a word begins with `##`. */
  readonly words: Uint8Array;
  readonly starts: Uint32Array;
  /** Open addressing: token + 1, or 0; a power of two of them. */
  readonly slots: Uint32Array;
}

/** Parts of a model before they are bytes; `pack` is for training. */
export interface ModelParts {
  readonly dims: number;
  readonly words: readonly string[];
  readonly queryWeights: Float32Array;
  readonly documentWeights: Float32Array;
  readonly queryMap: Float32Array;
  readonly rows: Int8Array;
}

/** Checksums are passed in, because the core imports no package. */
export interface Checksums {
  readonly crc32: (bytes: Uint8Array) => number;
  readonly blake3: (bytes: Uint8Array) => string;
}

/** Throws when the bytes are no model, of another version, cut short or damaged. */
export function openModel(given: Uint8Array, crc32: Checksums["crc32"]): StaticModel {
  // Typed arrays begin at multiples of their element.
  const bytes = given.byteOffset % 8 === 0 ? given : given.slice();
  if (bytes.length < HEADER_BYTES) throw new Error("the model file is cut short");
  const [magic, version, dims, size, slotCount, wordBytes, sum] = wordsAt(bytes, 0, 8) as unknown as number[];
  if (magic !== MAGIC) throw new Error("not a model file");
  if (version !== VERSION) throw new Error(`the model file has format ${version}, this release reads ${VERSION}`);
  const layout = layoutOf(dims!, size!, slotCount!, wordBytes!);
  if (bytes.length !== layout.end) throw new Error("the model file is cut short or has a tail");
  if (crc32(bytes.subarray(HEADER_BYTES)) !== sum) throw new Error("the model file is damaged");
  const words = bytes.subarray(layout.words, layout.words + wordBytes!);
  const starts = wordsAt(bytes, layout.starts, size! + 1);
  let longest = 0;
  for (let t = 0; t < size!; t++) longest = Math.max(longest, starts[t + 1]! - starts[t]!);
  return {
    fingerprint: hex(bytes.subarray(FINGERPRINT_AT, HEADER_BYTES)),
    dims: dims!,
    vocabulary: { size: size!, longest, words, starts, slots: wordsAt(bytes, layout.slots, slotCount!) },
    queryWeights: new Float32Array(bytes.buffer, bytes.byteOffset + layout.queryWeights, size),
    documentWeights: new Float32Array(bytes.buffer, bytes.byteOffset + layout.documentWeights, size),
    queryMap: new Float32Array(bytes.buffer, bytes.byteOffset + layout.queryMap, dims! * dims!),
    rows: new Int8Array(bytes.buffer, bytes.byteOffset + layout.rows, size! * dims!),
  };
}

export function packModel(parts: ModelParts, { crc32, blake3 }: Checksums): Uint8Array {
  const encoded = parts.words.map((word) => new TextEncoder().encode(word));
  const wordBytes = encoded.reduce((sum, word) => sum + word.length, 0);
  const slotCount = 2 ** Math.ceil(Math.log2(Math.max(2, parts.words.length * 2)));
  const layout = layoutOf(parts.dims, parts.words.length, slotCount, wordBytes);
  const bytes = new Uint8Array(layout.end);
  bytes.set(bytesOf(parts.queryWeights), layout.queryWeights);
  bytes.set(bytesOf(parts.documentWeights), layout.documentWeights);
  bytes.set(bytesOf(parts.queryMap), layout.queryMap);
  bytes.set(bytesOf(parts.rows), layout.rows);
  const starts = wordsAt(bytes, layout.starts, parts.words.length + 1);
  const slots = wordsAt(bytes, layout.slots, slotCount);
  for (const [t, word] of encoded.entries()) {
    bytes.set(word, layout.words + starts[t]!);
    starts[t + 1] = starts[t]! + word.length;
    let slot = hashOf(word, 0, word.length, HASH_START) & (slotCount - 1);
    while (slots[slot] !== 0) slot = (slot + 1) & (slotCount - 1);
    slots[slot] = t + 1;
  }
  const body = bytes.subarray(HEADER_BYTES);
  wordsAt(bytes, 0, 7).set([MAGIC, VERSION, parts.dims, parts.words.length, slotCount, wordBytes, crc32(body)]);
  bytes.set(unhex(blake3(body)), FINGERPRINT_AT);
  return bytes;
}

/** FNV-1a, so that a hash can continue where another one ended. */
export const HASH_START = 0x811c9dc5;
/** `hashOf` of `##`. */
export const HASH_PIECE = step(step(HASH_START, 0x23), 0x23);

export function step(hash: number, byte: number): number {
  return Math.imul(hash ^ byte, 0x01000193);
}

function hashOf(bytes: Uint8Array, from: number, to: number, start: number): number {
  let hash = start;
  for (let i = from; i < to; i++) hash = step(hash, bytes[i]!);
  return spread(hash);
}

/** The low bits choose the slot; FNV's are poor for short words. */
export function spread(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (mixed ^ (mixed >>> 13)) >>> 0;
}

function layoutOf(dims: number, size: number, slotCount: number, wordBytes: number) {
  const queryWeights = HEADER_BYTES;
  const documentWeights = queryWeights + 4 * size;
  const queryMap = documentWeights + 4 * size;
  const starts = queryMap + 4 * dims * dims;
  const slots = starts + 4 * (size + 1);
  const rows = slots + 4 * slotCount;
  const words = rows + size * dims;
  return { queryWeights, documentWeights, queryMap, starts, slots, rows, words, end: words + wordBytes };
}

function wordsAt(bytes: Uint8Array, offset: number, length: number): Uint32Array {
  return new Uint32Array(bytes.buffer, bytes.byteOffset + offset, length);
}

function bytesOf(view: Float32Array | Int8Array): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function unhex(text: string): Uint8Array {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
