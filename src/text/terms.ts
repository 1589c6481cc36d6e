/**
 * From text to search terms, the same for documents and queries: the whole identifier in lower case, its camel, snake,
 * acronym and digit parts, and a light stem beside each word. Other scripts are words too; CJK runs become bigrams.
 *
 * Runs over every byte that is indexed, so it scans char codes and remembers what an identifier became.
 */
import type { EmbeddedWord } from "../model/vectors.ts";
import { fold, isWordUnit, splitIdentifier, stem } from "./identifiers.ts";

/** An identifier longer than this is data (base64, hashes): one capped term, no parts. */
export const MAX_IDENTIFIER = 256;
/**
 * Places for remembered identifiers, powers of two. Whoever reads files meets all words of a tree; whoever answers meets
 * some again and again, and all others in the course of days: 400 bytes each, which it would keep.
 */
const PLACES = { files: 65_536, answers: 4_096 } as const;
const NO_TOKENS: readonly number[] = [];

/** A word and its terms. Who meets the word again, in whatever text, gets the same object, unless others took its place. */
export interface Word extends EmbeddedWord {
  /** A single one as it is. */
  readonly terms: string | readonly string[];
  /**
   * What a segment that is being built calls them, and which one: whoever meets the word again need not look them up.
   * The number of a single term stands as it is: no list of one is fetched from memory for every chunk.
   */
  numbers: number | number[];
  numberedBy: number;
  /** Where it stands in the list that is being counted, and which one that is. */
  place: number;
  countedIn: number;
}

/** The words of a text, each once, in the order in which they first appear, and how often they do. */
export interface WordCounts {
  readonly words: readonly Word[];
  readonly counts: readonly number[];
}

/** Calls `emit` with every term of the text and where its word begins, in order, repeated as often as it occurs. */
export function eachTerm(text: string, emit: (term: string, at: number) => void): void {
  const reader = new WordReader(text, 0, text.length, queryWords);
  for (let word = reader.next(); word !== undefined; word = reader.next()) {
    if (typeof word.terms === "string") emit(word.terms, reader.start);
    else for (const term of word.terms) emit(term, reader.start);
  }
}

/** Of a part of the text, which is not cut out of it: a slice is read through the string that it is a slice of. */
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

/** Goes from word to word. */
class WordReader {
  /** Where the word at hand begins. */
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
 * A direct-mapped memory of words, looked up by a hash taken while scanning: no slice is made for one that was met
 * before. Twice as fast as a Map (29 → 51 MB/s of mixed source, 1 thread).
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

/** Lists of their exact size: one that has grown keeps room for sixteen more, 20 MB in all words of a thread. */
function createWord(text: string, terms: readonly string[]): Word {
  const isOne = terms.length === 1;
  // What is looked at most often stands together.
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

const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const ASTRAL = /[\u{10000}-\u{10ffff}]/u;

/** A run with letters above ASCII: words of alphabets as they are, CJK as bigrams, astral signs one by one. */
function wideTerms(run: string): string[] {
  const terms: string[] = [];
  for (const [piece] of run.normalize("NFC").matchAll(PIECES)) {
    if (CJK.test(piece)) terms.push(...bigrams(piece));
    else if (ASTRAL.test(piece)) terms.push(piece);
    else terms.push(...wordTerms(piece));
  }
  return terms;
}

const PIECES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+|[\u{10000}-\u{10ffff}]|[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u{10000}-\u{10ffff}\p{Cs}]+/gu;

function bigrams(run: string): string[] {
  const signs = [...run];
  if (signs.length === 1) return signs;
  return signs.slice(1).map((sign, i) => signs[i]! + sign);
}

export function isAscii(word: string): boolean {
  for (let i = 0; i < word.length; i++) if (word.charCodeAt(i) > 127) return false;
  return true;
}

/** The engine copies a slice that is shorter than this. */
const SHORTEST_SLICE = 13;

/** A string with its own memory: a remembered slice would keep the whole file alive. Data is not remembered. */
function copySlice(text: string, start: number, end: number): string {
  if (end - start < SHORTEST_SLICE || end - start > MAX_IDENTIFIER) return text.slice(start, end);
  const units: number[] = [];
  for (let i = start; i < end; i++) units.push(text.charCodeAt(i));
  return String.fromCharCode(...units);
}
