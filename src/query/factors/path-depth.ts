/** What stands deep in the tree is a detail. */
import type { Candidate, Scaling } from "../candidate.ts";
import { fileWords } from "../coverage.ts";

const PER_LEVEL = 0.94;
const MAX_LEVELS = 12;

export default { name: "path_depth", scale, reason } satisfies Scaling;

function scale(candidate: Candidate): number {
  return PER_LEVEL ** levelsOf(candidate);
}

function reason(candidate: Candidate): string {
  return `${levelsOf(candidate)} directories deep`;
}

function levelsOf({ file, type }: Candidate): number {
  return type === "file" ? 0 : Math.min(MAX_LEVELS, fileWords(file.path).depth);
}
