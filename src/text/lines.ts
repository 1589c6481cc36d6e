/** Lines of a text. Only `\n` separates them (a `\r` before it stays in the line); numbers are 1-based, inclusive. */

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
export function sliceLines(text: string, first: number, last: number, starts = lineStarts(text)): string {
  const from = Math.max(1, first);
  const to = Math.min(starts.length, last);
  if (from > to) return "";
  const end = to < starts.length ? starts[to]! : text.length;
  const slice = text.slice(starts[from - 1], end);
  return slice.endsWith("\n") ? slice.slice(0, -1) : slice;
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
