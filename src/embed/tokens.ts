/**
 * Text → tokens of a model. Runs of ASCII letters and digits, split at camel humps, folded to lower case; a word that is
 * not in the vocabulary is cut greedily into its longest pieces, and what has no piece is skipped. Works on character
 * codes without making strings: it runs over every chunk of every file.
 */
import { HASH_PIECE, HASH_START, type StaticModel, spread, step, type Vocabulary } from "./static-model.ts";

/** Longer words are looked at up to here. */
const LONGEST_WORD = 64;
/** Words in pieces are remembered; code repeats its names. */
const REMEMBERED = 50_000;

/** `whole`: the token is a word, not a piece of one. */
export type Take = (token: number, whole: boolean) => void;

export class Tokenizer {
  readonly #vocabulary: Vocabulary;
  readonly #word = new Uint8Array(LONGEST_WORD);
  readonly #pieces = new Map<string, readonly number[]>();

  constructor({ vocabulary }: Pick<StaticModel, "vocabulary">) {
    this.#vocabulary = vocabulary;
  }

  /** Calls `take` with every token of `text[from … to]`, in order. */
  each(text: string, take: Take, from = 0, to = text.length): void {
    for (let at = from; at < to; ) {
      const kind = kindOf(text.charCodeAt(at));
      if (kind === OTHER) at++;
      else {
        const end = endOf(text, at, to, kind);
        this.#take(text, at, end, take);
        at = end;
      }
    }
  }

  #take(text: string, from: number, to: number, take: Take): void {
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
    if (whole >= 0) take(whole, true);
    else this.#takePieces(text.slice(from, from + length).toLowerCase(), length, take);
  }

  #takePieces(key: string, length: number, take: Take): void {
    let pieces = this.#pieces.get(key);
    if (pieces === undefined) {
      pieces = this.#cut(length);
      if (this.#pieces.size < REMEMBERED) this.#pieces.set(key, pieces);
    }
    for (let i = 0; i < pieces.length; i++) take(pieces[i]!, false);
  }

  #cut(length: number): number[] {
    const found: number[] = [];
    for (let at = 0; at < length; ) {
      const [token, end] = this.#longestAt(at, length);
      if (token >= 0) found.push(token);
      at = token >= 0 ? end : at + 1;
    }
    return found;
  }

  #longestAt(from: number, length: number): readonly [token: number, end: number] {
    let best = -1;
    let end = from;
    let hash = from === 0 ? HASH_START : HASH_PIECE;
    const most = Math.min(length, from + this.#vocabulary.longest);
    for (let to = from + 1; to <= most; to++) {
      hash = step(hash, this.#word[to - 1]!);
      const token = this.#find(spread(hash), from, to, from === 0 ? 0 : MARK);
      if (token >= 0) [best, end] = [token, to];
    }
    return [best, end];
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
