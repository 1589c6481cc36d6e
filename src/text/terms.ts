/**
 * Splits text into search terms, the same for documents and queries: the whole identifier in lower case, its camel, snake,
 * acronym and digit parts, and a light stem of each. Words of other scripts are terms, too; CJK runs become bigrams.
 *
 * Every indexed character goes through here, so it scans char codes and caches the terms of identifiers.
 */
import type { EmbeddedWord } from "../model/vectors.ts";
import { fold, isWordUnit, splitIdentifier, stem } from "./identifiers.ts";

/** A longer identifier is data (base64, hashes): one capped term, no parts. */
export const MAX_IDENTIFIER = 256;
/**
 * Sizes of the word caches, powers of two. Indexing meets all words of a tree. Answering meets a few words again and again;
 * a larger cache would fill up over days with 400 bytes per word.
 */
const PLACES = { files: 65_536, answers: 4_096 } as const;
const NO_TOKENS: readonly number[] = [];

/** A word and its terms. The same word gives the same object as long as it is in the cache. */
export interface Word extends EmbeddedWord {
  /** A string if there is one term. */
  readonly terms: string | readonly string[];
  /**
   * Numbers of the terms in the segment that is being built (`numberedBy`), so that they are looked up once per word. A
   * plain number for a single term saves a memory access per chunk.
   */
  numbers: number | number[];
  numberedBy: number;
  /** Position in the list that is being counted (`countedIn`). */
  place: number;
  countedIn: number;
}

/** The distinct words of a text in the order of their first occurrence, with their counts. */
export interface WordCounts {
  readonly words: readonly Word[];
  readonly counts: readonly number[];
}

/** Calls `emit` with every occurrence of a term and the offset of its word, in order. */
export function eachTerm(text: string, emit: (term: string, at: number) => void): void {
  const reader = new WordReader(text, 0, text.length, queryWords);
  for (let word = reader.next(); word !== undefined; word = reader.next()) {
    if (typeof word.terms === "string") emit(word.terms, reader.start);
    else for (const term of word.terms) emit(term, reader.start);
  }
}

/** Counts the words of a range of the text. Slicing it first would be slower. */
export function countWords(text: string, from = 0, to = text.length): WordCounts {
  const list = new CountedWords();
  const reader = new WordReader(text, from, to, fileWords());
  for (let word = reader.next(); word !== undefined; word = reader.next()) list.count(word);
  return list;
}

let lists = 0;

class CountedWords implements WordCounts {
  readonly words: Word[] = [];
  readonly counts: number[] = [];
  readonly #list = ++lists;

  count(word: Word): void {
    if (word.countedIn === this.#list) this.counts[word.place]!++;
    else {
      word.countedIn = this.#list;
      word.place = this.words.length;
      this.words.push(word);
      this.counts.push(1);
    }
  }
}

/** Iterates over the words of a text. */
class WordReader {
  /** Offset of the current word. */
  start = 0;
  #at: number;
  readonly #end: number;
  readonly #text: string;
  readonly #seen: Word[];

  constructor(text: string, from: number, to: number, seen: Word[]) {
    this.#text = text;
    this.#at = from;
    this.#end = to;
    this.#seen = seen;
  }

