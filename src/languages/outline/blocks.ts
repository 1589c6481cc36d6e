/** Brackets, block words and terminators of a masked text, and which of them belong together. */

import { ForwardSearch } from "./mask.ts";

export interface BlockSyntax {
  /** Pairs of words such as `begin` and `end`, as sources of regular expressions. They do not count inside `(` and `[`. */
  readonly words?: readonly (readonly [open: string, close: string])[];
  /** What ends a statement. Default: `;`. */
  readonly stop?: string;
  /** A head without a bracket ends with its line. */
  readonly lines?: true;
  readonly folded?: true;
  /** A comma also begins what may be a definition. */
  readonly comma?: true;
}

export const BRACES: BlockSyntax = {};

const OPEN = 1;
const CLOSE = 2;
const STOP = 3;
const COMMA = 4;
/** Brackets and terminators between a name and its body that are looked at. */
const MAX_STEPS = 64;
const WORD = "w";
const LISTS: ReadonlySet<string> = new Set(["(", "["]);
const PARTNER: Readonly<Record<string, string>> = { "}": "{", ")": "(", "]": "[" };

const patterns = new WeakMap<BlockSyntax, RegExp>();

function tokenPattern(syntax: BlockSyntax): RegExp {
  let pattern = patterns.get(syntax);
  if (!pattern) {
    const { words = [], stop = ";", comma, folded } = syntax;
    const pairs = words.map(([open, close]) => `(${open})|(${close})|`).join("");
    pattern = new RegExp(`${pairs}(${stop})|[{}()[\\]${comma ? "," : ""}]`, folded ? "gim" : "gm");
    patterns.set(syntax, pattern);
  }
  pattern.lastIndex = 0;
  return pattern;
}

export class Blocks {
  readonly #masked: string;
  readonly #syntax: BlockSyntax;
  readonly #search: ForwardSearch;
  readonly #at: number[] = [];
  readonly #ends: number[] = [];
  readonly #types: number[] = [];
  readonly #partner: number[] = [];
  readonly #mark: string[] = [];
  /** Open brackets around the last position asked for. */
  readonly #around: number[] = [];
  #passed = 0;
  #stops: Int32Array | undefined;

