/** What a file is found by: the words of its chunks, its path, its symbol names and the names it uses. */
import { partitionPoint } from "../model/binary-search.ts";
import type { Chunk, CodeSymbol, FileRecord } from "../model/code.ts";
import { type Facts, importedModules, mentionedNames } from "../model/edges.ts";
import { type Hash, type ProjectId, symbolId, symbolStableId } from "../model/ids.ts";
import type { Passage } from "../model/vectors.ts";
import type { SegmentBuilder } from "../segment/build.ts";
import { lineStarts, sliceLines } from "../text/lines.ts";
import { countWords, type WordCounts } from "../text/terms.ts";

/** Word counts of a file, shared by full text and embeddings. */
interface FileWordCounts {
  /** Of the file name and directories; counted for each chunk. */
  readonly path: WordCounts;
  /** Of the path as embedding models see it. */
  readonly place: WordCounts;
  readonly chunks: readonly { readonly lines: WordCounts; readonly names: WordCounts }[];
}

/** The file name describes the whole file; once is too little against 750 characters of text. */
const STEM_REPEAT = 2;
const LAST_DIRECTORIES = 3;

export function countFileWords({ record, text }: Pick<ReadFile, "record" | "text">): FileWordCounts {
  const { path, symbols, chunks } = record;
  const starts = lineStarts(text);
  return {
    path: countWords(pathText(path)),
    place: countWords(pathLabel(path)),
    chunks: chunks.map((chunk) => ({
      lines: countWords(text, starts[chunk.lineStart - 1], starts[chunk.lineEnd]),
      names: countWords(chunkNames(symbols, chunk)),
    })),
  };
}

function pathText(path: string): string {
  const directories = path.split("/");
  const stem = (directories.pop() ?? "").replace(/(?<=.)\.[^.]*$/, "");
  return [...new Array<string>(STEM_REPEAT).fill(stem), ...directories.slice(-LAST_DIRECTORIES)].join("/");
}

/**
 * Names of the symbols that start in the chunk, so that a definition counts more than a use (+0.003 NDCG), and of the
 * enclosing symbols, so that the middle of a long function is found by its name.
 */
function chunkNames(symbols: readonly CodeSymbol[], chunk: Chunk): string {
  const names: string[] = [];
  // Symbols are sorted by their first lines.
  const first = partitionPoint(symbols.length, (i) => symbols[i]!.span.lineStart < chunk.lineStart);
  for (let i = first; i < symbols.length; i++) {
    const { kind, name, span } = symbols[i]!;
    if (span.lineStart > chunk.lineEnd) break;
    if (!UNNAMED.has(kind)) names.push(name);
  }
  let at = chunk.symbol;
  for (let depth = 0; at !== undefined && depth < MAX_DEPTH; depth++) {
    const symbol = symbols[at];
    if (symbol === undefined) break;
    if (symbol.span.lineStart < chunk.lineStart) names.push(symbol.name);
    at = symbol.parent;
  }
  return names.join(" ");
}

/** `src/net/http_client.rs` → `net http_client`. */
function pathLabel(path: string): string {
  return path
    .replace(/(?<=[^/])\.[^./]*$/, "")
    .split("/")
    .slice(-2)
    .join(" ");
}

/** Deeper nesting is generated code. */
const MAX_DEPTH = 8;
/** Imports define nothing; fields are named often enough by the code around them. */
const UNNAMED: ReadonlySet<string> = new Set(["use", "field"]);

/**
 * The chunks as texts for an embedding model: lines, symbol names, file and directory. The names raise NDCG@10 of semantic
 * search from 0.69 to 0.75 on the retrieval suite.
 */
export function chunkPassages({ path, symbols, chunks }: FileRecord, text: string): Passage[] {
  const starts = lineStarts(text);
  const place = pathLabel(path);
  return chunks.map((chunk) => {
    const lines = sliceLines(text, chunk.lineStart, chunk.lineEnd, starts);
    return { text: `${lines}\n${chunkNames(symbols, chunk)}\n${place}`, path };
  });
}

export interface ReadFile {
  readonly record: FileRecord;
  readonly text: string;
  readonly facts?: Facts;
}

export interface CountedFile extends ReadFile {
  readonly words: FileWordCounts;
}

/** Adds a file to a segment. `ids` is the input of symbol ids. */
export function indexFile(
  builder: SegmentBuilder,
  { record, text, facts, words }: CountedFile,
  ids: { readonly project: ProjectId; readonly hash: Hash },
): void {
  const { path, language, symbols } = record;
  builder.beginFile();
  builder.text(text);
  for (const { kind, name, qualifiedName, ordinal } of symbols) {
    const identity = { language, path, kind, qualifiedName, ordinal };
    builder.symbol(name, symbolId(ids.project, identity, ids.hash), symbolStableId(identity, ids.hash));
  }
  for (const { lines, names } of words.chunks) {
    builder.beginChunk();
    builder.words(lines);
    builder.words(words.path);
    builder.words(names);
  }
  if (facts !== undefined) builder.mentions(mentionedNames(facts), importedModules(facts));
}
