/** How close the chunk comes to the question in meaning: the model's judgement, with its magnitude. */
import type { Candidate, Factor, Pool } from "../candidate.ts";

const CAP = 0.2;

export default { name: "semantic_similarity", cap: CAP, value, reason } satisfies Factor;

function value(candidate: Candidate, { similarity }: Pool): number {
  return CAP * (similarity.get(candidate) ?? 0);
}

function reason(candidate: Candidate, { similarity }: Pool): string {
  if (candidate.likeness === undefined) return "not compared by meaning";
  const share = Math.round(100 * (similarity.get(candidate) ?? 0));
  return `likeness ${candidate.likeness.toFixed(3)}, ${share} % of the way from the usual to the best`;
}
