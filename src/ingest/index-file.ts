/** Puts what was read of a file into a segment: its names, the words of its chunks, what it uses and imports. */
import type { FileRecord } from "../model/code.ts";
import { type Facts, importedModules, mentionedNames } from "../model/edges.ts";
import { type Hash, type ProjectId, symbolId, symbolStableId } from "../model/ids.ts";
import type { SegmentBuilder } from "../segment/build.ts";
import type { FileWordCounts } from "./document.ts";

export interface ReadFile {
  readonly record: FileRecord;
  readonly text: string;
  /** As in `FileReading`. */
  readonly ascii?: Uint8Array;
  readonly facts?: Facts;
}

export interface IndexedFile extends ReadFile {
  readonly words: FileWordCounts;
}

/** What a symbol's handle is made from. */
export interface Handles {
  readonly project: ProjectId;
  readonly hash: Hash;
}

export function indexFile(builder: SegmentBuilder, file: IndexedFile, ids: Handles): void {
  const { record, text, ascii, facts, words } = file;
  const { path, language, symbols } = record;
  builder.beginFile();
  builder.text(ascii ?? text);
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
