/**
 * Builds a segment: terms of chunks and symbols of files, in the order in which files are added.
 *
 * `words` counts ten million terms per million lines: two array reads and writes per term. Words carry the numbers of their
 * terms, so that known words need no look-up.
 */
import type { Word, WordCounts } from "../text/terms.ts";
import { doubled, sortAsUtf8 } from "./bytes.ts";
import { packSections } from "./format.ts";
import { addToList, DictionaryWriter, PostingsWriter, writeKeyedLists } from "./lists.ts";
import { MentionsBuilder } from "./mentions.ts";
import { IdCollector, nameKey } from "./symbol-keys.ts";
import { TrigramCollector } from "./trigrams.ts";

let builders = 0;

export class SegmentBuilder {
  /** Identifies this builder in `Word.numberedBy`. */
  private readonly number = ++builders;
  private readonly terms = new Map<string, number>();
  /** Of the current chunk: the count of each term, and the terms that occur. */
  private counts = new Uint32Array(1 << 12);
  private touched = new Uint32Array(1 << 12);
  private touchedCount = 0;
  private length = 0;
  /** Postings (term, count) of all finished chunks, in order. */
  private postingTerms = new Uint32Array(1 << 14);
  private postingCounts = new Uint32Array(1 << 14);
  private postingTotal = 0;
  private readonly chunkEnds: number[] = [];
  private readonly chunkLengths: number[] = [];
  private readonly fileChunks: number[] = [];
  private readonly fileSymbols: number[] = [];
  private readonly names = new Map<string, number[]>();
  private readonly trigrams = new TrigramCollector();
  private readonly ids = new IdCollector();
  private readonly mentioned = new MentionsBuilder();
  private open = false;

  get fileCount(): number {
    return this.fileChunks.length;
  }

  get chunkCount(): number {
    return this.chunkLengths.length + (this.open ? 1 : 0);
  }

  beginFile(): void {
    this.endChunk();
    this.fileChunks.push(this.chunkLengths.length);
    this.fileSymbols.push(this.ids.symbolCount);
    this.mentioned.beginFile();
    this.trigrams.beginFile();
  }

  beginChunk(): void {
    this.endChunk();
    this.open = true;
  }

  /** Counts a term of the current chunk; `weight` is a small whole number. */
  term(term: string, weight = 1): void {
    this.count(this.idOf(term), weight);
  }

  /** Counts all terms of the words. */
  words({ words, counts }: WordCounts): void {
    for (let i = 0; i < words.length; i++) {
      const word = words[i]!;
      if (word.numberedBy !== this.number) this.numberTerms(word);
      const { numbers } = word;
      if (typeof numbers === "number") this.count(numbers, counts[i]!);
      else for (let j = 0; j < numbers.length; j++) this.count(numbers[j]!, counts[i]!);
    }
  }

  private numberTerms(word: Word): void {
    const { terms, numbers } = word;
    if (typeof terms === "string") word.numbers = this.idOf(terms);
    else if (typeof numbers !== "number") for (let i = 0; i < terms.length; i++) numbers[i] = this.idOf(terms[i]!);
    word.numberedBy = this.number;
  }

  private idOf(term: string): number {
    return this.terms.get(term) ?? this.intern(term);
  }

  private count(id: number, weight: number): void {
    const before = this.counts[id]!;
    if (before === 0) this.touched[this.touchedCount++] = id;
    this.counts[id] = before + weight;
    this.length += weight;
  }

  /** Called for every symbol of the record, in order: the position is the symbol's index. */
  symbol(name: string, symbolId: string, stableId: string): void {
    const ordinal = this.ids.symbolCount;
    this.ids.add(symbolId, stableId);
    if (name === "") return;
    addToList(this.names, nameKey(name), ordinal);
  }

  /** Distinct names that the file uses, and the modules it imports. */
  mentions(names: Iterable<string>, modules: readonly string[]): void {
    this.mentioned.add(names, modules);
  }

