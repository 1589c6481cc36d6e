/** The owner in the query (`Foo` of `Foo.bar`) is the symbol's owner. */
import { type Candidate, definitionOf, type Factor, type Pool } from "../candidate.ts";
import { qualifierMatch } from "../symbol-name-query.ts";

const CAP = 0.1;

export default { name: "qualified_name", cap: CAP, value, reason } satisfies Factor;

function value(candidate: Candidate, { question }: Pool): number {
  const symbol = definitionOf(candidate);
  if (symbol === undefined || question.name === undefined || question.name.qualifier.length === 0) return 0;
  return CAP * qualifierMatch(symbol.qualifiedName, question.name);
}

function reason(candidate: Candidate, pool: Pool): string {
  const symbol = definitionOf(candidate);
  if (symbol === undefined || pool.question.name === undefined) return "no symbol to compare";
  if (pool.question.name.qualifier.length === 0) return "the query names no owner";
  const share = value(candidate, pool) / CAP;
  return `${share === 1 ? "full" : share > 0 ? "partial" : "no"} match on ${symbol.qualifiedName}`;
}
