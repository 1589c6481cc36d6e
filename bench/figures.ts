/** Percentiles of times, and rows of a table. */

/** The given percentile of the times, in milliseconds. */
export function share(times: readonly number[], part: number): string {
  return times.toSorted((a, b) => a - b)[Math.floor(part * (times.length - 1))]!.toFixed(1);
}

export function row(what: string, ...figures: string[]): void {
  console.log(`| ${what.replaceAll("|", "\\|")} | ${figures.join(" | ")} |`);
}
