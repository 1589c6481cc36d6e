/** How much of the question the names of the file and its directory cover. */
import type { Candidate, Factor, Pool } from "../candidate.ts";
import { coverage, fileWords } from "../coverage.ts";

const WEIGHT = 0.6;

export default { name: "file_name", ofFile: true, value, reason } satisfies Factor;

function value({ file }: Candidate, pool: Pool): number {
  // A name is one thing: what of it stands in the file's name, file_focus has counted (names +0.002 without it here).
  return pool.question.intent === "symbol" ? 0 : WEIGHT * shareOf(file.path, pool);
}

function reason({ file }: Candidate, pool: Pool): string {
  if (pool.question.intent === "symbol") return "not used for names";
  return `${Math.round(100 * shareOf(file.path, pool))} % of the question in the names of file and directory`;
}

function shareOf(path: string, pool: Pool): number {
  const { name, directory } = fileWords(path);
  return coverage(pool, name, directory);
}