  next(): Word | undefined {
    const text = this.#text;
    const end = this.#end;
    for (let i = this.#at; i < end; i++) {
      let unit = text.charCodeAt(i);
      if (unit < 128 ? ASCII_WORD[unit] === 0 : !isWordUnit(unit)) continue;
      const start = i;
      let hash = 0;
      do {
        hash = (Math.imul(hash, 31) + unit) | 0;
        if (++i === end) break;
        unit = text.charCodeAt(i);
      } while (unit < 128 ? ASCII_WORD[unit] === 1 : isWordUnit(unit));
      this.start = start;
      this.#at = i;
      return lookUpWord(this.#seen, text, start, i, hash);
    }
    this.#at = end;
    return undefined;
  }
}

const ASCII_WORD = Uint8Array.from({ length: 128 }, (_, unit) => (isWordUnit(unit) ? 1 : 0));

/**
 * A direct-mapped cache of words by a hash that is computed while scanning: a cached word needs no slice. Twice as fast as a
 * Map (29 → 51 MB/s of mixed source, 1 thread).
 */
function createWordCache(places: number): Word[] {
  return new Array(places).fill(createWord("", []));
}

const queryWords = createWordCache(PLACES.answers);
let files: Word[] | undefined;

function fileWords(): Word[] {
  files ??= createWordCache(PLACES.files);
  return files;
}

function lookUpWord(words: Word[], text: string, start: number, end: number, hash: number): Word {
  const seen = words[placeIn(words, hash)]!;
  if (seen.text.length === end - start && equalsAt(text, start, seen.text)) return seen;
  return cacheWord(words, copySlice(text, start, end), hash);
}

function placeIn(words: Word[], hash: number): number {
  return (hash ^ (hash >>> 15)) & (words.length - 1);
}

function cacheWord(words: Word[], identifier: string, hash: number): Word {
  if (identifier.length > MAX_IDENTIFIER) return createWord(identifier, [fold(identifier)]);
  const word = createWord(identifier, analyse(identifier));
  words[placeIn(words, hash)] = word;
  return word;
}

/** Arrays of exact size: grown arrays would waste 20 MB per thread. */
function createWord(text: string, terms: readonly string[]): Word {
  const isOne = terms.length === 1;
  // The most used properties come first.
  return {
    text,
    countedIn: 0,
    place: 0,
    numberedBy: 0,
    numbers: isOne ? 0 : new Array<number>(terms.length).fill(0),
    tokenizedBy: undefined,
    tokens: NO_TOKENS,
    terms: isOne ? terms[0]! : terms.slice(),
  };
}

function equalsAt(text: string, start: number, word: string): boolean {
  for (let i = 0; i < word.length; i++) if (text.charCodeAt(start + i) !== word.charCodeAt(i)) return false;
  return true;
}

/** The terms of one word. */
export function analyse(identifier: string): readonly string[] {
  return isAscii(identifier) ? wordTerms(identifier) : wideTerms(identifier);
}

function wordTerms(word: string): string[] {
  const whole = fold(word);
  const terms = [whole];
  for (const part of splitIdentifier(word)) {
    const text = fold(part);
    const root = stem(text);
    if (text !== whole && text.length > 1) terms.push(text);
    if (root !== text) terms.push(root);
  }
  return terms;
}

const ASTRAL = /[\u{10000}-\u{10ffff}]/u;

/** A run with letters above ASCII: words of alphabets, bigrams of CJK, single astral characters. */
function wideTerms(run: string): string[] {
  // Inside, so that they are compiled for such a text only: V8 makes the sets of Unicode for each thread.
  const cjk = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
  const pieces =
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+|[\u{10000}-\u{10ffff}]|[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u{10000}-\u{10ffff}\p{Cs}]+/gu;
  const terms: string[] = [];
  for (const [piece] of run.normalize("NFC").matchAll(pieces)) {
    if (cjk.test(piece)) terms.push(...bigrams(piece));
    else if (ASTRAL.test(piece)) terms.push(piece);
    else terms.push(...wordTerms(piece));
  }
  return terms;
}

function bigrams(run: string): string[] {
  const signs = [...run];
  if (signs.length === 1) return signs;
  return signs.slice(1).map((sign, i) => signs[i]! + sign);
}

export function isAscii(word: string): boolean {
  for (let i = 0; i < word.length; i++) if (word.charCodeAt(i) > 127) return false;
  return true;
}

/** V8 copies a shorter slice. */
const SHORTEST_SLICE = 13;

/** A string with its own memory: a cached slice would keep the whole file alive. Data is not cached. */
function copySlice(text: string, start: number, end: number): string {
  if (end - start < SHORTEST_SLICE || end - start > MAX_IDENTIFIER) return text.slice(start, end);
  const units: number[] = [];
  for (let i = start; i < end; i++) units.push(text.charCodeAt(i));
  return String.fromCharCode(...units);
}
