/** What full text knows of a chunk: the terms of its lines, and of where it stands. */
import type { Chunk, CodeSymbol } from "../model/code.ts";
import { eachWord, type Word } from "../text/terms.ts";
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

/** Calls `take` with every word under whose terms the chunk is found. */
export function eachChunkWord(document: ChunkDocument, take: (word: Word) => void): void {
  eachWord(document.text, take);
  const directories = document.path.split("/");
  const stem = (directories.pop() ?? "").replace(/(?<=.)\.[^.]*$/, "");
  for (let i = 0; i < STEM_REPEAT; i++) eachWord(stem, take);
  for (const directory of directories.slice(-LAST_DIRECTORIES)) eachWord(directory, take);
  eachName(document.symbols, document.chunk, (name) => eachWord(name, take));
}
