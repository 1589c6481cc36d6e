/** The symbols that differ between two states of a tree, from what was read of its changed files. */
import type { FileSide, SymbolChange } from "../model/changes.ts";
import { inTurns, isLongTurn, nextTurn } from "../model/event-loop.ts";
import { type IdSource, symbolHit } from "../model/ids.ts";
import type { SymbolHit } from "../model/search.ts";
import { type Definition, definitionsOf } from "./changes-definitions.ts";
import { type Match, type Matching, matchMoved, matchWithin } from "./changes-match.ts";

/** A changed file; a side that does not exist, or was not read, is absent. */
export interface FilePair {
  readonly before?: FileSide;
  readonly after?: FileSide;
}

/** `rankOf`: files of a higher rank come later, so that vendored code does not push the own out of a short answer. */
export async function symbolChanges(
  pairs: readonly FilePair[],
  ids: IdSource,
  rankOf: (path: string) => number = () => 0,
): Promise<SymbolChange[]> {
  const all: Matching = { matches: [], removed: [], added: [] };
  for (const { before, after } of pairs) {
    const within = matchWithin(before ? definitionsOf(before) : [], after ? definitionsOf(after) : []);
    for (const key of ["matches", "removed", "added"] as const) all[key].push(...(within[key] as never[]));
    if (isLongTurn()) await nextTurn();
  }
  const moved = await matchMoved(all);
  const hit = (it: Definition) => symbolHit(it.side.record, it.index, ids);
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

function isChanged({ before, after }: Match): boolean {
  return before.own !== after.own || renamedFrom(before, after) !== undefined;
}

function modified({ before, after }: Match, hit: (it: Definition) => SymbolHit): SymbolChange {
  const from = renamedFrom(before, after);
  return {
    change: "modified",
    before: hit(before),
    after: hit(after),
    ...(from !== undefined && { renamedFrom: from }),
  };
}

function renamedFrom(before: Definition, after: Definition): string | undefined {
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
