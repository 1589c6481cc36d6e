/** The symbols that differ between two states of a tree, from what was read of its changed files. */
import type { FileSide, SymbolChange } from "../model/changes.ts";
import type { CodeSymbol } from "../model/code.ts";
import { inTurns, isLongTurn, nextTurn } from "../model/event-loop.ts";
import { type IdSource, symbolHit } from "../model/ids.ts";
import type { Kind } from "../model/kinds.ts";
import type { SymbolHit } from "../model/search.ts";
import { type DefinitionMatch, type DefinitionMatches, matchMoved, matchWithin } from "./changes-match.ts";

/** A changed file; a side that does not exist, or was not read, is absent. */
interface FilePair {
  readonly before?: FileSide;
  readonly after?: FileSide;
}

/** `rankOf`: files of a higher rank come later, so that vendored code does not push the own out of a short answer. */
export async function symbolChanges(
  pairs: readonly FilePair[],
  ids: IdSource,
  rankOf: (path: string) => number = () => 0,
): Promise<SymbolChange[]> {
  const all: DefinitionMatches = { matches: [], removed: [], added: [] };
  for (const { before, after } of pairs) {
    const within = matchWithin(before ? comparableDefinitions(before) : [], after ? comparableDefinitions(after) : []);
    for (const key of ["matches", "removed", "added"] as const) all[key].push(...(within[key] as never[]));
    if (isLongTurn()) await nextTurn();
  }
  const moved = await matchMoved(all);
  const hit = (it: ComparedDefinition) => symbolHit(it.side.record, it.index, ids);
  const matched = [...all.matches, ...moved.matches];
  const differs = await inTurns(matched, isChanged);
  const changed = matched.filter((_, at) => differs[at]);
  const changes = [
    ...(await inTurns(changed, (match) => modified(match, hit))),
    ...(await inTurns(moved.added, (it): SymbolChange => ({ change: "added", after: hit(it) }))),
    ...(await inTurns(moved.removed, (it): SymbolChange => ({ change: "deleted", before: hit(it) }))),
  ];
  return changes.sort((a, b) => rank(a, rankOf) - rank(b, rankOf) || byPlace(a, b));
}

function isChanged({ before, after }: DefinitionMatch): boolean {
  return before.own !== after.own || renamedFrom(before, after) !== undefined;
}

function modified({ before, after }: DefinitionMatch, hit: (it: ComparedDefinition) => SymbolHit): SymbolChange {
  const from = renamedFrom(before, after);
  return {
    change: "modified",
    before: hit(before),
    after: hit(after),
    ...(from !== undefined && { renamedFrom: from }),
  };
}

function renamedFrom(before: ComparedDefinition, after: ComparedDefinition): string | undefined {
  const [old, now] = [before.symbol, after.symbol];
  if (old.name !== now.name) return old.qualifiedName;
  const { path } = before.side.record;
  if (path !== after.side.record.path) return path;
  return old.qualifiedName === now.qualifiedName ? undefined : old.qualifiedName;
}

/** Prose comes after all code. */
const PROSE = 100;

function rank({ before, after }: SymbolChange, rankOf: (path: string) => number): number {
  const { path, symbol } = (after ?? before)!;
  return rankOf(path) + (symbol.kind === "heading" ? PROSE : 0);
}

function byPlace(a: SymbolChange, b: SymbolChange): number {
  const [one, other] = [(a.after ?? a.before)!, (b.after ?? b.before)!];
  return (
    compare(one.path, other.path) ||
    one.symbol.span.lineStart - other.symbol.span.lineStart ||
    one.symbol.span.start - other.symbol.span.start ||
    compare(one.symbol.name, other.symbol.name) ||
    compare(a.change, b.change)
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export interface ComparedDefinition {
  readonly side: FileSide;
  /** Position in the record. */
  readonly index: number;
  readonly symbol: CodeSymbol;
  /** Its lines without the definitions inside it: a method that changes does not change its class. */
  readonly own: string;
}

/** Imports and package clauses define nothing. */
const NEVER: ReadonlySet<Kind> = new Set(["use", "package"]);
/** What belongs to the text of the symbol around it. */
const PART_OF_PARENT: ReadonlySet<Kind> = new Set(["field", "variant"]);
const FUNCTIONS: ReadonlySet<Kind> = new Set(["fn", "method", "constructor"]);
const LOCALS: ReadonlySet<Kind> = new Set(["var", "const", "type"]);

function comparableDefinitions(side: FileSide): ComparedDefinition[] {
  const { symbols } = side.record;
  const stands = symbols.map((symbol) => standsAlone(symbol, symbols));
  const inside = nestedRanges(symbols, stands);
  return symbols.flatMap((symbol, index) =>
    stands[index] ? [{ side, index, symbol, own: ownText(side.text, symbol, inside.get(index) ?? []) }] : [],
  );
}

function standsAlone(symbol: CodeSymbol, symbols: readonly CodeSymbol[]): boolean {
  if (NEVER.has(symbol.kind)) return false;
  if (symbol.parent === undefined) return true;
  if (PART_OF_PARENT.has(symbol.kind)) return false;
  return !(LOCALS.has(symbol.kind) && FUNCTIONS.has(symbols[symbol.parent]!.kind));
}

/** By symbol: the spans of the nearest definitions inside it. */
function nestedRanges(symbols: readonly CodeSymbol[], stands: readonly boolean[]): Map<number, CodeSymbol["span"][]> {
  const holes = new Map<number, CodeSymbol["span"][]>();
  for (const [index, { parent, span }] of symbols.entries()) {
    if (!stands[index]) continue;
    let owner = parent;
    while (owner !== undefined && !stands[owner]) owner = symbols[owner]!.parent;
    if (owner === undefined) continue;
    const list = holes.get(owner) ?? [];
    list.push(span);
    holes.set(owner, list);
  }
  return holes;
}

function ownText(text: string, { span }: CodeSymbol, holes: readonly CodeSymbol["span"][]): string {
  if (holes.length === 0) return sameBreaks(text.slice(span.start, span.end));
  let own = "";
  let at = span.start;
  for (const hole of [...holes].sort((a, b) => a.start - b.start)) {
    if (hole.start > at) own += text.slice(at, hole.start);
    at = Math.max(at, hole.end);
  }
  // What stood around a definition that came or went is white space and separators.
  return (own + text.slice(at, span.end)).replace(/[\s,;]+/g, " ");
}

/** A checkout may turn every line break; that changes no symbol. */
function sameBreaks(text: string): string {
  return text.includes("\r") ? text.replaceAll("\r\n", "\n") : text;
}
