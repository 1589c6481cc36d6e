/** Which reading of a file is in the index, so that a fixed bug does not live on in files that nobody touched. */

/** Every change to what is extracted, chunked or indexed makes another number, and with it another file version. */
export const EXTRACTOR = "8";

/**
 * A file that its parser gave up is a version of its own: text without symbols. It is shown for now, but nothing that
 * looks for what today's extractor makes of the content finds it, so the next run over the file parses it again.
 */
export const TEXT_ONLY = `${EXTRACTOR}-text`;

/** A file's stamp as the store keeps it: equal only when the file was not touched and would be read the same way. */
export function markOf(stamp: string): string {
  return `${EXTRACTOR} ${stamp}`;
}
