/** The directory of the file is named after what is asked. */
import type { Candidate, Factor, Pool } from "../candidate.ts";
import { coverage, fileWords } from "../coverage.ts";

const CAP = 0.1;

export default { name: "path_affinity", cap: CAP, ofFile: true, value, reason } satisfies Factor;

function value({ file }: Candidate, pool: Pool): number {
  return CAP * coverage(pool, fileWords(file.path).directory);
}

function reason(candidate: Candidate, pool: Pool): string {
  return value(candidate, pool) > 0 ? "its directory is asked for" : "no path bias applied";
}
