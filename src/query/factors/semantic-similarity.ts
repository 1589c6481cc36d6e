/** How close the chunk comes to the question in meaning: the model's judgement, with its magnitude. */
import type { Candidate, Factor, Judgement, Pool } from "../candidate.ts";

const CAP = 0.2;

export default { name: "semantic_similarity", cap: CAP, judge } satisfies Factor;

function judge(candidate: Candidate, { similarity }: Pool): Judgement {
  const share = similarity.get(candidate) ?? 0;
  if (candidate.likeness === undefined) return { value: 0, reason: "not compared by meaning" };
  return {
    value: CAP * share,
    reason: `likeness ${candidate.likeness.toFixed(3)}, ${Math.round(100 * share)} % of the way from the usual to the best`,
  };
}
