/** The symbols of one side of a changed file that can change by themselves, each with the text that is its own. */
import type { FileSide } from "../model/changes.ts";
import type { CodeSymbol } from "../model/code.ts";
import type { Kind } from "../model/kinds.ts";

export interface Definition {
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

export function definitionsOf(side: FileSide): Definition[] {
  const { symbols } = side.record;
  const stands = symbols.map((symbol) => standsAlone(symbol, symbols));
  const inside = holesOf(symbols, stands);
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
function holesOf(symbols: readonly CodeSymbol[], stands: readonly boolean[]): Map<number, CodeSymbol["span"][]> {
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
