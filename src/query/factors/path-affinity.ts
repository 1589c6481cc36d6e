/** The directory of the file is named after what is asked. */
import type { Candidate, Factor, Judgement, Pool } from "../candidate.ts";
import { coverage } from "../coverage.ts";
import { pathWords } from "../words.ts";

const CAP = 0.1;

export default { name: "path_affinity", cap: CAP, judge } satisfies Factor;

function judge({ file }: Candidate, pool: Pool): Judgement {
  const directory = file.path.split("/").at(-2);
  if (directory === undefined) return { value: 0, reason: "no directory" };
  const share = coverage(pool, pathWords(directory));
  return { value: CAP * share, reason: share > 0 ? `the directory ${directory} is asked for` : "no path bias applied" };
}
