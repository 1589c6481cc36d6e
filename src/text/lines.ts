/** Lines of a text. Only `\n` separates them (a `\r` before it is part of the line); numbers are 1-based, inclusive. */

/** Offset of each line's first character. A final `\n` ends the last line, it does not begin another. */
export function lineStarts(text: string): number[] {
  const starts: number[] = text.length > 0 ? [0] : [];
  for (let at = text.indexOf("\n"); at >= 0 && at + 1 < text.length; at = text.indexOf("\n", at + 1))
    starts.push(at + 1);
  return starts;
}

export function lineCount(text: string): number {
  return lineStarts(text).length;
}

/** The lines `first`..`last` without the final line break; what lies outside the text is left out. */
export function sliceLines(text: string, first: number, last: number, starts?: readonly number[]): string {
  const from = Math.max(1, first);
  if (last < from) return "";
  if (starts !== undefined) return withoutBreak(text.slice(starts[from - 1] ?? text.length, starts[last]));
  const start = lineOffset(text, from);
  return withoutBreak(text.slice(start, lineOffset(text, last - from + 2, start)));
}

/** Offset of a line, counted from 1 at the line that starts at `from`; the end of the text if there are fewer lines. */
export function lineOffset(text: string, line: number, from = 0): number {
  let at = from;
  for (let left = line - 1; left > 0; left--) {
    const end = text.indexOf("\n", at);
    if (end < 0) return text.length;
    at = end + 1;
  }
  return at;
}

export function withoutBreak(lines: string): string {
  return lines.endsWith("\n") ? lines.slice(0, -1) : lines;
}

/** The line that holds the offset. */
export function lineAt(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (starts[middle]! <= offset) low = middle + 1;
    else high = middle;
  }
  return Math.max(1, low);
}
