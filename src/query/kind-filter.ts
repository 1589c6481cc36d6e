/** Keeps the candidates of the kinds that a `kind:` filter names. */
import { type Kind, matchesKind } from "../model/kinds.ts";
import type { KindFilter } from "../model/search.ts";
import type { Snapshot } from "../ports/snapshot.ts";
import { openedAt, type RankingCandidate } from "./candidate.ts";

/** A chunk is of a kind if it lies in a symbol of that kind. */
export async function ofKinds(
  candidates: readonly RankingCandidate[],
  { only, not }: KindFilter,
  at: Snapshot,
): Promise<readonly RankingCandidate[]> {
  const opened = await Promise.all(
    candidates.map(async (it) => ({ ...it, opened: it.opened ?? openedAt(await at.frame(it.file), it) })),
  );
  return opened.filter(({ opened: { symbol, parent } }) => {
    const is = (kinds: readonly Kind[]) => symbol !== undefined && matchesKind(kinds, symbol.kind, parent?.kind);
    return (only === undefined || is(only)) && !(not !== undefined && is(not));
  });
}
