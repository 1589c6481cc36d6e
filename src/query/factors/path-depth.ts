/** What stands deep in the tree is a detail. */
import type { Candidate, Pool, Scaling } from "../candidate.ts";
import { fileWords } from "../coverage.ts";

const PER_LEVEL = 0.94;
const MAX_LEVELS = 12;

export default { name: "path_depth", scale } satisfies Scaling;

function scale({ file, type }: Candidate, _: Pool): { factor: number; reason: string } {
  const levels = type === "file" ? 0 : Math.min(MAX_LEVELS, fileWords(file.path).depth);
  return { factor: PER_LEVEL ** levels, reason: `${levels} directories deep` };
}
