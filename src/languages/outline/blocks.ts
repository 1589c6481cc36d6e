/** Brackets, block words and terminators of a masked text, and which of them belong together. */

import { ForwardSearch } from "./mask.ts";

export interface BlockSyntax {
  /** Sources of regular expressions: words such as `begin` and `end`, beside the brackets. They do not count inside `(` and `[`. */
  readonly open?: string;
  readonly close?: string;
  /** What ends a statement. Default: `;`. */
  readonly stop?: string;
  /** A head without a bracket ends with its line. */
  readonly lines?: true;
  readonly folded?: true;
  /** Brackets that enclose members, besides words. Default: `{`. */
  readonly body?: string;
}

export const BRACES: BlockSyntax = {};

const OPEN = 1;
const CLOSE = 2;
const STOP = 3;
/** Brackets and terminators between a name and its body that are looked at. */
const MAX_STEPS = 64;
const WORD = "w";
const LISTS: ReadonlySet<string> = new Set(["(", "["]);
const PARTNER: Readonly<Record<string, string>> = { "}": "{", ")": "(", "]": "[" };

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

  constructor(masked: string, syntax: BlockSyntax) {
    this.#masked = masked;
    this.#syntax = syntax;
    this.#search = new ForwardSearch(masked);
    const { open = "(?!)", close = "(?!)", stop = ";" } = syntax;
    const tokens = new RegExp(`(${open})|(${close})|(${stop})|[{}()[\\]]`, syntax.folded ? "gim" : "gm");
    const waiting: number[] = [];
    const counts = new Map<string, number>();
    for (let it = tokens.exec(masked); it; it = tokens.exec(masked)) {
      if (it[0] === "") tokens.lastIndex++;
      const index = this.#at.length;
      const isWord = it[1] !== undefined || it[2] !== undefined;
      const mark = isWord ? WORD : it[0];
      if (isWord && waiting.length > 0 && LISTS.has(this.#mark[waiting.at(-1)!]!)) continue;
      const type = it[3] !== undefined ? STOP : it[2] !== undefined || mark in PARTNER ? CLOSE : OPEN;
      this.#at.push(it.index);
      this.#ends.push(it.index + it[0].length);
      this.#types.push(type);
      this.#mark.push(mark);
      this.#partner.push(-1);
      if (type === OPEN) {
        waiting.push(index);
        counts.set(mark, (counts.get(mark) ?? 0) + 1);
      } else if (type === CLOSE) this.#match(index, isWord ? WORD : PARTNER[mark]!, waiting, counts);
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

  /** Offsets after the brackets and terminators between two offsets. */
  *startsBetween(from: number, to: number): Generator<number> {
    for (let i = this.#indexAt(from); i < this.#at.length && this.#at[i]! < to; i++) yield this.#ends[i]!;
  }

  /** After the terminator of the statement around `from`. */
  statementEnd(from: number): number {
    let line = from;
    for (let i = this.#indexAt(from), steps = 0; i < this.#at.length && steps < MAX_STEPS; i++, steps++) {
      if (this.#syntax.lines && this.#breaks(line, this.#at[i]!)) break;
      if (this.#types[i] === STOP) return this.#ends[i]!;
      if (this.#types[i] === CLOSE) return this.#at[i]!;
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
  wordExtent(start: number, nameEnd: number): { end: number; body: number } {
    for (let i = this.#indexAt(start); i < this.#at.length && this.#at[i]! <= nameEnd; i++) {
      const partner = this.#partner[i]!;
      if (this.#mark[i] === WORD && this.#types[i] === OPEN && partner >= 0)
        return { end: this.#ends[partner]!, body: i };
    }
    return { end: this.#lineEnd(nameEnd), body: -1 };
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
    const { lines, body = "{" } = this.#syntax;
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
      const isBody = this.#mark[i] === WORD || body.includes(this.#mark[i]!);
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