  constructor(masked: string, syntax: BlockSyntax) {
    this.#masked = masked;
    this.#syntax = syntax;
    this.#search = new ForwardSearch(masked);
    const { words = [] } = syntax;
    const tokens = tokenPattern(syntax);
    const waiting: number[] = [];
    const counts = new Map<string, number>();
    for (let it = tokens.exec(masked); it; it = tokens.exec(masked)) {
      if (it[0] === "") tokens.lastIndex++;
      const index = this.#at.length;
      const pair = words.findIndex((_, i) => it![2 * i + 1] !== undefined || it![2 * i + 2] !== undefined);
      const mark = pair >= 0 ? `${WORD}${pair}` : it[0];
      if (pair >= 0 && waiting.length > 0 && LISTS.has(this.#mark[waiting.at(-1)!]!)) continue;
      const closes = pair >= 0 ? it[2 * pair + 2] !== undefined : mark in PARTNER;
      const type = it[2 * words.length + 1] !== undefined ? STOP : mark === "," ? COMMA : closes ? CLOSE : OPEN;
      this.#at.push(it.index);
      this.#ends.push(it.index + it[0].length);
      this.#types.push(type);
      this.#mark.push(mark);
      this.#partner.push(-1);
      if (type === OPEN) {
        waiting.push(index);
        counts.set(mark, (counts.get(mark) ?? 0) + 1);
      } else if (type === CLOSE) this.#match(index, PARTNER[mark] ?? mark, waiting, counts);
    }
  }

  /** What was left open in between stays without a partner. */
  #match(index: number, wanted: string, waiting: number[], counts: Map<string, number>): void {
    if (!counts.get(wanted)) return;
    for (let top = waiting.pop()!; ; top = waiting.pop()!) {
      const mark = this.#mark[top]!;
      counts.set(mark, counts.get(mark)! - 1);
      if (mark !== wanted) continue;
      this.#partner[top] = index;
      this.#partner[index] = top;
      return;
    }
  }

  at(index: number): number {
    return this.#at[index]!;
  }

  /** The innermost bracket around an offset, or -1. Must be called with ascending offsets. */
  enclosing(offset: number): number {
    for (; this.#passed < this.#at.length && this.#at[this.#passed]! < offset; this.#passed++) {
      const index = this.#passed;
      const partner = this.#partner[index]!;
      if (partner < 0) continue;
      if (this.#types[index] === OPEN) this.#around.push(index);
      else while (this.#around.length > 0 && this.#around.at(-1)! >= partner) this.#around.pop();
    }
    return this.#around.at(-1) ?? -1;
  }

  /** Brackets and words around the last position asked for. */
  get depth(): number {
    return this.#around.length;
  }

  /** The end of a value: before the comma or bracket that follows it. */
  valueEnd(from: number): number {
    for (let i = this.#indexAt(from), steps = 0; i < this.#at.length && steps < MAX_STEPS; i++, steps++) {
      if (this.#types[i] !== OPEN) return this.#at[i]!;
      if (this.#partner[i]! < 0) break;
      i = this.#partner[i]!;
    }
    return this.#lineEnd(from);
  }

  /** Offsets after the brackets and terminators between two offsets. */
  *startsBetween(from: number, to: number): Generator<number> {
    for (let i = this.#indexAt(from); i < this.#at.length && this.#at[i]! < to; i++) yield this.#ends[i]!;
  }

  /** After the terminator of the statement around `from`. */
  statementEnd(from: number): number {
    if (this.#syntax.lines) return this.#lineStatementEnd(from);
    const last = this.#nextStop(this.#indexAt(from));
    if (last < 0) return this.#lineEnd(from);
    return this.#types[last] === STOP ? this.#ends[last]! : this.#at[last]!;
  }

  /** The terminator, or the bracket that closes around it, that follows a token on its level. */
  #nextStop(index: number): number {
    this.#stops ??= this.#findStops();
    return this.#stops[index] ?? -1;
  }

  #findStops(): Int32Array {
    const stops = new Int32Array(this.#at.length).fill(-1);
    for (let i = stops.length - 1; i >= 0; i--) {
      const isOpen = this.#types[i] === OPEN && this.#partner[i]! >= 0;
      const next = isOpen ? this.#partner[i]! + 1 : i + 1;
      const isStop = this.#types[i] === STOP || (this.#types[i] === CLOSE && this.#partner[i]! >= 0);
      stops[i] = isStop ? i : (stops[next] ?? -1);
    }
    return stops;
  }

  #lineStatementEnd(from: number): number {
    let line = from;
    for (let i = this.#indexAt(from), steps = 0; i < this.#at.length && steps < MAX_STEPS; i++, steps++) {
      if (this.#types[i] === CLOSE || this.#breaks(line, this.#at[i]!)) break;
      if (this.#types[i] === STOP) return this.#ends[i]!;
      if (this.#partner[i]! < 0) break;
      i = this.#partner[i]!;
      line = this.#ends[i]!;
    }
    return this.#lineEnd(line);
  }

  /** The first bracket of any kind after `from`, or -1. */
  firstBracket(from: number): number {
    const i = this.#indexAt(from);
    return this.#types[i] === OPEN ? i : -1;
  }

  /** The block whose opening word is the first one from `start`. */
  wordExtent(start: number, matched: number): { end: number; body: number } {
    for (let i = this.#indexAt(start); i < this.#at.length && this.#at[i]! <= matched; i++) {
      const partner = this.#partner[i]!;
      if (this.#mark[i]!.startsWith(WORD) && this.#types[i] === OPEN && partner >= 0)
        return { end: this.#ends[partner]!, body: i };
    }
    return { end: this.#lineEnd(matched), body: -1 };
  }

  /** The brackets that begin at an offset. */
  group(at: number): { end: number; body: number } {
    const index = this.#indexAt(at);
    const partner = this.#at[index] === at ? this.#partner[index]! : -1;
    return partner < 0 ? { end: this.#lineEnd(at), body: -1 } : { end: this.#ends[partner]!, body: index };
  }

  /** Where the brackets close that an index opens; the end of the text for -1. */
  closes(index: number): number {
    return index < 0 ? this.#masked.length : this.#at[this.#partner[index]!]!;
  }

  /** The block that follows a name. At the margin, a bracket that nothing closes ends with the next one there. */
  extent(nameEnd: number, place: { readonly margin?: true }): { end: number; body: number } {
    const { lines } = this.#syntax;
    let line = nameEnd;
    const first = this.#indexAt(nameEnd);
    // The name may be the argument of a macro.
    const isArgument = this.#mark[first] === ")" && !this.#breaks(nameEnd, this.#at[first]!);
    for (let i = isArgument ? first + 1 : first, steps = 0; i < this.#at.length && steps < MAX_STEPS; i++, steps++) {
      const at = this.#at[i]!;
      if (lines && this.#breaks(line, at)) break;
      if (this.#types[i] === STOP) return { end: this.#ends[i]!, body: -1 };
      if (this.#types[i] === CLOSE) return { end: at, body: -1 };
      const partner = this.#partner[i]!;
      const isBody = this.#mark[i] === "{" || this.#mark[i]!.startsWith(WORD);
      if (isBody && partner >= 0) return { end: this.#ends[partner]!, body: i };
      if (isBody && place.margin)
        return { end: Math.min(this.#masked.length, this.#search.next("\n}", at) + 2), body: i };
      if (partner < 0) break;
      i = partner;
      line = this.#ends[i]!;
    }
    return { end: this.#lineEnd(line), body: -1 };
  }

  /** Whether the head ends with its line: another line follows that does not begin with the bracket. */
  #breaks(from: number, at: number): boolean {
    const newline = this.#search.next("\n", from);
    if (newline > at) return false;
    for (let i = newline; i < at; i++) if (this.#masked.charCodeAt(i) > 0x20) return true;
    return false;
  }

  #lineEnd(from: number): number {
    return this.#search.next("\n", from);
  }

  /** The first token at or after an offset. */
  #indexAt(offset: number): number {
    let [low, high] = [0, this.#at.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#at[middle]! < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
