/** Opens a segment: typed arrays over its bytes, each verified before its first use. */
import { type SectionReader, unpackSections } from "./format.ts";
import { Dictionary, Postings } from "./lists.ts";
import { type MentionIndex, openMentions } from "./mentions.ts";
import { foldedKey, hash64, nameKey, nameOfKey, prefixKey } from "./symbol-keys.ts";
import { Trigrams } from "./trigrams.ts";

/** A symbol by its file (position in the segment) and its index in that file's record. */
export interface SymbolRow {
  readonly file: number;
  readonly index: number;
}

export interface Segment {
  readonly byteLength: number;
  readonly fileCount: number;
  readonly chunkCount: number;
  readonly symbolCount: number;
  /** First chunk of each file, and the number of chunks at the end. */
  readonly fileChunks: Uint32Array;
  /** First symbol of each file, and the number of symbols at the end. */
  readonly fileSymbols: Uint32Array;
  /** Terms counted in each chunk. */
  readonly chunkLengths: Uint32Array;
  readonly terms: Dictionary;
  /** By the term's position: chunks, each with the term's count in it. */
  readonly postings: Postings;
  readonly names: Dictionary;
  /** By the name's position: symbols, numbered across the segment. */
  readonly nameSymbols: Postings;
  readonly ids: { readonly high: Uint32Array; readonly low: Uint32Array; readonly symbols: Uint32Array };
  /** Which files use a name. */
  readonly mentions: MentionIndex;
  /** Which files hold three characters side by side. */
  readonly trigrams: Trigrams;
  /** Throws `CorruptionError` unless every byte is as it was written. */
  check(): void;
}

/** Throws `CorruptionError` when the head is damaged; a section that is damaged throws when it is first used. */
export function openSegment(bytes: Uint8Array): Segment {
  return segmentFromSections(unpackSections(bytes));
}

export function segmentFromSections(sections: SectionReader): Segment {
  const fileChunks = sections.words("fileChunks");
  const fileSymbols = sections.words("fileSymbols");
  const once = createLazyCache();
  return {
    byteLength: sections.byteLength,
    fileCount: fileChunks.length - 1,
    chunkCount: fileChunks.at(-1)!,
    symbolCount: fileSymbols.at(-1)!,
    fileChunks,
    fileSymbols,
    chunkLengths: sections.words("chunkLengths"),
    // These are large and loaded on first use.
    get terms() {
      return once("terms", () => new Dictionary(sections.words("termOffsets"), sections.octets("termBytes")));
    },
    get postings() {
      return once("postings", () => new Postings(sections.words("postingOffsets"), sections.octets("postingBytes")));
    },
    get names() {
      return once("names", () => new Dictionary(sections.words("nameOffsets"), sections.octets("nameBytes")));
    },
    get nameSymbols() {
      return once("nameSymbols", () => {
        return new Postings(sections.words("nameSymbolOffsets"), sections.octets("nameSymbolBytes"));
      });
    },
    get ids() {
      const of = (name: "idHigh" | "idLow" | "idSymbols") => sections.words(name);
      return once("ids", () => ({ high: of("idHigh"), low: of("idLow"), symbols: of("idSymbols") }));
    },
    get mentions() {
      return once("mentions", () => openMentions(sections));
    },
    get trigrams() {
      return once("trigrams", () => new Trigrams(fileChunks.length - 1, sections));
    },
    check: () => sections.check(),
  };
}

function createLazyCache() {
  const made = new Map<string, unknown>();
  return <T>(name: string, make: () => T): T => {
    if (!made.has(name)) made.set(name, make());
    return made.get(name) as T;
  };
}

export type NameMatch = "exact" | "folded" | "prefix";

/** Symbols by name, in the order of the dictionary (folded name, then exact name), then of the files. */
export function eachSymbolNamed(
  segment: Segment,
  name: string,
  match: NameMatch,
  visit: (file: number, index: number, name: string) => void,
): void {
  const { from, to } = nameRange(segment.names, name, match);
  for (let at = from; at < to; at++) {
    const spelt = nameOfKey(segment.names.at(at));
    segment.nameSymbols.each(at, (ordinal) => {
      const file = findOwner(segment.fileSymbols, ordinal);
      visit(file, ordinal - segment.fileSymbols[file]!, spelt);
    });
  }
}

function nameRange(names: Dictionary, name: string, match: NameMatch): { from: number; to: number } {
  if (match === "prefix") return names.range(prefixKey(name));
  if (match === "folded") return names.range(foldedKey(name));
  const at = names.find(nameKey(name));
  return at < 0 ? { from: 0, to: 0 } : { from: at, to: at + 1 };
}

/** Symbols by `symbol_id` or `symbol_stable_id`. */
export function symbolsWithId(segment: Segment, id: string): SymbolRow[] {
  const { high, low, symbols } = segment.ids;
  const target = hash64(id);
  let from = 0;
  let to = high.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((high[middle]! - target.high || low[middle]! - target.low) < 0) from = middle + 1;
    else to = middle;
  }
  const found: SymbolRow[] = [];
  for (; high[from] === target.high && low[from] === target.low; from++)
    found.push(symbolPosition(segment, symbols[from]!));
  return found;
}

function symbolPosition(segment: Segment, ordinal: number): SymbolRow {
  const file = findOwner(segment.fileSymbols, ordinal);
  return { file, index: ordinal - segment.fileSymbols[file]! };
}

/** The file whose range holds the number; `starts` ends with the total. */
export function findOwner(starts: Uint32Array, number: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (starts[middle]! <= number) low = middle;
    else high = middle;
  }
  return low;
}
