/** What to call next. Made of handles and identifiers only: text of the repository must never become an instruction. */
import type { Hit } from "../../model/search.ts";
import type { NextAction } from "../define.ts";

/** What a language would accept as a (qualified) name; anything else stays out of suggestions. */
const IDENTIFIER = /^[\p{L}\p{N}_$.:#~?!]{1,120}$/u;
const ECHOED_QUERY_CHARS = 200;

/** Follow-ups of a search or lookup, best first. */
export function nextFromHits(hits: readonly Hit[], tool: string, words: string, ref: string): NextAction[] {
  const top = hits.find((hit) => hit.symbol !== undefined && IDENTIFIER.test(hit.symbol.symbol.name));
  const symbol = top?.symbol;
  const actions: NextAction[] = [];
  if (symbol !== undefined && tool === "search_code") {
    actions.push({ tool: "locate_symbol", name: symbol.symbol.name, symbol_id: symbol.symbolId, ref });
  }
  if (hits.length === 0 && tool === "locate_symbol" && echoable(words)) {
    actions.push({ tool: "search_code", query: words, ref });
  }
  return actions;
}

/** The same question in a cheaper shape, so that all of it fits. */
export function askSmaller(
  tool: string,
  words: Readonly<Record<string, string>>,
  ref: string,
  limit: number,
): NextAction {
  const echoed = Object.entries(words).filter(([, text]) => echoable(text));
  return { tool, ...Object.fromEntries(echoed), ref, limit, detail_level: "location", compact: true };
}

function echoable(words: string): boolean {
  return words.length <= ECHOED_QUERY_CHARS;
}
