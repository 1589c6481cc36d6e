/** A definition rather than a mention; types before functions before members. */
import type { Kind } from "../../model/kinds.ts";
import type { Candidate, Factor, Judgement, Pool } from "../candidate.ts";

const CAP = 0.15;

/** Share of the cap; what is not listed gets the least. */
const STANDING: Readonly<Partial<Record<Kind, number>>> = {
  class: 1,
  struct: 1,
  trait: 1,
  interface: 1,
  protocol: 1,
  enum: 1,
  object: 1,
  record: 1,
  union: 1,
  type: 0.9,
  macro: 0.9,
  fn: 0.9,
  module: 0.7,
  namespace: 0.5,
  method: 0.6,
  const: 0.6,
  constructor: 0.4,
  var: 0.4,
};
const LEAST = 0.2;
/** What a prototype keeps: whoever asks for a function wants to read it. */
const DECLARED = 0.5;

export default { name: "definition_boost", cap: CAP, judge } satisfies Factor;

function judge({ type, record, at }: Candidate, _: Pool): Judgement {
  const symbol = type === "symbol" ? record?.symbols[at] : undefined;
  if (symbol === undefined) return { value: 0, reason: "not itself a definition" };
  const value = CAP * (STANDING[symbol.kind] ?? LEAST);
  if (symbol.declaration) return { value: value * DECLARED, reason: `declares a ${symbol.kind} without its body` };
  return { value, reason: `defines a ${symbol.kind}` };
}
