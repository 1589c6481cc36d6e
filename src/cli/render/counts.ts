/** Numbers as a person reads them. */
import type { Coverage } from "../../model/code.ts";

/** `1 file`, `12,345 files`. */
export function counted(number: number, thing: string): string {
  return `${number.toLocaleString("en-US")} ${thing}${number === 1 ? "" : "s"}`;
}

/** `Skipped 12: 8 binary, 4 too_large`; empty when nothing was. */
export function skippedText(coverage: Coverage | undefined): string {
  if (!coverage || coverage.filesSkipped === 0) return "";
  const reasons = Object.entries(coverage.skippedReasons)
    .sort(([a, x], [b, y]) => (y ?? 0) - (x ?? 0) || (a < b ? -1 : 1))
    .map(([reason, count]) => `${(count ?? 0).toLocaleString("en-US")} ${reason}`);
  return `Skipped ${coverage.filesSkipped.toLocaleString("en-US")}: ${reasons.join(", ")}`;
}
