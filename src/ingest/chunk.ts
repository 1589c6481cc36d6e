/**
 * Splits a text into chunks of whole lines, the unit of text retrieval. Prefers to split before a definition and its
 * comment, then at a blank line. Every line that is not blank is in exactly one chunk.
 */
import type { Chunk, CodeSymbol } from "../model/code.ts";
import { lineStarts } from "../text/lines.ts";

/** Target size in characters. */
export const CHUNK_SIZE = 750;
/** A longer line is a chunk by itself. */
export const LONG_LINE = 2_000;
/** A definition starts a new chunk once the current one has this share of the size. */
const EARLY_CUT = 0.5;

export function chunk(
  text: string,
  symbols: readonly CodeSymbol[],
  starts: readonly number[] = lineStarts(text),
): Chunk[] {
  const page: ChunkSource = { text, starts, worth: rateCuts(text, starts, symbols) };
  const inner = innermostByLine(symbols);
  const chunks: Chunk[] = [];
  for (let first = nextText(page, 1); first <= starts.length; ) {
    const end = findChunkEnd(page, first);
    chunks.push({ lineStart: first, lineEnd: lastText(page, first, end), ...findChunkSymbol(page, inner, first, end) });
    first = nextText(page, end + 1);
  }
  return chunks;
}

interface ChunkSource {
  readonly text: string;
  readonly starts: readonly number[];
  /** By line: `DEFINITION` or `AFTER_BLANK` where a chunk may start, else 0. */
  readonly worth: Uint8Array;
}

/** The chunk's last line. */
function findChunkEnd(page: ChunkSource, first: number): number {
  let size = lineLength(page, first);
  if (size > LONG_LINE) return first;
  let blank: number | undefined;
  for (let line = first + 1; line <= page.starts.length; line++) {
    const length = lineLength(page, line);
    if (length > LONG_LINE) return line - 1;
    const worth = size >= CHUNK_SIZE * EARLY_CUT ? page.worth[line] : 0;
    if (worth === DEFINITION) return line - 1;
    if (worth === AFTER_BLANK) blank = line;
    size += length;
    if (size > CHUNK_SIZE) return (blank ?? line) - 1;
  }
  return page.starts.length;
}

const AFTER_BLANK = 1;
const DEFINITION = 2;

function rateCuts(text: string, starts: readonly number[], symbols: readonly CodeSymbol[]): Uint8Array {
  const worth = new Uint8Array(starts.length + 2);
  for (let line = 2; line <= starts.length; line++) if (isBlank(text, starts, line - 1)) worth[line] = AFTER_BLANK;
  for (const symbol of symbols) {
    if (!LISTED_KINDS.has(symbol.kind)) worth[definitionStart(text, starts, symbol.span.lineStart)] = DEFINITION;
  }
  return worth;
}

/** Lists of these stay together. */
const LISTED_KINDS: ReadonlySet<string> = new Set(["use", "field", "variant", "property", "package", "var", "const"]);

const COMMENT_OR_ATTRIBUTE = /^\s*(?:\/\/|\/\*|\*|#|--|@|"""|;|%|\[[A-Z]|<!--|\{-)/;

/** The first line of the comments and attributes right above a definition. */
function definitionStart(text: string, starts: readonly number[], line: number): number {
  let head = Math.min(line, starts.length);
  while (head > 1 && COMMENT_OR_ATTRIBUTE.test(headText(text, starts, head - 1))) head--;
  return head;
}

function headText(text: string, starts: readonly number[], line: number): string {
  const from = starts[line - 1]!;
  return text.slice(from, Math.min(from + 80, starts[line] ?? text.length));
}

type SymbolAt = (line: number) => number | undefined;

/** The innermost symbol around the first line of code, else the first one that starts in the chunk. */
function findChunkSymbol(page: ChunkSource, innermost: SymbolAt, first: number, end: number): { symbol?: number } {
  const outer = innermost(first);
  for (let line = first; line <= end; line++) {
    if (isBlank(page.text, page.starts, line) || COMMENT_OR_ATTRIBUTE.test(headText(page.text, page.starts, line)))
      continue;
    const symbol = innermost(line);
    if (symbol !== undefined) return { symbol };
  }
  return outer === undefined ? {} : { symbol: outer };
}

const NEVER_ABOUT: ReadonlySet<string> = new Set(["use", "package"]);

/** Returns the innermost symbol of a line; must be called with ascending lines. Symbols are sorted by their start. */
function innermostByLine(symbols: readonly CodeSymbol[]): SymbolAt {
  let next = 0;
  const open: number[] = [];
  return (line) => {
    for (; next < symbols.length && symbols[next]!.span.lineStart <= line; next++) {
      if (!NEVER_ABOUT.has(symbols[next]!.kind)) open.push(next);
    }
    while (open.length > 0 && symbols[open.at(-1)!]!.span.lineEnd < line) open.pop();
    return open.findLast((index) => symbols[index]!.span.lineEnd >= line && symbols[index]!.span.lineStart <= line);
  };
}

function nextText(page: ChunkSource, line: number): number {
  let at = line;
  while (at <= page.starts.length && isBlank(page.text, page.starts, at)) at++;
  return at;
}

function lastText(page: ChunkSource, first: number, line: number): number {
  let at = line;
  while (at > first && isBlank(page.text, page.starts, at)) at--;
  return at;
}

function lineLength(page: ChunkSource, line: number): number {
  return (page.starts[line] ?? page.text.length) - page.starts[line - 1]!;
}

function isBlank(text: string, starts: readonly number[], line: number): boolean {
  const end = starts[line] ?? text.length;
  for (let at = starts[line - 1]!; at < end; at++) {
    const unit = text.charCodeAt(at);
    if (unit !== 0x20 && (unit < 0x09 || unit > 0x0d)) return false;
  }
  return true;
}
