/** Matching lines with their context. */
import { lowerBound } from "../model/binary-search.ts";
import type { CodeSymbol, FileFrame } from "../model/code.ts";
import { isLongTurn, nextTurn } from "../model/event-loop.ts";
import type { GrepHit, GrepRequest } from "../model/grep.ts";
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

/** Matches further right in a line are not marked. */
const LONGEST_MARKED = 2_000;

/** `lines` ascend. */
export async function hitsIn(
  file: ShownFile,
  lines: readonly number[],
  ask: GrepRequest,
  pattern: Pattern,
): Promise<GrepHit[]> {
  const starts = lineStarts(file.text);
  const lineAt = (line: number) => sliceLines(file.text, line, line, starts).replace(/\r$/, "");
  const between = (from: number, to: number) =>
    Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => lineAt(from + i));
  const spans = pattern.spansInLines(file.text);
  const around = file.definitions && (await enclosing(file.definitions, lines));
  return lines.map((line, at) => {
    const text = lineAt(line);
    const symbol = around?.[at];
    const [above, below] = contextAround(ask, symbol, line);
    return {
      path: file.path,
      language: file.language,
      line,
      text,
      before: between(Math.max(1, line - above), line - 1),
      after: between(line + 1, Math.min(starts.length, line + below)),
      ...(symbol && { symbol }),
      spans: () =>
        ask.everyMatch === true
          ? spans(starts[line - 1]!, text, Number.POSITIVE_INFINITY)
          : spans(starts[line - 1]!, text.slice(0, LONGEST_MARKED)),
    };
  });
}

/** Lines of context before and after. */
function contextAround(
  { before, after, section }: GrepRequest,
  symbol: CodeSymbol | undefined,
  line: number,
): [number, number] {
  if (section !== true || symbol === undefined) return [before, after];
  return [line - symbol.span.lineStart, symbol.span.lineEnd - line];
}

/** Around each of the lines the innermost of the definitions: the one that starts last. */
async function enclosing(all: Definitions, lines: readonly number[]): Promise<(CodeSymbol | undefined)[]> {
  const innermost = new Int32Array(lines.length).fill(-1);
  for (let index = 0; index < all.symbolCount; index++) {
    if (isLongTurn()) await nextTurn();
    const first = all.line(index);
    let at = lowerBound(lines, first);
    if (at === lines.length) continue;
    for (const last = all.lastLine(index); at < lines.length && lines[at]! <= last; at++) {
      if (innermost[at]! < 0 || first >= all.line(innermost[at]!)) innermost[at] = index;
    }
  }
  return Array.from(innermost, (index) => (index < 0 ? undefined : all.symbol(index)));
}
