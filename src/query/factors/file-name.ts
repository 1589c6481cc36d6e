/** How much of the question the names of the file and its directory cover. */
import type { Candidate, Factor, Judgement, Pool } from "../candidate.ts";
import { coverage, fileWords } from "../coverage.ts";

const WEIGHT = 0.6;

export default { name: "file_name", judge } satisfies Factor;

function judge({ file }: Candidate, pool: Pool): Judgement {
  const { name, directory } = fileWords(file.path);
  const share = coverage(pool, [...name, ...directory]);
  return {
    value: WEIGHT * share,
    reason: `${Math.round(100 * share)} % of the question in the names of file and directory`,
  };
}
