/** Matching lines with what stands around them. */
import type { CodeSymbol } from "../model/code.ts";
import type { GrepAsk, GrepHit } from "../model/grep.ts";
import type { Pattern } from "../regex/pattern.ts";
import { lineStarts, sliceLines } from "../text/lines.ts";

export interface ShownFile {
  readonly path: string;
  readonly language: string;
  readonly text: string;
  readonly symbols: readonly CodeSymbol[];
}

/** Matches further right in a line are not looked for: nobody sees them. */
const LONGEST_MARKED = 2_000;

export function hitOf(file: ShownFile, lines: readonly number[], ask: GrepAsk, pattern: Pattern): GrepHit[] {
  const starts = lineStarts(file.text);
  const lineAt = (line: number) => sliceLines(file.text, line, line, starts).replace(/\r$/, "");
  const between = (from: number, to: number) =>
    Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => lineAt(from + i));
  return lines.map((line) => {
    const text = lineAt(line);
    const symbol = enclosing(file.symbols, line);
    const [above, below] = aroundOf(ask, symbol, line);
    return {
      path: file.path,
      language: file.language,
      line,
      text,
      before: between(Math.max(1, line - above), line - 1),
      after: between(line + 1, Math.min(starts.length, line + below)),
      ...(symbol && { symbol }),
      spans: () => pattern.spans(text.slice(0, LONGEST_MARKED)),
    };
  });
}

/** Lines of context before and after. */
function aroundOf({ before, after, section }: GrepAsk, symbol: CodeSymbol | undefined, line: number): [number, number] {
  if (section !== true || symbol === undefined) return [before, after];
  return [line - symbol.span.lineStart, symbol.span.lineEnd - line];
}

/** The innermost of the definitions around a line: the one that starts last. */
function enclosing(symbols: readonly CodeSymbol[], line: number): CodeSymbol | undefined {
  let best: CodeSymbol | undefined;
  for (const symbol of symbols) {
    const { lineStart, lineEnd } = symbol.span;
    if (lineStart > line || lineEnd < line) continue;
    if (best === undefined || lineStart >= best.span.lineStart) best = symbol;
  }
  return best;
}
