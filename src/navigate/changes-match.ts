/**
 * Which definition of the one side is which of the other: first by name within a file, then by name and content across
 * files, so that what was moved or renamed is one change and not two.
 */

import { isLongTurn, nextTurn } from "../model/event-loop.ts";
import type { Kind } from "../model/kinds.ts";
import type { ComparedDefinition } from "./changes.ts";
import {
  buildSignature,
  maxSimilarity,
  similarity,
  type TextSignature,
  type TokenShape,
  tokenize,
  tokenShape,
} from "./similarity.ts";

export interface DefinitionMatch {
  readonly before: ComparedDefinition;
  readonly after: ComparedDefinition;
}

export interface DefinitionMatches {
  readonly matches: DefinitionMatch[];
  readonly removed: ComparedDefinition[];
  readonly added: ComparedDefinition[];
}

/** Within one file, or a file and what it was renamed to. */
export function matchWithin(
  before: readonly ComparedDefinition[],
  after: readonly ComparedDefinition[],
): DefinitionMatches {
  const sameFile = before[0]?.side.record.path === after[0]?.side.record.path;
  const matchKey = sameFile ? qualifiedKey : chainKey;
  const result: DefinitionMatches = { matches: [], removed: [], added: [] };
  const groups = grouped(after, matchKey);
  for (const [name, olds] of grouped(before, matchKey)) {
    pairUp(olds, groups.get(name) ?? [], result);
    groups.delete(name);
  }
  for (const news of groups.values()) result.added.push(...news);
  return result;
}

/** Takes out of `removed` and `added` what is one symbol that moved or was renamed. */
export async function matchMoved({
  removed,
  added,
}: Pick<DefinitionMatches, "removed" | "added">): Promise<DefinitionMatches> {
  const left = { removed: [...removed], added: [...added] };
  const matches = [
    ...matchUnique(left, (it) => `${it.side.record.path}\0${it.symbol.qualifiedName}`),
    ...matchUnique(left, (it) => `${it.side.record.language}\0${it.symbol.kind}\0${it.symbol.qualifiedName}`),
    ...(await matchAlike(left)),
  ];
  return { matches: [...matches, ...matchOwners(left, matches)], ...left };
}

function qualifiedKey({ symbol }: ComparedDefinition): string {
  return `${symbol.kind} ${symbol.qualifiedName}`;
}

/** The names from the outermost symbol down: the module's name goes with the file. */
function chainKey({ side, symbol }: ComparedDefinition): string {
  const { symbols } = side.record;
  const names = [symbol.name];
  for (let at = symbol.parent; at !== undefined; at = symbols[at]!.parent) names.push(symbols[at]!.name);
  return `${symbol.kind} ${names.reverse().join("\0")}`;
}

function grouped(
  list: readonly ComparedDefinition[],
  keyOf: (it: ComparedDefinition) => string,
): Map<string, ComparedDefinition[]> {
  const groups = new Map<string, ComparedDefinition[]>();
  for (const it of list) {
    const key = keyOf(it);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [it]);
    else group.push(it);
  }
  return groups;
}

/** Overloads of one name: the unchanged ones first, then those with one signature, then in their order. */
function pairUp(
  olds: readonly ComparedDefinition[],
  news: readonly ComparedDefinition[],
  into: DefinitionMatches,
): void {
  // Nearly all names are one symbol's, and nearly all of those did not change.
  if (olds.length === 1 && news.length === 1) {
    into.matches.push({ before: olds[0]!, after: news[0]! });
    return;
  }
  let [left, right] = [[...olds], [...news]];
  for (const criterion of [
    (it: ComparedDefinition) => it.own,
    (it: ComparedDefinition) => it.symbol.signature ?? "",
    () => "",
  ]) {
    const waiting = grouped(right, criterion);
    left = left.filter((before) => {
      const after = waiting.get(criterion(before))?.shift();
      if (after !== undefined) into.matches.push({ before, after });
      return after === undefined;
    });
    right = [...waiting.values()].flat();
  }
  into.removed.push(...left);
  into.added.push(...right);
}

type UnmatchedDefinitions = { removed: ComparedDefinition[]; added: ComparedDefinition[] };

/** One on each side with the same key: the same symbol in another place, or as another kind. */
function matchUnique(left: UnmatchedDefinitions, keyOf: (it: ComparedDefinition) => string): DefinitionMatch[] {
  const news = grouped(left.added, keyOf);
  const matches: DefinitionMatch[] = [];
  for (const [key, olds] of grouped(left.removed, keyOf)) {
    const [after, ...others] = news.get(key) ?? [];
    if (olds.length === 1 && after !== undefined && others.length === 0) matches.push({ before: olds[0]!, after });
  }
  drop(left, matches);
  return matches;
}

/** Minimum similarity of two definitions that are the same symbol: with the same name, and with another. */
const ALIKE_SAME_NAME = 0.5;
const ALIKE = 0.72;
/** Fewer tokens are not distinctive: many functions contain `return 0`. */
const FEWEST_TOKENS = 12;
/** Beyond this many comparisons only equal names are compared. */
const MOST_PAIRS = 250_000;
/** Iterations between clock checks. */
const COMPARED_AT_ONCE = 32;

/** A definition with its sketch and its shape, which are computed when it is first compared. */
class ShapedDefinition {
  readonly it: ComparedDefinition;
  readonly text: string;
  #tokens: readonly string[] | undefined;
  #sketch: TextSignature | undefined;
  #shape: TokenShape | undefined;

