/** The chunk defines something that the sentence mentions by name. */
import type { Candidate, Factor, Pool } from "../candidate.ts";
import type { Mention } from "../mentions.ts";

const WEIGHT = 0.6;

export default { name: "mention", value, reason } satisfies Factor;

function value(candidate: Candidate, pool: Pool): number {
  return WEIGHT * (mentionOf(candidate, pool)?.weight ?? 0);
}

function reason(candidate: Candidate, pool: Pool): string {
  const found = mentionOf(candidate, pool);
  return found === undefined
    ? "defines nothing that the query mentions"
    : `defines ${found.name}, which the query mentions`;
}

function mentionOf({ type, file, at }: Candidate, { mentions }: Pool): Mention | undefined {
  return type === "snippet" ? mentions.get(file.path)?.get(at) : undefined;
}
