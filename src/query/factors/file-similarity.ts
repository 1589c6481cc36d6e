/** A file whose closest chunks come close to the question is about it; its best chunk speaks for it. */
import type { Candidate, Factor, Judgement, Pool } from "../candidate.ts";

const WEIGHT = 0.8;

export default { name: "file_similarity", judge } satisfies Factor;

function judge(candidate: Candidate, { leaders, fileSimilarity }: Pool): Judgement {
  if (fileSimilarity.size === 0) return { value: 0, reason: "not compared by meaning" };
  if (!leaders.has(candidate)) return { value: 0, reason: "another chunk speaks for the file" };
  const share = fileSimilarity.get(candidate.file.path) ?? 0;
  return {
    value: WEIGHT * Math.sqrt(share),
    reason: `its file comes ${Math.round(100 * share)} % as close as the closest file`,
  };
}
