/** The extractor version of a stored file: after a bug fix, unchanged files are read again, too. */

import type { SecretSettings } from "./classify.ts";

/** Increase it with every change to what is extracted, chunked or indexed: it is a part of the file version. */
export const EXTRACTOR = "34";

/** A file with and without masked secrets has two texts and so two versions. */
export function extractorId({ includeSecrets }: SecretSettings): string {
  return includeSecrets ? `${EXTRACTOR}+secrets` : EXTRACTOR;
}

/**
 * A file whose parser failed is a version of its own: text without symbols. It is shown for now, but it does not match
 * the current extractor, so the next run parses the file again.
 */
export function textOnly(extractor: string): string {
  return `${extractor}${TEXT_ONLY}`;
}

/** The extractor that would have read the file if its parser had not failed. */
export function withoutTextOnly(extractor: string): string {
  return extractor.endsWith(TEXT_ONLY) ? extractor.slice(0, -TEXT_ONLY.length) : extractor;
}

const TEXT_ONLY = "-text";

/** The stamp as stored: equal only if the file was not modified and would be read the same way. */
export function storedStamp(stamp: string, settings: SecretSettings): string {
  return `${extractorId(settings)} ${stamp}`;
}

/** Whether another extractor read the file, and it has not changed since. */
export function isReadByAnother(stored: string, stamp: string, settings: SecretSettings): boolean {
  return stamp !== "" && stored.endsWith(` ${stamp}`) && stored !== storedStamp(stamp, settings);
}