  /** The whole text of the file, for its trigrams. */
  text(text: string): void {
    this.trigrams.text(text);
  }

  /** Returns the bytes of the segment; nothing can be added afterwards. */
  finish(): Uint8Array {
    this.endChunk();
    const names = writeKeyedLists(this.names);
    return packSections({
      fileChunks: Uint32Array.from([...this.fileChunks, this.chunkLengths.length]),
      fileSymbols: Uint32Array.from([...this.fileSymbols, this.ids.symbolCount]),
      chunkLengths: Uint32Array.from(this.chunkLengths),
      ...this.termSections(),
      nameOffsets: names.keys.offsets(),
      nameBytes: names.keys.bytes(),
      nameSymbolOffsets: names.lists.offsets(),
      nameSymbolBytes: names.lists.bytes(),
      ...this.ids.sections(),
      ...this.mentioned.sections(),
      ...this.trigrams.finish(),
    });
  }

  private intern(term: string): number {
    const id = this.terms.size;
    this.terms.set(term, id);
    if (id >= this.counts.length) {
      this.counts = doubled(this.counts);
      this.touched = doubled(this.touched);
    }
    return id;
  }

  private endChunk(): void {
    if (!this.open) return;
    while (this.postingTotal + this.touchedCount > this.postingTerms.length) {
      this.postingTerms = doubled(this.postingTerms);
      this.postingCounts = doubled(this.postingCounts);
    }
    for (let i = 0; i < this.touchedCount; i++) {
      const id = this.touched[i]!;
      this.postingTerms[this.postingTotal] = id;
      this.postingCounts[this.postingTotal++] = this.counts[id]!;
      this.counts[id] = 0;
    }
    this.chunkEnds.push(this.postingTotal);
    this.chunkLengths.push(this.length);
    this.touchedCount = 0;
    this.length = 0;
    this.open = false;
  }

  private termSections() {
    const sorted = sortAsUtf8([...this.terms.keys()]);
    const { starts, chunks, counts } = this.postingsByTerm();
    const dictionary = new DictionaryWriter();
    const postings = new PostingsWriter();
    for (const term of sorted) {
      const id = this.terms.get(term)!;
      dictionary.add(term);
      writePostings(postings, { chunks, counts, from: starts[id]!, to: starts[id + 1]! });
    }
    return {
      termOffsets: dictionary.offsets(),
      termBytes: dictionary.bytes(),
      postingOffsets: postings.offsets(),
      postingBytes: postings.bytes(),
    };
  }

  /** A counting sort, which is stable: chunks stay ascending within each term. */
  private postingsByTerm() {
    const starts = new Uint32Array(this.terms.size + 1);
    for (let i = 0; i < this.postingTotal; i++) starts[this.postingTerms[i]! + 1]!++;
    for (let id = 0; id < this.terms.size; id++) starts[id + 1]! += starts[id]!;
    const next = starts.slice();
    const chunks = new Uint32Array(this.postingTotal);
    const counts = new Uint32Array(this.postingTotal);
    for (let chunk = 0, i = 0; chunk < this.chunkEnds.length; chunk++) {
      for (const end = this.chunkEnds[chunk]!; i < end; i++) {
        const at = next[this.postingTerms[i]!]!++;
        chunks[at] = chunk;
        counts[at] = this.postingCounts[i]!;
      }
    }
    return { starts, chunks, counts };
  }
}

interface TermPostings {
  readonly chunks: Uint32Array;
  readonly counts: Uint32Array;
  readonly from: number;
  readonly to: number;
}

/** A separate function: as an inner loop V8 deoptimised it 3,000 times per million lines. */
function writePostings(postings: PostingsWriter, { chunks, counts, from, to }: TermPostings): void {
  postings.begin(to - from);
  for (let i = from; i < to; i++) postings.add(chunks[i]!, counts[i]!);
}
