/** Factors of candidates that are definitions. */

import { type Kind, matchesKind } from "../../model/kinds.ts";
import { type Factor, matchedDefinition } from "../candidate.ts";
import { TYPE_WEIGHTS } from "../mentions.ts";
import { qualifierMatch } from "../parsed-query.ts";

const QUALIFIED_NAME_CAP = 0.1;

/** The owner in the query (`Foo` of `Foo.bar`) is the symbol's owner. */
export const qualifiedName: Factor = {
  name: "qualified_name",
  cap: QUALIFIED_NAME_CAP,
  value(candidate, { question }) {
    const symbol = matchedDefinition(candidate);
    if (symbol === undefined || question.name === undefined || question.name.qualifier.length === 0) return 0;
    return QUALIFIED_NAME_CAP * qualifierMatch(symbol.qualifiedName, question.name);
  },
  reason(candidate, pool) {
    const symbol = matchedDefinition(candidate);
    if (symbol === undefined || pool.question.name === undefined) return "no symbol to compare";
    if (pool.question.name.qualifier.length === 0) return "the query names no owner";
    const share = qualifiedName.value(candidate, pool) / QUALIFIED_NAME_CAP;
    return `${share === 1 ? "full" : share > 0 ? "partial" : "no"} match on ${symbol.qualifiedName}`;
  },
};

const DEFINITION_BOOST_CAP = 0.15;

/** Share of the cap; what is not listed gets the least. */
const KIND_WEIGHTS: Readonly<Partial<Record<Kind, number>>> = {
  ...TYPE_WEIGHTS,
  fn: 0.9,
  module: 0.7,
  namespace: 0.5,
  method: 0.6,
  const: 0.6,
  constructor: 0.4,
  var: 0.4,
};
const MIN_KIND_WEIGHT = 0.2;
/** Share of the boost that a prototype gets: its definition is the better answer. */
const DECLARED = 0.5;

/** A definition rather than a mention; types before functions before members. */
export const definitionBoost: Factor = {
  name: "definition_boost",
  cap: DEFINITION_BOOST_CAP,
  value(candidate) {
    const symbol = matchedDefinition(candidate);
    if (symbol === undefined) return 0;
    return DEFINITION_BOOST_CAP * (KIND_WEIGHTS[symbol.kind] ?? MIN_KIND_WEIGHT) * (symbol.declaration ? DECLARED : 1);
  },
  reason(candidate) {
    const symbol = matchedDefinition(candidate);
    if (symbol === undefined) return "not itself a definition";
    return symbol.declaration ? `declares a ${symbol.kind} without its body` : `defines a ${symbol.kind}`;
  },
};

const KIND_MATCH_CAP = 0.05;

/** The symbol is of the kind that the query names: `class Foo`, "which struct …". */
export const kindMatch: Factor = {
  name: "kind_match",
  cap: KIND_MATCH_CAP,
  value(candidate, { question }) {
    if (question.kinds.length === 0) return 0;
    const { symbol, parent } = candidate.opened ?? {};
    return symbol !== undefined && matchesKind(question.kinds, symbol.kind, parent?.kind) ? KIND_MATCH_CAP : 0;
  },
  reason(candidate, pool) {
    if (pool.question.kinds.length === 0) return "no kind in the query";
    return kindMatch.value(candidate, pool) > 0
      ? `the query asks for a ${candidate.opened?.symbol?.kind}`
      : "not of the kind in the query";
  },
};
