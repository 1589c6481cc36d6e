/** What full text knows of a chunk: the terms of its lines, and of where it stands. */
import type { Chunk, CodeSymbol } from "../model/code.ts";
import { eachTerm } from "../text/terms.ts";
import { eachName } from "./names.ts";

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
  eachName(document.symbols, document.chunk, (name) => eachTerm(name, emit));
}
