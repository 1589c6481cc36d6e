/** Which reading of a file is in the index, so that a fixed bug does not live on in files that nobody touched. */

/** Every change to what is extracted, chunked or indexed makes another number, and with it another file version. */
export const EXTRACTOR = "8";

/** A file's stamp as the store keeps it: equal only when the file was not touched and would be read the same way. */
export function markOf(stamp: string): string {
  return `${EXTRACTOR} ${stamp}`;
}
