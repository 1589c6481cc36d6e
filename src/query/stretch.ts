/** Where lines of a file begin and end, found from the nearest symbol instead of from the top: files may be long. */
import type { CodeSymbol } from "../model/code.ts";
import { lineOffset } from "../text/lines.ts";

/** A file, and the part of it that is shown. */
export interface Stretch {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

export interface Anchored {
  readonly text: string;
  /** Sorted by where they begin. */
  readonly symbols: readonly CodeSymbol[];
}

/** The lines with their breaks. */
export function stretchOf({ text, symbols }: Anchored, first: number, last: number): Stretch {
  const anchor = symbols[symbolsBefore(symbols, first) - 1];
  const [line, from] = anchor === undefined ? [1, 0] : [anchor.span.lineStart, beginOfLine(text, anchor.span.start)];
  const start = lineOffset(text, first - line + 1, from);
  return { text, start, end: lineOffset(text, last - first + 2, start) };
}

function beginOfLine(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf("\n", offset - 1) + 1;
}

/** How many of them begin on the line or before it. */
export function symbolsBefore(symbols: readonly CodeSymbol[], line: number): number {
  let low = 0;
  for (let high = symbols.length; low < high; ) {
    const middle = (low + high) >>> 1;
    if (symbols[middle]!.span.lineStart <= line) low = middle + 1;
    else high = middle;
  }
  return low;
}
