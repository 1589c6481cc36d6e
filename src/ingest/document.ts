/** The words that a file's chunks are found by, counted once for full text and for whoever embeds them. */
import { lineStarts } from "../text/lines.ts";
import { countAsciiWords, countWords, type WordCounts } from "../text/terms.ts";
import { chunkNames, pathLabel } from "./chunk-names.ts";
import type { FileReading } from "./read-file.ts";

export interface FileWordCounts {
  /** Of the file's name and directories, under which each of its chunks is found. */
  readonly path: WordCounts;
  /** The same as models are told it. */
  readonly place: WordCounts;
  readonly chunks: readonly ChunkWordCounts[];
}

export interface ChunkWordCounts {
  readonly lines: WordCounts;
  /** Of what it is called. */
  readonly names: WordCounts;
}

/** The file's name says what the whole file is about; once is too little against 750 characters of text. */
const STEM_REPEAT = 2;
const LAST_DIRECTORIES = 3;

export function countFileWords({ record, text, ascii }: Omit<FileReading, "facts">): FileWordCounts {
  const { path, symbols, chunks } = record;
  const starts = lineStarts(text);
  const wordsIn = (from: number | undefined, to: number | undefined) =>
    ascii === undefined ? countWords(text, from, to) : countAsciiWords(ascii, from, to);
  return {
    path: countWords(pathText(path)),
    place: countWords(pathLabel(path)),
    chunks: chunks.map((chunk) => ({
      lines: wordsIn(starts[chunk.lineStart - 1], starts[chunk.lineEnd]),
      names: countWords(chunkNames(symbols, chunk)),
    })),
  };
}

function pathText(path: string): string {
  const directories = path.split("/");
  const stem = (directories.pop() ?? "").replace(/(?<=.)\.[^.]*$/, "");
  return [...new Array<string>(STEM_REPEAT).fill(stem), ...directories.slice(-LAST_DIRECTORIES)].join("/");
}
