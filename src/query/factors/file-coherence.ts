/** A file with many matching chunks is about the question; its best chunk speaks for it. */
import type { Candidate, Factor, Pool } from "../candidate.ts";

const WEIGHT = 0.8;

export default { name: "file_coherence", value, reason } satisfies Factor;

function value(candidate: Candidate, { question, leaders, coherence }: Pool): number {
  // Asked for a name, the file that uses it most is not the one that defines it.
  if (question.intent === "symbol" || !leaders.has(candidate)) return 0;
  return WEIGHT * Math.sqrt(coherence.get(candidate.file.path) ?? 0);
}

function reason(candidate: Candidate, { question, leaders, coherence }: Pool): string {
  if (question.intent === "symbol") return "not used for names";
  if (!leaders.has(candidate)) return "another chunk speaks for the file";
  return `its file holds ${Math.round(100 * (coherence.get(candidate.file.path) ?? 0))} % of what the best file holds`;
}
