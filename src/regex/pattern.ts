/** A compiled pattern. Search time is linear in the text, memory is bounded, and other work is counted and limited. */
import { lowerBound } from "../model/binary-search.ts";
import type { MatchSpan, PatternOptions } from "../model/grep.ts";
import { inCharacters, spansInCharacters, toByteNodes, toUtf8, usesBytes } from "./bytes.ts";
import { Dfa } from "./dfa.ts";
import { findLiterals, type Literals, loweredFor, TextFinder } from "./literal.ts";
import { asOneLine, matchesIn, partsInLine, touchedLines } from "./multiline.ts";
import { compile, type Program } from "./nfa.ts";
import { parse } from "./parse.ts";
import { EXHAUSTED, lineMatches, lineStart, NONE, nextLine, spansIn } from "./scan.ts";
import { badPattern, type Node } from "./syntax.ts";

/**
 * Steps that one search may spend on creating states: a third of a second. The most expensive of the 447 patterns of
 * `bench/regex` (`.{200}`) takes 61,000 on 4,800 files.
 */
const MOST_WORK = 12_000_000;

/** A step across lines is cheaper than a new state; a search takes five seconds at most. */
const TEXT_WORK = 8;

export class Pattern {
  readonly node: Node;
  /** The pattern has byte classes and is searched in the UTF-8 form of the text, with one character per byte. */
  private readonly isOfBytes: boolean;
  private readonly program: Program;
  private readonly literals: Literals | undefined;
  private readonly mostWork: number;
  private readonly inverted: boolean;
  private readonly multiline: boolean;
  /** Steps that looking for matches across lines took, and whether they were too many. */
  private textWork = 0;
  private gaveUp = false;
  private made: Dfa | undefined;

  /** Throws `invalid_input` with the position when the pattern is invalid. */
  constructor(pattern: string, options: PatternOptions = {}, mostWork = MOST_WORK) {
    this.node = parse(pattern, options);
    this.isOfBytes = usesBytes(this.node);
    this.multiline = options.multiline === true;
    if (this.multiline && this.isOfBytes) throw badPattern("classes of bytes cannot be searched for across lines", 0);
    this.program = compile(this.isOfBytes ? toByteNodes(this.node) : this.node);
    this.literals = this.isOfBytes ? undefined : findLiterals(this.node);
    this.mostWork = mostWork;
    this.inverted = options.invert === true;
  }

  /** Whether the search exceeded its work limit, so that lines may be missing. */
  get exhausted(): boolean {
    return this.gaveUp || (this.made !== undefined && this.made.work > this.mostWork);
  }

  /** Resets the work count for another search, which reuses the states. */
  forgetWork(): void {
    if (this.made !== undefined) this.made.work = 0;
    this.textWork = 0;
    this.gaveUp = false;
  }

  /** Start of the first line with a match; negative when there is none. */
  first(text: string): number {
    return this.lineFinder(text)(0);
  }

  /**
   * Returns a function that finds the start of the next line with a match, at or after the line start `from`; negative when
   * there is none. It keeps what it learns about the text.
   */
  lineFinder(text: string): (from: number) => number {
    const next = this.matchFinder(text);
    return this.inverted ? otherLines(text, next) : next;
  }

  private matchFinder(text: string): (from: number) => number {
    if (this.multiline) return finderOf(touchedLines(text, this.textMatches(text)));
    if (this.isOfBytes) return inCharacters(text, (bytes, from) => nextLine(this.dfa, bytes, from, this.mostWork));
    const places = this.literals && literalFinder(this.literals, text);
    if (places === undefined) return (from) => nextLine(this.dfa, text, from, this.mostWork);
    return (from) => this.nextHolding(places, text, from);
  }

  /** Matches in the lines of a text, for showing them. */
  spansInLines(text: string): (lineStart: number, line: string, most?: number) => MatchSpan[] {
    if (!this.multiline) return (_, line, most) => this.spans(line, most);
    let matches: readonly MatchSpan[] | undefined;
    return (start, line, most = 100) => {
      if (this.inverted) return [];
      matches ??= this.textMatches(text);
      return partsInLine(matches, { start, end: start + line.length }, most);
    };
  }

  private textMatches(text: string): readonly MatchSpan[] {
    const line = asOneLine(text);
    // The automaton rules most texts out, far faster.
    if (this.exhausted || !lineMatches(this.dfa, line, 0, line.length)) return [];
    const found = matchesIn(this.program, line, this.mostWork * TEXT_WORK - this.textWork);
    this.textWork += found.work;
    this.gaveUp ||= !found.complete;
    return found.matches;
  }

  /** Matches in one line, for showing them. */
  spans(line: string, most = 100): MatchSpan[] {
    if (this.inverted) return [];
    if (!this.isOfBytes) return spansIn(this.program, line, most);
    return spansInCharacters(line, spansIn(this.program, toUtf8(line), most));
  }

  private nextHolding(finder: TextFinder, text: string, from: number): number {
    const whole = this.literals?.whole === true;
    for (let at = finder.next(from); at >= 0; ) {
      const start = lineStart(text, at);
      if (whole) return start;
      const newline = text.indexOf("\n", at);
      const end = newline < 0 ? text.length : newline;
      if (this.exhausted) return EXHAUSTED;
      if (lineMatches(this.dfa, text, start, end)) return start;
      at = finder.next(end);
    }
    return NONE;
  }

  private get dfa(): Dfa {
    this.made ??= new Dfa(this.program);
    return this.made;
  }
}

function finderOf(starts: readonly number[]): (from: number) => number {
  return (from) => starts[lowerBound(starts, from)] ?? NONE;
}

/** The lines that `next` passes over. */
function otherLines(text: string, next: (from: number) => number): (from: number) => number {
  let match = next(0);
  return (from) => {
    for (let at = from; at < text.length; ) {
      if (match >= 0 && match < at) match = next(at);
      if (match !== at) return at;
      const newline = text.indexOf("\n", at);
      if (newline < 0) return NONE;
      at = newline + 1;
    }
    return NONE;
  };
}

function literalFinder(literals: Literals, text: string): TextFinder | undefined {
  const searched = literals.folded ? loweredFor(literals, text) : text;
  return searched === undefined ? undefined : new TextFinder(literals.texts, searched);
}

interface LinePosition {
  readonly text: number;
  /** 1-based. */
  readonly line: number;
}

interface LineWindow {
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
