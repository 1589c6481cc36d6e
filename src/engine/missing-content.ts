/** What a store says of files whose content is gone. */
import { CorruptionError } from "../segment/bytes.ts";

/** Throws `CorruptionError` where there are such files; `paths`: sorted. */
export function requireNoneMissing(paths: readonly string[]): void {
  const [first] = paths;
  if (first === undefined) return;
  const more = paths.length === 1 ? "" : ` and of ${paths.length - 1} other files`;
  throw new CorruptionError(`the content of ${first}${more} is missing`);
}
