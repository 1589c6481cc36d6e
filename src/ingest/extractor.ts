/** Which reading of a file is in the index, so that a fixed bug does not live on in files that nobody touched. */

import type { SecretSettings } from "./classify.ts";

/** Every change to what is extracted, chunked or indexed makes another number, and with it another file version. */
export const EXTRACTOR = "8";

/** With secrets a file has another text than without them, so it is another version of the file. */
export function extractorId({ includeSecrets }: SecretSettings): string {
  return includeSecrets ? `${EXTRACTOR}+secrets` : EXTRACTOR;
}

/**
 * A file that its parser gave up is a version of its own: text without symbols. It is shown for now, but nothing that
 * looks for what today's extractor makes of the content finds it, so the next run over the file parses it again.
 */
export function textOnly(extractor: string): string {
  return `${extractor}${TEXT_ONLY}`;
}

/** The extractor that would have read the file, had its parser not given up. */
export function withoutTextOnly(extractor: string): string {
  return extractor.endsWith(TEXT_ONLY) ? extractor.slice(0, -TEXT_ONLY.length) : extractor;
}

const TEXT_ONLY = "-text";

/** A file's stamp as the store keeps it: equal only when the file was not touched and would be read the same way. */
export function storedStamp(stamp: string, settings: SecretSettings): string {
  return `${extractorId(settings)} ${stamp}`;
}
