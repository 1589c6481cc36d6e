/**
 * Text → tokens of a model. Runs of ASCII letters and digits, split at camel humps, folded to lower case; a word that is
 * not in the vocabulary is cut greedily into its longest pieces, and what has no piece is skipped. Works on character
 * codes and remembers what a run became: it reads every chunk of every file, and code repeats its names.
 */
import { HASH_PIECE, HASH_START, type StaticModel, spread, step, type Vocabulary } from "./static-model.ts";

/** Longer words are looked at up to here. */
const LONGEST_WORD = 64;
/** Places for remembered runs; a power of two. Longer runs are data, and seldom come again. */
const REMEMBERED = 16_384;
const LONGEST_REMEMBERED = 48;

/** `whole`: the token is a word, not a piece of one. */
export type TokenSink = (token: number, whole: boolean) => void;

export class Tokenizer {
  readonly #vocabulary: Vocabulary;
  readonly #word = new Uint8Array(LONGEST_WORD);
  /** Tokens of the word at hand, as below. */
  readonly #found: number[] = [];
  #end = 0;
  /** By the hash of a run: the run that was met last, and its tokens, twice their number, and one more for whole words. */
  readonly #runs: string[] = new Array(REMEMBERED).fill("");
  readonly #tokens: (readonly number[])[] = new Array(REMEMBERED).fill([]);

  constructor({ vocabulary }: Pick<StaticModel, "vocabulary">) {
    this.#vocabulary = vocabulary;
  }

  /** Calls `take` with every token of `text[from … to]`, in order. */
  each(text: string, take: TokenSink, from = 0, to = text.length): void {
    for (let at = from; at < to; ) {
      let unit = text.charCodeAt(at);
      if (unit > 0x7f || KINDS[unit] === OTHER) {
        at++;
        continue;
      }
      const start = at;
      let hash = 0;
      do {
        hash = (Math.imul(hash, 31) + unit) | 0;
        if (++at === to) break;
        unit = text.charCodeAt(at);
      } while (unit <= 0x7f && KINDS[unit] !== OTHER);
      const tokens = this.#tokensOf(text, start, at, hash);
      for (let i = 0; i < tokens.length; i++) take(tokens[i]! >> 1, (tokens[i]! & 1) === 1);
    }
  }

  /** Those of a word that the caller remembers himself. */
  tokensOf(word: string): readonly number[] {
    const tokens = this.#found;
    tokens.length = 0;
    for (let at = 0; at < word.length; ) {
      const kind = kindAt(word, at);
      const end = kind === OTHER ? at + 1 : endOf(word, at, word.length, kind);
      if (kind !== OTHER) this.#take(word, at, end, tokens);
      at = end;
    }
    return tokens.map((token) => token >> 1);
  }

  /** Of a whole run of letters and digits: where it is cut does not hang on what stands around it. */
  #tokensOf(text: string, from: number, to: number, hash: number): readonly number[] {
    const place = (hash ^ (hash >>> 15)) & (REMEMBERED - 1);
    const run = this.#runs[place]!;
    if (run.length === to - from && standsAt(text, from, run)) return this.#tokens[place]!;
    const tokens: number[] = [];
    for (let at = from; at < to; ) {
      const end = endOf(text, at, to, kindOf(text.charCodeAt(at)));
      this.#take(text, at, end, tokens);
      at = end;
    }
    if (to - from <= LONGEST_REMEMBERED) {
      this.#runs[place] = ownCopy(text, from, to);
      // Without the room for more that a list has which has grown.
      this.#tokens[place] = tokens.slice();
    }
    return tokens;
  }

  #take(text: string, from: number, to: number, into: number[]): void {
    let hash = HASH_START;
    // The whole of a long word decides whether it is known: none in a vocabulary is that long.
    const length = Math.min(to - from, LONGEST_WORD);
    for (let i = 0; i < length; i++) {
      const unit = text.charCodeAt(from + i);
      const byte = unit >= 0x41 && unit <= 0x5a ? unit | 0x20 : unit;
      this.#word[i] = byte;
      hash = step(hash, byte);
    }
    const whole = to - from > LONGEST_WORD ? -1 : this.#find(spread(hash), 0, length, 0);
    if (whole >= 0) into.push(2 * whole + 1);
    else this.#cut(length, into);
  }

  #cut(length: number, into: number[]): void {
    for (let at = 0; at < length; ) {
      const piece = this.#longestAt(at, length);
      if (piece >= 0) into.push(2 * piece);
      at = piece >= 0 ? this.#end : at + 1;
    }
  }

  /** The longest piece from there on, which goes to `#end`; -1 when there is none. */
  #longestAt(from: number, length: number): number {
    let best = -1;
    let hash = from === 0 ? HASH_START : HASH_PIECE;
    const most = Math.min(length, from + this.#vocabulary.longest);
    for (let to = from + 1; to <= most; to++) {
      hash = step(hash, this.#word[to - 1]!);
      const token = this.#find(spread(hash), from, to, from === 0 ? 0 : MARK);
      if (token < 0) continue;
      best = token;
      this.#end = to;
    }
    return best;
  }

  /** The token that spells `#word[from … to]`, after `mark` bytes of `##`; -1 when there is none. */
  #find(hash: number, from: number, to: number, mark: number): number {
    const { slots, starts, words } = this.#vocabulary;
    const mask = slots.length - 1;
    const length = to - from + mark;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const token = slots[slot]! - 1;
      if (token < 0) return -1;
      const start = starts[token]!;
      if (starts[token + 1]! - start !== length) continue;
      if (mark > 0 && (words[start] !== HASH_SIGN || words[start + 1] !== HASH_SIGN)) continue;
      let i = mark;
      while (i < length && words[start + i] === this.#word[from + i - mark]) i++;
      if (i === length) return token;
    }
  }
}

const MARK = 2;
const HASH_SIGN = 0x23;

const OTHER = 0;
const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;

function kindOf(unit: number): number {
  if (unit >= 0x61 && unit <= 0x7a) return LOWER;
  if (unit >= 0x41 && unit <= 0x5a) return UPPER;
  return unit >= 0x30 && unit <= 0x39 ? DIGIT : OTHER;
}

function kindAt(text: string, at: number): number {
  return kindOf(text.charCodeAt(at));
}

const KINDS = Uint8Array.from({ length: 128 }, (_, unit) => kindOf(unit));

/** Faster than `startsWith` for words. */
function standsAt(text: string, at: number, word: string): boolean {
  for (let i = 0; i < word.length; i++) if (text.charCodeAt(at + i) !== word.charCodeAt(i)) return false;
  return true;
}

/** A string with its own memory: a remembered slice would keep the whole chunk alive. */
function ownCopy(text: string, from: number, to: number): string {
  const units: number[] = [];
  for (let i = from; i < to; i++) units.push(text.charCodeAt(i));
  return String.fromCharCode(...units);
}

/** `HTTPServer` is HTTP and Server: the last capital before small letters belongs to them. */
function endOf(text: string, from: number, to: number, kind: number): number {
  const end = runEnd(text, from, to, kind);
  if (kind !== UPPER || end === to || kindOf(text.charCodeAt(end)) !== LOWER) return end;
  return end - from > 1 ? end - 1 : runEnd(text, end, to, LOWER);
}

function runEnd(text: string, from: number, to: number, kind: number): number {
  let at = from + 1;
  while (at < to && kindOf(text.charCodeAt(at)) === kind) at++;
  return at;
}