  constructor(it: ComparedDefinition) {
    this.it = it;
    this.text = wholeText(it);
  }

  get tokens(): readonly string[] {
    this.#tokens ??= tokenize(this.text, this.it.symbol.name);
    return this.#tokens;
  }

  get sketch(): TextSignature {
    this.#sketch ??= buildSignature(this.tokens);
    return this.#sketch;
  }

  get shape(): TokenShape {
    this.#shape ??= tokenShape(this.tokens);
    return this.#shape;
  }
}

interface MatchCandidate extends DefinitionMatch {
  readonly score: number;
}

async function matchAlike(left: UnmatchedDefinitions): Promise<DefinitionMatch[]> {
  const [olds, news] = [left.removed, left.added].map((list) => list.map((it) => new ShapedDefinition(it))) as [
    ShapedDefinition[],
    ShapedDefinition[],
  ];
  const few = olds.length * news.length <= MOST_PAIRS;
  const candidates: MatchCandidate[] = [];
  let compared = 0;
  for (const old of olds) {
    for (const one of news) {
      const score = few || old.it.symbol.name === one.it.symbol.name ? alike(old, one) : 0;
      if (score > 0) candidates.push({ before: old.it, after: one.it, score });
      if (++compared % COMPARED_AT_ONCE === 0 && isLongTurn()) await nextTurn();
    }
  }
  // The sort is stable: equals stay in the order of their files and lines.
  const matches = greedy(candidates.sort((a, b) => b.score - a.score));
  drop(left, matches);
  return matches;
}

/** A class is known by its methods, though they change by themselves. */
function wholeText({ side, symbol }: ComparedDefinition): string {
  return side.text.slice(symbol.span.start, symbol.span.end);
}

/** What is three times as long has too many tokens of its own. */
function areOfOneSize(a: string, b: string): boolean {
  return 3 * Math.min(a.length, b.length) >= Math.max(a.length, b.length);
}

/** 0 unless they may be one. An equal name counts for a little more than an equal text. */
function alike(old: ShapedDefinition, one: ShapedDefinition): number {
  if (kindFamily(old.it.symbol.kind) !== kindFamily(one.it.symbol.kind)) return 0;
  const sameName = old.it.symbol.name === one.it.symbol.name;
  if (!areOfOneSize(old.text, one.text)) return 0;
  if (!sameName && Math.min(old.tokens.length, one.tokens.length) < FEWEST_TOKENS) return 0;
  const least = sameName ? ALIKE_SAME_NAME : ALIKE;
  if (maxSimilarity(old.sketch, one.sketch) < least) return 0;
  const score = similarity(old.shape, one.shape);
  return score < least ? 0 : score + (sameName ? 1 : 0);
}

const FAMILY: Readonly<Partial<Record<Kind, string>>> = {
  fn: "function",
  method: "function",
  constructor: "function",
  struct: "type",
  class: "type",
  record: "type",
  interface: "type",
  trait: "type",
  protocol: "type",
  type: "type",
  var: "value",
  const: "value",
};

function kindFamily(kind: Kind): string {
  return FAMILY[kind] ?? kind;
}

/** A class whose members moved to another class is that class, however much was rewritten. */
function matchOwners(left: UnmatchedDefinitions, members: readonly DefinitionMatch[]): DefinitionMatch[] {
  const moved = new Map<ComparedDefinition, Map<ComparedDefinition, number>>();
  const ownerIn = (list: readonly ComparedDefinition[]) => {
    const byPlace = new Map(list.map((it) => [definitionLocation(it.side.record.path, it.index), it]));
    return ({ side, symbol }: ComparedDefinition) =>
      symbol.parent === undefined ? undefined : byPlace.get(definitionLocation(side.record.path, symbol.parent));
  };
  const [oldOwner, newOwner] = [ownerIn(left.removed), ownerIn(left.added)];
  for (const { before, after } of members) {
    const [old, now] = [oldOwner(before), newOwner(after)];
    if (old === undefined || now === undefined) continue;
    const counts = moved.get(old) ?? new Map<ComparedDefinition, number>();
    moved.set(old, counts.set(now, (counts.get(now) ?? 0) + 1));
  }
  const candidates = [...moved].flatMap(([before, counts]) =>
    [...counts].flatMap(([after, count]): MatchCandidate[] =>
      2 * count >= countMembers(before) ? [{ before, after, score: count }] : [],
    ),
  );
  const matches = greedy(candidates.sort((a, b) => b.score - a.score));
  drop(left, matches);
  return matches;
}

function definitionLocation(path: string, index: number): string {
  return `${path}\0${index}`;
}

function countMembers({ side, index }: ComparedDefinition): number {
  return side.record.symbols.filter((symbol) => symbol.parent === index && FAMILY[symbol.kind] === "function").length;
}

function greedy(candidates: readonly MatchCandidate[]): DefinitionMatch[] {
  const taken = new Set<ComparedDefinition>();
  return candidates.filter(({ before, after }) => {
    if (taken.has(before) || taken.has(after)) return false;
    taken.add(before).add(after);
    return true;
  });
}

function drop(left: UnmatchedDefinitions, matches: readonly DefinitionMatch[]): void {
  if (matches.length === 0) return;
  const gone = new Set(matches.flatMap(({ before, after }) => [before, after]));
  left.removed = left.removed.filter((it) => !gone.has(it));
  left.added = left.added.filter((it) => !gone.has(it));
}
