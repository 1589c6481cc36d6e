/** The chunk defines something that the sentence mentions by name. */
import type { Candidate, Factor, Judgement, Pool } from "../candidate.ts";

const WEIGHT = 0.6;

export default { name: "mention", judge } satisfies Factor;

function judge({ type, file, at }: Candidate, { mentions }: Pool): Judgement {
  const found = type === "snippet" ? mentions.get(file.path)?.get(at) : undefined;
  if (found === undefined) return { value: 0, reason: "defines nothing that the query mentions" };
  return { value: WEIGHT * found.weight, reason: `defines ${found.name}, which the query mentions` };
}
