/** What a pattern says once it is read. Flags are already spent: a set holds what it matches, whatever the case. */
import { CompassError } from "../model/errors.ts";
import { type CharSet, foldAscii, foldCase } from "./char-set.ts";

export type Node =
  | { readonly kind: "empty" }
  | { readonly kind: "set"; readonly set: CharSet }
  /** One of these characters, or one byte of the UTF-8 form of any character beyond ASCII. */
  | { readonly kind: "byte"; readonly ascii: CharSet }
  | { readonly kind: "look"; readonly look: Assertion }
  | { readonly kind: "cat"; readonly parts: readonly Node[] }
  | { readonly kind: "alt"; readonly parts: readonly Node[] }
  | {
      readonly kind: "repeat";
      readonly node: Node;
      readonly min: number;
      /** `Infinity` for no bound. */
      readonly max: number;
      readonly lazy: boolean;
      /** Where its operator stands in the pattern. */
      readonly at: number;
    };

/** Something that holds between two characters. A search is by line, so the ends of the text are the ends of the line. */
export interface Assertion {
  readonly at: "start" | "end" | "boundary" | "inside" | "word-start" | "word-end" | "half-start" | "half-end";
  /** What counts as a word, or for `start` and `end` whether `\r` ends a line too. */
  readonly mode: "unicode" | "ascii" | "crlf";
}

export const EMPTY: Node = { kind: "empty" };

/** A pattern that cannot be read or is too large. `position` is the offset in the pattern, in characters. */
export function badPattern(reason: string, position: number): CompassError {
  return new CompassError("invalid_input", {
    parameter: "pattern",
    syntax: "regex",
    reason: `${reason} (at character ${position + 1} of the pattern)`,
    position,
  });
}

export interface Flags {
  readonly ignoreCase: boolean;
  readonly dotAll: boolean;
  readonly swapGreed: boolean;
  readonly unicode: boolean;
  readonly verbose: boolean;
  readonly crlf: boolean;
}

export class PatternReader {
  readonly chars: readonly string[];
  at = 0;
  flags: Flags;

  constructor(pattern: string, flags: Flags) {
    this.chars = [...pattern];
    this.flags = flags;
  }

  get done(): boolean {
    return this.at >= this.chars.length;
  }

  /** The character under the finger; "" at the end. */
  get char(): string {
    return this.chars[this.at] ?? "";
  }

  peek(ahead = 1): string {
    return this.chars[this.at + ahead] ?? "";
  }

  next(): string {
    return this.chars[this.at++] ?? "";
  }

  /** Steps over the text if it stands here. */
  take(text: string): boolean {
    for (let i = 0; i < text.length; i++) if (this.peek(i) !== text[i]) return false;
    this.at += text.length;
    return true;
  }

  /** The set as the flags in force read it: with every other case of its members, or as it is. */
  folded(set: CharSet): CharSet {
    if (!this.flags.ignoreCase) return set;
    return this.flags.unicode ? foldCase(set) : foldAscii(set);
  }

  /** In verbose mode white space and comments mean nothing. */
  skipBlank(): void {
    if (!this.flags.verbose) return;
    while (!this.done) {
      if (/^\s$/u.test(this.char)) this.at++;
      else if (this.char === "#") while (!this.done && this.next() !== "\n");
      else return;
    }
  }

  fail(reason: string, at = this.at): CompassError {
    return badPattern(reason, at);
  }
}
