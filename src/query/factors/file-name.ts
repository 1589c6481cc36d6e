/** How much of the question the names of the file and its directory cover. */
import type { Candidate, Factor, Judgement, Pool } from "../candidate.ts";
import { coverage, fileWords } from "../coverage.ts";

const WEIGHT = 0.6;

export default { name: "file_name", judge } satisfies Factor;

function judge({ file }: Candidate, pool: Pool): Judgement {
  // A name is one thing: what of it stands in the file's name, file_focus has counted (names +0.002 without it here).
  if (pool.question.intent === "symbol") return { value: 0, reason: "not used for names" };
  const { name, directory } = fileWords(file.path);
  const share = coverage(pool, [...name, ...directory]);
  return {
    value: WEIGHT * share,
    reason: `${Math.round(100 * share)} % of the question in the names of file and directory`,
  };
}
