/** A file whose closest chunks come close to the question is about it; its best chunk speaks for it. */
import type { Candidate, Factor, Pool } from "../candidate.ts";

const WEIGHT = 0.8;

export default { name: "file_similarity", value, reason } satisfies Factor;

function value(candidate: Candidate, { leaders, fileSimilarity }: Pool): number {
  if (fileSimilarity.size === 0 || !leaders.has(candidate)) return 0;
  return WEIGHT * Math.sqrt(fileSimilarity.get(candidate.file.path) ?? 0);
}

function reason(candidate: Candidate, { leaders, fileSimilarity }: Pool): string {
  if (fileSimilarity.size === 0) return "not compared by meaning";
  if (!leaders.has(candidate)) return "another chunk speaks for the file";
  const share = fileSimilarity.get(candidate.file.path) ?? 0;
  return `its file comes ${Math.round(100 * share)} % as close as the closest file`;
}
