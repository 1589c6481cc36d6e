/**
 * The trigrams that a file must contain for a pattern to match. Each part of a pattern is described by the texts it can
 * match (`exact`, while they are few), or by how these start and end and which trigrams they contain. A plan may let a file
 * through in vain but never excludes one that matches.
 */
import type { TrigramPlan } from "../model/grep.ts";
import { trigramSign } from "../text/trigrams.ts";
import { type CharSet, has, setSize, toRanges } from "./char-set.ts";
import { LINE_END, type Node } from "./syntax.ts";

export function trigramPlan(node: Node): TrigramPlan {
  const { ends, plan } = opened(analyse(node));
  return both(plan, both(anyText(ends.first), anyText(ends.last)));
}

/** Texts are strings of trigram classes, not of characters. */
type SignTexts = ReadonlySet<string>;

type PlanPart =
  | { readonly exact: SignTexts; readonly plan: TrigramPlan }
  | { readonly exact?: undefined; readonly ends: MatchEnds; readonly plan: TrigramPlan };

/** How a match starts and ends; the empty text if unknown. */
interface MatchEnds {
  readonly first: SignTexts;
  readonly last: SignTexts;
}

const ANY: TrigramPlan = { op: "any" };
const NOTHING: SignTexts = new Set([""]);
const UNKNOWN: PlanPart = { ends: { first: NOTHING, last: NOTHING }, plan: ANY };
/** More or longer texts are reduced to how they start and end. */
const MOST_TEXTS = 16;
const LONGEST_TEXT = 100;
/** A set with more characters than these is any character. */
const MOST_CHARS = 40;
const MOST_SIGNS = 16;
const MOST_PARTS = 200;

function analyse(node: Node): PlanPart {
  switch (node.kind) {
    case "empty":
    case "assertion":
      return { exact: NOTHING, plan: ANY };
    case "set":
      return analyseSet(node.set);
    case "byte":
      return UNKNOWN;
    case "cat":
      return node.parts.map(analyse).reduce(followed);
    case "alt":
      return node.parts.map(analyse).reduce(either);
    case "repeat":
      return repeated(node);
  }
}

function analyseSet(set: CharSet): PlanPart {
  // No trigram spans a line end.
  if (setSize(set) > MOST_CHARS || has(set, LINE_END)) return UNKNOWN;
  const texts = new Set<string>();
  for (const [first, last] of toRanges(set)) {
    for (let codePoint = first; codePoint <= last; codePoint++) texts.add(signText(codePoint));
  }
  return texts.size <= MOST_SIGNS ? { exact: texts, plan: ANY } : UNKNOWN;
}

function signText(codePoint: number): string {
  const text = String.fromCodePoint(codePoint);
  return Array.from({ length: text.length }, (_, i) => String.fromCharCode(trigramSign(text.charCodeAt(i)))).join("");
}

function repeated({ node, min, max }: Extract<Node, { kind: "repeat" }>): PlanPart {
  if (max === 0) return { exact: NOTHING, plan: ANY };
  const once = analyse(node);
  if (min === 1 && max === 1) return once;
  if (min > 0) return opened(once);
  if (max === 1) return either(once, { exact: NOTHING, plan: ANY });
  return UNKNOWN;
}

function followed(one: PlanPart, other: PlanPart): PlanPart {
  const plan = both(one.plan, other.plan);
  if (one.exact && other.exact) {
    const exact = crossed(one.exact, other.exact);
    if (exact !== undefined) return { exact, plan };
  }
  const [left, right] = [opened(one), opened(other)];
  const across = crossed(left.ends.last, right.ends.first);
  const first = one.exact && crossed(one.exact, right.ends.first);
  const last = other.exact && crossed(left.ends.last, other.exact);
  return trimmed(
    { first: first ?? left.ends.first, last: last ?? right.ends.last },
    both(both(left.plan, right.plan), across === undefined ? ANY : anyText(across)),
  );
}

