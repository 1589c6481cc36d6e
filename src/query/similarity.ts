/** From cosines, whose usual height differs from question to question, to shares that can be added to other evidence. */
import type { Candidate } from "./candidate.ts";
import { pathShare } from "./factors/path-class.ts";
import type { Question } from "./parsed-query.ts";

/** 0 at the pool's median and below, 1 at its best. */
export function similarityOf(texts: readonly Candidate[]): Map<Candidate, number> {
  const compared = texts.filter((it) => it.likeness !== undefined);
  const heights = Float64Array.from(compared, (it) => it.likeness!).sort();
  const usual = middle(heights);
  const best = heights.at(-1) ?? 0;
  const shares = new Map<Candidate, number>();
  for (const it of compared) shares.set(it, best > usual ? clip((it.likeness! - usual) / (best - usual)) : 0);
  return shares;
}

/** Shares of the closest file, judged as it will be: a test that repeats the question must not make others look small. */
export function fileSimilarityOf(question: Question, files: ReadonlyMap<string, number>): Map<string, number> {
  const usual = middle(Float64Array.from(files.values()).sort());
  let most = 0;
  files.forEach((height, path) => {
    most = Math.max(most, (height - usual) * pathShare(path, question.asked));
  });
  const shares = new Map<string, number>();
  files.forEach((height, path) => {
    shares.set(path, most > 0 ? clip((height - usual) / most) : 0);
  });
  return shares;
}

function middle(sorted: Float64Array): number {
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function clip(share: number): number {
  return Math.min(1, Math.max(0, share));
}
