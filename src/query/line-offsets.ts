/** Where lines of a file begin and end, found from the nearest symbol instead of from the top: files may be long. */
import type { FileFrame } from "../model/code.ts";
import { lineOffset } from "../text/lines.ts";

/** A file, and the part of it that is shown. */
export interface Stretch {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

export interface Anchored {
  readonly text: string;
  /** Its symbols are sorted by where they begin. */
  readonly frame: Pick<FileFrame, "symbolCount" | "line" | "start">;
}

/** The lines with their breaks. */
export function stretchOf({ text, frame }: Anchored, first: number, last: number): Stretch {
  const anchor = symbolsBefore(frame, first) - 1;
  const [line, from] = anchor < 0 ? [1, 0] : [frame.line(anchor), beginOfLine(text, frame.start(anchor))];
  const start = lineOffset(text, first - line + 1, from);
  return { text, start, end: lineOffset(text, last - first + 2, start) };
}

function beginOfLine(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf("\n", offset - 1) + 1;
}

/** How many of them begin on the line or before it. */
export function symbolsBefore(frame: Anchored["frame"], line: number): number {
  let low = 0;
  for (let high = frame.symbolCount; low < high; ) {
    const middle = (low + high) >>> 1;
    if (frame.line(middle) <= line) low = middle + 1;
    else high = middle;
  }
  return low;
}
