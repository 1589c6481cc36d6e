/** A pattern under the reader's finger: characters, flags in force, and where an error stands. */
import type { CompassError } from "../model/errors.ts";
import type { CharSet } from "./char-set.ts";
import { foldAscii, foldCase } from "./fold.ts";
import { badPattern } from "./syntax.ts";

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
