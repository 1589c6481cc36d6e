/** Counts the matching lines of one text after another and notes the places of those that are to be shown. */
import type { Pattern } from "./pattern.ts";

export interface LinePosition {
  readonly text: number;
  /** 1-based. */
  readonly line: number;
}

export interface LineWindow {
  readonly offset: number;
  readonly limit: number;
}

export class LineCounter {
  readonly counts: Uint32Array;
  readonly places: LinePosition[] = [];
  private readonly pattern: Pattern;
  private readonly wanted: LineWindow;
  private total = 0;

  constructor(pattern: Pattern, texts: number, wanted: LineWindow) {
    this.pattern = pattern;
    this.wanted = wanted;
    this.counts = new Uint32Array(texts);
  }

  /** False once the pattern has used up its work. */
  get complete(): boolean {
    return !this.pattern.exhausted;
  }

  add(number: number, text: string): void {
    const { offset, limit } = this.wanted;
    const before = this.total;
    let seenTo = 0;
    let line = 1;
    const next = this.pattern.lineFinder(text);
    for (let at = next(0); at >= 0; ) {
      if (this.total >= offset && this.total < offset + limit) {
        line += newlines(text, seenTo, at);
        seenTo = at;
        this.places.push({ text: number, line });
      }
      this.total++;
      const newline = text.indexOf("\n", at);
      if (newline < 0) break;
      at = next(newline + 1);
    }
    this.counts[number] = this.total - before;
  }
}

function newlines(text: string, from: number, to: number): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at >= 0 && at < to; at = text.indexOf("\n", at + 1)) count++;
  return count;
}
