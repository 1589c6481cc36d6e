/**
 * Which stored rows belong together, and how a reader notices that some of them are gone.
 *
 * Databases hand back what they find: a lost row looks like a row that never existed. So each file version says what was
 * stored for it, and a reader that finds less throws `CorruptionError` instead of answering from the rest. Engines only
 * fetch the rows.
 */
import { CorruptionError } from "../segment/bytes.ts";

/** What a file version says about a blob that was never stored. */
const NO_BLOB = 0;

/**
 * Ties a blob to its file version: every stored blob starts with its own CRC, so a short hash of that word and the
 * version is enough. A blob that a damaged page shows under another version has another mark.
 */
export function blobMark(version: number, bytes: Uint8Array | undefined): number {
  if (bytes === undefined || bytes.length === 0) return NO_BLOB;
  if (bytes.length < 4) return -1;
  const crc = bytes[0]! | (bytes[1]! << 8) | (bytes[2]! << 16) | (bytes[3]! << 24);
  const mixed = Math.imul(crc ^ Math.imul(version, 0x9e3779b1), 0x85ebca6b);
  return (mixed ^ (mixed >>> 15)) >>> 0 || 1;
}

/** What a file version says of its facts and vectors; null where an earlier release stored it and did not say. */
export interface StoredMarks {
  /** `blobMark` of the facts. */
  readonly facts: number | null;
  /** Key of the model that embedded the file last. */
  readonly embedded: string | null;
}

export const NO_MARKS: StoredMarks = { facts: null, embedded: null };

/** Throws `CorruptionError` unless the facts are the ones that were stored with the version. */
export function requireFacts(version: number, marks: StoredMarks, bytes: Uint8Array | undefined): void {
  if (marks.facts === null || marks.facts === blobMark(version, bytes)) return;
  const problem = bytes === undefined ? "are missing" : "belong to another file";
  throw new CorruptionError(`the facts of file version ${version} ${problem}`);
}

/** Throws `CorruptionError` when the version was embedded with this model and its vectors cannot be found. */
export function requireNoVectors(version: number, marks: StoredMarks, model: string): void {
  if (marks.embedded === model) throw new CorruptionError(`the vectors of file version ${version} are missing`);
}

/** What is wrong where the content of some files is lost. */
export function missingContent([first, ...others]: readonly string[]): string {
  const more = others.length === 0 ? "" : ` and of ${others.length} other files`;
  return `the content of ${first}${more} is missing`;
}
