/** A definition rather than a mention; types before functions before members. */
import type { Kind } from "../../model/kinds.ts";
import { type Candidate, definitionOf, type Factor } from "../candidate.ts";

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

export default { name: "definition_boost", cap: CAP, value, reason } satisfies Factor;

function value(candidate: Candidate): number {
  const symbol = definitionOf(candidate);
  if (symbol === undefined) return 0;
  return CAP * (STANDING[symbol.kind] ?? LEAST) * (symbol.declaration ? DECLARED : 1);
}

function reason(candidate: Candidate): string {
  const symbol = definitionOf(candidate);
  if (symbol === undefined) return "not itself a definition";
  return symbol.declaration ? `declares a ${symbol.kind} without its body` : `defines a ${symbol.kind}`;
}
