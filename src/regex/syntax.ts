/** The syntax tree of a pattern and the reader of its parser. Flags are already applied: a set contains all cases. */
import { CompassError } from "../model/errors.ts";
import { type CharSet, foldAscii, foldCase } from "./char-set.ts";

export type Node =
  | { readonly kind: "empty" }
  | { readonly kind: "set"; readonly set: CharSet }
  /** One of these characters, or any byte of a UTF-8 character beyond ASCII. */
  | { readonly kind: "byte"; readonly ascii: CharSet }
  | { readonly kind: "assertion"; readonly assertion: Assertion }
  | { readonly kind: "cat"; readonly parts: readonly Node[] }
  | { readonly kind: "alt"; readonly parts: readonly Node[] }
  | {
      readonly kind: "repeat";
      readonly node: Node;
      readonly min: number;
      /** `Infinity` for no bound. */
      readonly max: number;
      readonly lazy: boolean;
      /** Position of the operator in the pattern. */
      readonly at: number;
    };

/**
 * A condition between two characters. `start` and `end` are those of the searched text, which is a line unless matches may
 * span lines; then the ends of a line are `line-start` and `line-end`.
 */
export interface Assertion {
  readonly at:
    | "start"
    | "end"
    | "line-start"
    | "line-end"
    | "boundary"
    | "inside"
    | "word-start"
    | "word-end"
    | "half-start"
    | "half-end";
  /** The word class, or for `start` and `end` whether `\r` ends a line, too. */
  readonly mode: "unicode" | "ascii" | "crlf";
}

export const EMPTY: Node = { kind: "empty" };

/** An invalid or too large pattern. `position` is the offset in the pattern, in characters. */
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
  /** Matches may span lines. */
  readonly multiline: boolean;
  /** Where they may, whether `^` and `$` match at the ends of every line. */
  readonly lineAnchors: boolean;
}

/**
 * Represents the newline in text that is searched as a whole, where the automaton knows the newline as the end of the
 * text only. No text has this noncharacter.
 */
export const LINE_END = 0xffff;

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

  /** The current character; "" at the end. */
  get char(): string {
    return this.chars[this.at] ?? "";
  }

  peek(ahead = 1): string {
    return this.chars[this.at + ahead] ?? "";
  }

  next(): string {
    return this.chars[this.at++] ?? "";
  }

  /** Consumes the text if it comes next. */
  take(text: string): boolean {
    for (let i = 0; i < text.length; i++) if (this.peek(i) !== text[i]) return false;
    this.at += text.length;
    return true;
  }

  /** Adds the other cases of the members if the flags ignore case. */
  folded(set: CharSet): CharSet {
    if (!this.flags.ignoreCase) return set;
    return this.flags.unicode ? foldCase(set) : foldAscii(set);
  }

  /** Skips white space and comments in verbose mode. */
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
