/** What to call next. Made of handles and identifiers only: text of the repository must never become an instruction. */
import type { Reading } from "../../compass/compass.ts";
import type { SearchHit } from "../../model/search.ts";
import { namesSeveral } from "../../model/workspace-selector.ts";
import type { NextAction } from "../define.ts";

/** What a language would accept as a (qualified) name; anything else stays out of suggestions. */
const IDENTIFIER = /^[\p{L}\p{N}_$.:#~?!]{1,120}$/u;
const ECHOED_QUERY_CHARS = 200;

/** Where the next call looks: at the same ref, or in the same workspaces. */
export interface QueryTarget {
  readonly ref?: string;
  readonly workspace?: string;
}

/** Several workspaces may stand at several refs: only the one that the caller has named is named again. */
export function nextTarget(
  input: { readonly [K in keyof QueryTarget]?: string | undefined },
  { status }: Pick<Reading, "status">,
): QueryTarget {
  const { workspace, ref } = input;
  if (workspace === undefined) return { ref: status.ref };
  if (namesSeveral(workspace)) return { ...(ref !== undefined && { ref }), workspace };
  // No server has a repository of the shared store as its default because a call has named it.
  return { ref: status.ref, ...(status.published !== undefined && { workspace }) };
}

/** Follow-ups of a search or lookup, best first. */
export function nextFromHits(
  hits: readonly SearchHit[],
  tool: string,
  words: string,
  where: QueryTarget,
): NextAction[] {
  const top = hits.find((hit) => hit.symbol !== undefined && IDENTIFIER.test(hit.symbol.symbol.name));
  const symbol = top?.symbol;
  const actions: NextAction[] = [];
  if (symbol !== undefined && tool === "search_code") {
    const own = symbol.workspace === undefined ? {} : { workspace: symbol.workspace };
    actions.push({ tool: "locate_symbol", name: symbol.symbol.name, symbol_id: symbol.symbolId, ...where, ...own });
  }
  if (hits.length === 0 && tool === "locate_symbol" && echoable(words)) {
    actions.push({ tool: "search_code", query: words, ...where });
  }
  return actions;
}

/** The same question in a cheaper shape, so that all of it fits. */
export function smallerRequest(
  tool: string,
  words: Readonly<Record<string, string>>,
  where: QueryTarget,
  limit: number,
): NextAction {
  const echoed = Object.entries(words).filter(([, text]) => echoable(text));
  return { tool, ...Object.fromEntries(echoed), ...where, limit, detail_level: "location", compact: true };
}

function echoable(words: string): boolean {
  return words.length <= ECHOED_QUERY_CHARS;
}
