/** What full text knows of a chunk: the terms of its lines, and of where it stands. */
import type { Chunk, CodeSymbol } from "../model/code.ts";
import { eachTerm } from "../text/terms.ts";

export interface ChunkDocument {
  readonly path: string;
  /** All symbols of the file. */
  readonly symbols: readonly CodeSymbol[];
  readonly chunk: Chunk;
  /** The chunk's own lines. */
  readonly text: string;
}

/** The file's name says what the whole file is about; once is too little against 750 characters of text. */
const STEM_REPEAT = 2;
const LAST_DIRECTORIES = 3;

/** Calls `emit` with every term under which the chunk is found. */
export function emitChunkTerms(document: ChunkDocument, emit: (term: string) => void): void {
  eachTerm(document.text, emit);
  const directories = document.path.split("/");
  const stem = (directories.pop() ?? "").replace(/(?<=.)\.[^.]*$/, "");
  for (let i = 0; i < STEM_REPEAT; i++) eachTerm(stem, emit);
  for (const directory of directories.slice(-LAST_DIRECTORIES)) eachTerm(directory, emit);
  emitNames(document, emit);
}

/**
 * Names of the symbols that begin in the chunk, so that defining counts more than using (+0.003 NDCG), and of those
 * around it, so that the middle of a long function is found by its name.
 */
function emitNames({ symbols, chunk }: ChunkDocument, emit: (term: string) => void): void {
  for (let i = firstFrom(symbols, chunk.lineStart); i < symbols.length; i++) {
    const { kind, name, span } = symbols[i]!;
    if (span.lineStart > chunk.lineEnd) break;
    if (!UNNAMED.has(kind)) eachTerm(name, emit);
  }
  let at = chunk.symbol;
  for (let depth = 0; at !== undefined && depth < MAX_DEPTH; depth++) {
    const symbol = symbols[at];
    if (symbol === undefined) return;
    if (symbol.span.lineStart < chunk.lineStart) eachTerm(symbol.name, emit);
    at = symbol.parent;
  }
}

/** Deeper nesting is made by machines. */
const MAX_DEPTH = 8;
/** Imports define nothing; fields are named often enough by the code around them. */
const UNNAMED: ReadonlySet<string> = new Set(["use", "field"]);

/** Symbols stand in the order of their first lines. */
function firstFrom(symbols: readonly CodeSymbol[], line: number): number {
  let low = 0;
  let high = symbols.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (symbols[middle]!.span.lineStart < line) low = middle + 1;
    else high = middle;
  }
  return low;
}
