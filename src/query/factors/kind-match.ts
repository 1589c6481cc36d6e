/** The symbol is of the kind that the query names: `class Foo`, "which struct …". */
import { matchesKind } from "../../model/kinds.ts";
import type { Candidate, Factor, Judgement, Pool } from "../candidate.ts";
import { symbolOf } from "../symbol-of.ts";

const CAP = 0.05;

export default { name: "kind_match", cap: CAP, judge } satisfies Factor;

function judge(candidate: Candidate, { question }: Pool): Judgement {
  if (question.kinds.length === 0) return { value: 0, reason: "no kind in the query" };
  const found = symbolOf(candidate);
  const fits = found !== undefined && matchesKind(question.kinds, found.symbol.kind, found.parent?.kind);
  return { value: fits ? CAP : 0, reason: fits ? `a ${found.symbol.kind}, as asked` : "not of the kind asked for" };
}
