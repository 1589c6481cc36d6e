/** Percentiles of times, and rows of a table. */

export interface Figure {
  readonly what: string;
  readonly measured: string;
  readonly floor: string;
}

/** An issue of the localisation benchmark. */
export interface Issue {
  readonly set: string;
  readonly id: string;
  readonly repo: string;
  readonly base_commit: string;
  readonly text: string;
}

/** The given percentile of the times, in milliseconds. */
export function share(times: readonly number[], part: number): string {
  return times.toSorted((a, b) => a - b)[Math.floor(part * (times.length - 1))]!.toFixed(1);
}

export function row(what: string, ...figures: string[]): void {
  console.log(`| ${what.replaceAll("|", "\\|")} | ${figures.join(" | ")} |`);
}
