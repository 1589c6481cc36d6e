/**
 * Marks what queries need not look at. A third of a tree's nodes and more are tokens without a name, brackets and
 * keywords. A query's cursor stops at each, and most are in no pattern; `quickened` makes it pass over those that are
 * marked here.
 *
 * Follows the layout of `TSLanguage` and `TSQuery` in the tree-sitter that is installed.
 */
import type { Language, Query } from "web-tree-sitter";
import { addressOf } from "./runtime.ts";
import type { Memory } from "./wasm-instance.ts";

/** Of every symbol of a language: whether it is visible, whether it has a name, whether it stands for others. */
const METADATA_AT = 72;
const METADATA_BYTES = 3;
/** Beside the last of these. */
const MARK = 2;
/** Of every symbol, the one that patterns know it by. */
const PUBLIC_SYMBOLS_AT = 76;
/** Where a list is a field as a whole, as the names of Go's `a, b = 1, 2`, a pattern looks no further than to the first. */
const SEPARATOR = ",";

export function markTokens(language: Language, queries: readonly Query[], { buffer }: Memory): void {
  const asked = symbolsOf(queries, buffer);
  if (asked === undefined) return;
  const count = language.types.length;
  const metadata = new Uint8Array(buffer, wordAt(buffer, addressOf(language) + METADATA_AT), METADATA_BYTES * count);
  const publicSymbols = new Uint16Array(buffer, wordAt(buffer, addressOf(language) + PUBLIC_SYMBOLS_AT), count);
  for (let symbol = 0; symbol < count; symbol++) {
    const at = METADATA_BYTES * symbol;
    const isToken = metadata[at] === 1 && metadata[at + 1] === 0 && language.types[symbol] !== SEPARATOR;
    if (isToken && !asked.has(publicSymbols[symbol]!)) metadata[at + 2]! |= MARK;
  }
}

/** Where a query's steps are; how many comes next. */
const STEPS_AT = 60;
/** A step begins with its symbol; in units of two bytes. */
const STEP_UNITS = 10;
const DEPTH = 6;
const FLAGS = 9;
/** The step behind a pattern's last. */
const DONE = 0xffff;
const ANY_SYMBOL = 0;
const [IS_NAMED, IS_PASSED, IS_DEAD_END] = [1, 8, 16] as const;

/** All that the queries ask for; undefined when they ask for any token. */
function symbolsOf(queries: readonly Query[], buffer: ArrayBuffer): Set<number> | undefined {
  const symbols = new Set<number>();
  for (const query of queries) {
    const at = addressOf(query) + STEPS_AT;
    const steps = new Uint16Array(buffer, wordAt(buffer, at), STEP_UNITS * wordAt(buffer, at + 4));
    for (let step = 0; step < steps.length; step += STEP_UNITS) {
      if (steps[step + DEPTH] === DONE) continue;
      const symbol = steps[step]!;
      if (symbol === ANY_SYMBOL && !(steps[step + FLAGS]! & (IS_NAMED | IS_PASSED | IS_DEAD_END))) return undefined;
      symbols.add(symbol);
    }
  }
  return symbols;
}

function wordAt(buffer: ArrayBuffer, at: number): number {
  return new Uint32Array(buffer, at, 1)[0]!;
}