function either(one: PlanPart, other: PlanPart): PlanPart {
  if (one.exact && other.exact) {
    const exact = new Set([...one.exact, ...other.exact]);
    if (exact.size <= MOST_TEXTS) return { exact, plan: alternative(one.plan, other.plan) };
  }
  const [left, right] = [opened(one), opened(other)];
  const joined = (a: SignTexts, b: SignTexts) => (a.size + b.size > MOST_TEXTS ? NOTHING : new Set([...a, ...b]));
  const ends = { first: joined(left.ends.first, right.ends.first), last: joined(left.ends.last, right.ends.last) };
  // The ends of each side go into its plan, because they are lost in the union when there are too many.
  const sides = [left, right].map((side) => both(side.plan, both(anyText(side.ends.first), anyText(side.ends.last))));
  return { ends, plan: alternative(sides[0]!, sides[1]!) };
}

/** Moves the exact texts of a part into its plan. */
function opened(part: PlanPart): PlanPart & { readonly ends: MatchEnds } {
  if (part.exact === undefined) return part;
  return trimmed({ first: part.exact, last: part.exact }, part.plan);
}

/** Ends need two characters at most: a trigram across the end contains no more of them. */
function trimmed(
  { first, last }: MatchEnds,
  plan: TrigramPlan,
): { readonly ends: MatchEnds; readonly plan: TrigramPlan } {
  const ends = {
    first: few(new Set([...first].map((text) => text.slice(0, 2)))),
    last: few(new Set([...last].map((text) => text.slice(-2)))),
  };
  return { ends, plan: both(plan, both(anyText(first), anyText(last))) };
}

function few(texts: SignTexts): SignTexts {
  return texts.size > MOST_TEXTS ? NOTHING : texts;
}

/** All concatenations of two texts; undefined when there are too many or they are too long. */
function crossed(one: SignTexts, other: SignTexts): SignTexts | undefined {
  if (one.size * other.size > MOST_TEXTS) return undefined;
  const texts = new Set<string>();
  for (const left of one) for (const right of other) texts.add(left + right);
  return [...texts].some((text) => text.length > LONGEST_TEXT) ? undefined : texts;
}

/** A file that contains one of the texts has all trigrams of that text. */
function anyText(texts: SignTexts): TrigramPlan {
  let plan: TrigramPlan | undefined;
  for (const text of texts) {
    if (text.length < 3) return ANY;
    const trigrams = new Set<number>();
    for (let i = 0; i + 3 <= text.length; i++) {
      trigrams.add((text.charCodeAt(i) << 12) | (text.charCodeAt(i + 1) << 6) | text.charCodeAt(i + 2));
    }
    const parts = [...trigrams].map((trigram): TrigramPlan => ({ op: "has", trigram }));
    const all: TrigramPlan = parts.length === 1 ? parts[0]! : { op: "and", parts };
    plan = plan === undefined ? all : alternative(plan, all);
  }
  return plan ?? ANY;
}

function both(one: TrigramPlan, other: TrigramPlan): TrigramPlan {
  if (one.op === "any") return other;
  if (other.op === "any") return one;
  const parts = distinct([...operands(one, "and"), ...operands(other, "and")]);
  // Dropping conditions lets more files through but loses no match.
  return parts.length === 1 ? parts[0]! : { op: "and", parts: parts.slice(0, MOST_PARTS) };
}

function alternative(one: TrigramPlan, other: TrigramPlan): TrigramPlan {
  if (one.op === "any" || other.op === "any") return ANY;
  const parts = distinct([...operands(one, "or"), ...operands(other, "or")]);
  if (parts.length > MOST_PARTS) return ANY;
  return parts.length === 1 ? parts[0]! : { op: "or", parts };
}

function operands(plan: TrigramPlan, op: "and" | "or"): readonly TrigramPlan[] {
  return plan.op === op && "parts" in plan ? plan.parts : [plan];
}

function distinct(parts: readonly TrigramPlan[]): TrigramPlan[] {
  return [...new Map(parts.map((part) => [part.op === "has" ? part.trigram : JSON.stringify(part), part])).values()];
}
