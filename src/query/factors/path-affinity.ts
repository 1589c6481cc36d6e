/** The directory of the file is named after what is asked. */
import type { Candidate, Factor, Judgement, Pool } from "../candidate.ts";
import { coverage, fileWords } from "../coverage.ts";

const CAP = 0.1;

export default { name: "path_affinity", cap: CAP, judge } satisfies Factor;

function judge({ file }: Candidate, pool: Pool): Judgement {
  const share = coverage(pool, fileWords(file.path).directory);
  return { value: CAP * share, reason: share > 0 ? "its directory is asked for" : "no path bias applied" };
}
