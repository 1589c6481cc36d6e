/**
 * Which files of a segment use a name, and which modules each file imports, so that a query for references opens only
 * files that mention the name.
 */
import { ByteWriter, fromUtf8 } from "./bytes.ts";
import type { SectionReader } from "./format.ts";
import {
  addToList,
  Dictionary,
  type DictionaryWriter,
  Postings,
  type PostingsWriter,
  writeKeyedLists,
} from "./lists.ts";

export interface MentionIndex {
  readonly names: Dictionary;
  /** By the name's position: files, numbered as in the segment. */
  readonly files: Postings;
  /** Modules that a file imports, as it spells them. */
  modulesOf(file: number): readonly string[];
}

export class MentionsBuilder {
  private readonly names = new Map<string, number[]>();
  private readonly modules: string[] = [];

  /** Adds the distinct names of the current file. */
  add(names: Iterable<string>, modules: readonly string[]): void {
    const file = this.modules.length - 1;
    for (const name of names) addToList(this.names, name, file);
    this.modules[file] = modules.join(SEPARATOR);
  }

  beginFile(): void {
    this.modules.push("");
  }

  sections() {
    const { keys, lists } = writeKeyedLists(this.names);
    return mentionSections(keys, lists, this.modules);
  }
}

/** Modules hold no NUL: it would not be text. */
const SEPARATOR = "\0";

/** Shared with a merge, which has its own dictionary and postings. */
export function mentionSections(names: DictionaryWriter, files: PostingsWriter, modules: readonly string[]) {
  const out = new ByteWriter();
  const starts = [0];
  for (const list of modules) {
    out.text(list);
    starts.push(out.length);
  }
  return {
    mentionOffsets: names.offsets(),
    mentionBytes: names.bytes(),
    mentionFileOffsets: files.offsets(),
    mentionFileBytes: files.bytes(),
    moduleOffsets: Uint32Array.from(starts),
    moduleBytes: out.written(),
  };
}

export function openMentions(sections: SectionReader): MentionIndex {
  const starts = sections.words("moduleOffsets");
  const bytes = sections.octets("moduleBytes");
  return {
    names: new Dictionary(sections.words("mentionOffsets"), sections.octets("mentionBytes")),
    files: new Postings(sections.words("mentionFileOffsets"), sections.octets("mentionFileBytes")),
    modulesOf: (file) => {
      const text = fromUtf8(bytes.subarray(starts[file] ?? 0, starts[file + 1] ?? 0));
      return text === "" ? [] : text.split(SEPARATOR);
    },
  };
}

/** Files of the segment that use the name, ascending. */
export function filesMentioning(mentions: MentionIndex, name: string): number[] {
  const at = mentions.names.find(name);
  const files: number[] = [];
  if (at >= 0) mentions.files.each(at, (file) => files.push(file));
  return files;
}

/** The modules of kept files in their new order, for a merge. */
export function keptModules(
  inputs: readonly { mentions: MentionIndex; fileCount: number; keep: (file: number) => boolean }[],
) {
  return inputs.flatMap(({ mentions, fileCount, keep }) =>
    Array.from({ length: fileCount }, (_, file) => file)
      .filter(keep)
      .map((file) => mentions.modulesOf(file).join(SEPARATOR)),
  );
}
