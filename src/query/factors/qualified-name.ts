/** The owner in the query (`Foo` of `Foo.bar`) is the symbol's owner. */
import type { Candidate, Factor, Judgement, Pool } from "../candidate.ts";
import { qualifierMatch } from "../name.ts";

const CAP = 0.1;

export default { name: "qualified_name", cap: CAP, judge } satisfies Factor;

function judge({ type, record, at }: Candidate, { question }: Pool): Judgement {
  const symbol = type === "symbol" ? record?.symbols[at] : undefined;
  if (symbol === undefined || question.name === undefined) return { value: 0, reason: "no symbol to compare" };
  if (question.name.qualifier.length === 0) return { value: 0, reason: "the query names no owner" };
  const share = qualifierMatch(symbol.qualifiedName, question.name);
  return {
    value: CAP * share,
    reason: `${share === 1 ? "full" : share > 0 ? "partial" : "no"} match on ${symbol.qualifiedName}`,
  };
}
