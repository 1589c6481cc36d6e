/** From cosines, whose usual height differs from question to question, to shares that can be added to other evidence. */
import type { Candidate } from "./candidate.ts";
import { pathShare } from "./factors/path-class.ts";
import type { Question } from "./question.ts";

/** 0 at the pool's median and below, 1 at its best. */
export function similarityOf(texts: readonly Candidate[]): Map<Candidate, number> {
  const compared = texts.filter((it) => it.likeness !== undefined);
  const heights = compared.map((it) => it.likeness!).sort((a, b) => a - b);
  const usual = middle(heights);
  const best = heights.at(-1) ?? 0;
  return new Map(compared.map((it) => [it, best > usual ? clip((it.likeness! - usual) / (best - usual)) : 0]));
}

/** Shares of the closest file, judged as it will be: a test that repeats the question must not make others look small. */
export function fileSimilarityOf(question: Question, files: ReadonlyMap<string, number>): Map<string, number> {
  const usual = middle([...files.values()].sort((a, b) => a - b));
  let most = 0;
  for (const [path, height] of files) most = Math.max(most, (height - usual) * pathShare(path, question.asked));
  return new Map([...files].map(([path, height]) => [path, most > 0 ? clip((height - usual) / most) : 0]));
}

function middle(sorted: readonly number[]): number {
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function clip(share: number): number {
  return Math.min(1, Math.max(0, share));
}
