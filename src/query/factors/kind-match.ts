/** The symbol is of the kind that the query names: `class Foo`, "which struct …". */
import { matchesKind } from "../../model/kinds.ts";
import type { Candidate, Factor, Pool } from "../candidate.ts";

const CAP = 0.05;

export default { name: "kind_match", cap: CAP, value, reason } satisfies Factor;

function value(candidate: Candidate, { question }: Pool): number {
  if (question.kinds.length === 0) return 0;
  const { symbol, parent } = candidate.opened ?? {};
  return symbol !== undefined && matchesKind(question.kinds, symbol.kind, parent?.kind) ? CAP : 0;
}

function reason(candidate: Candidate, pool: Pool): string {
  if (pool.question.kinds.length === 0) return "no kind in the query";
  return value(candidate, pool) > 0 ? `a ${candidate.opened?.symbol?.kind}, as asked` : "not of the kind asked for";
}
