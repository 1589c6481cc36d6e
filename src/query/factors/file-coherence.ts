/** A file with many matching chunks is about the question; its best chunk speaks for it. */
import type { Candidate, Factor, Judgement, Pool } from "../candidate.ts";

const WEIGHT = 0.8;

export default { name: "file_coherence", judge } satisfies Factor;

function judge(candidate: Candidate, { question, leaders, coherence }: Pool): Judgement {
  // Asked for a name, the file that uses it most is not the one that defines it.
  if (question.intent === "symbol") return { value: 0, reason: "not used for names" };
  if (!leaders.has(candidate)) return { value: 0, reason: "another chunk speaks for the file" };
  const share = coherence.get(candidate.file.path) ?? 0;
  return {
    value: WEIGHT * Math.sqrt(share),
    reason: `its file holds ${Math.round(100 * share)} % of what the best file holds`,
  };
}
