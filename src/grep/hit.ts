/** Matching lines with what stands around them. */
import type { CodeSymbol, FileFrame } from "../model/code.ts";
import type { GrepAsk, GrepHit } from "../model/grep.ts";
import type { Pattern } from "../regex/pattern.ts";
import { lineStarts, sliceLines } from "../text/lines.ts";

export interface ShownFile {
  readonly path: string;
  readonly language: string;
  readonly text: string;
  /** Absent: it has none. */
  readonly definitions?: Definitions | undefined;
}

export type Definitions = Pick<FileFrame, "symbolCount" | "line" | "lastLine" | "symbol">;

/** Matches further right in a line are not looked for: nobody sees them. */
const LONGEST_MARKED = 2_000;

export function hitOf(file: ShownFile, lines: readonly number[], ask: GrepAsk, pattern: Pattern): GrepHit[] {
  const starts = lineStarts(file.text);
  const lineAt = (line: number) => sliceLines(file.text, line, line, starts).replace(/\r$/, "");
  const between = (from: number, to: number) =>
    Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => lineAt(from + i));
  const around = enclosing(file.definitions);
  return lines.map((line) => {
    const text = lineAt(line);
    const symbol = around(line);
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
function enclosing(all: Definitions | undefined): (line: number) => CodeSymbol | undefined {
  if (all === undefined) return () => undefined;
  const lastLines = Int32Array.from({ length: all.symbolCount }, (_, index) => all.lastLine(index));
  return (line) => {
    let best = -1;
    for (let index = 0; index < lastLines.length; index++) {
      const first = all.line(index);
      if (first > line || lastLines[index]! < line) continue;
      if (best < 0 || first >= all.line(best)) best = index;
    }
    return best < 0 ? undefined : all.symbol(best);
  };
}
