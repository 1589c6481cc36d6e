/**
 * The matches of a query, read where they lie in the instance's memory. The package makes an object of each captured
 * node and asks the instance for its end by way of five checked writes: that took as long as finding the matches.
 *
 * Follows the layout of `Subtree` in the tree-sitter that is installed.
 */
import type { Query, Tree } from "web-tree-sitter";
import { addressOf, type Runtime } from "./runtime.ts";

export interface RunOptions {
  readonly text: string;
  /** How deep in the tree a match may begin. */
  readonly maxDepth: number;
  /** True ends the run early. */
  readonly isLate: () => boolean;
  /** Only matches that reach into it; absent: all. */
  readonly range?: Range;
}

/** A part of the text, in its units. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** By their numbers in the query. */
export interface Patterns {
  readonly from: number;
  readonly to: number;
}

const ALL: Patterns = { from: 0, to: Number.POSITIVE_INFINITY };

export const ANY_DEPTH = 0xffffffff;
/** In-progress matches of one cursor; real code stays far below, a hostile file is cut off here. */
const MATCH_LIMIT = 65_536;
/** Words of a match before its captures: its pattern, their number. Of a capture: its number, and five of the node. */
const HEAD_WORDS = 2;
const CAPTURE_WORDS = 6;
/** A node's size in bytes and in lines, where it is kept apart from its parent; a small one is in the parent's list. */
const SIZE_WORD = 4;
const ROWS_WORD = 5;

/**
 * `next` moves from match to match, as often as one likes after `rewind`; captures are read by their position in
 * the match. The results stay in the instance until `close`.
 */
export class Captures {
  /** Captures of the match at hand. */
  count = 0;
  readonly #runtime: Runtime;
  readonly #query: Query;
  readonly #text: string;
  readonly #total: number;
  #words: Uint32Array;
  /** Where the results begin, in bytes. */
  readonly #results: number;
  #left = 0;
  #at = 0;
  #next = 0;
  #patterns = ALL;
  /** By how many there are. */
  readonly #seen: Seen[][] = [];

  constructor(runtime: Runtime, query: Query, tree: Tree, { text, maxDepth, isLate, range }: RunOptions) {
    const { core, memory, transfer } = runtime;
    this.#runtime = runtime;
    this.#query = query;
    this.#text = text;
    core.currentQueryProgressCallback = isLate;
    // Leaves the root where the query looks for its node.
    core._ts_tree_root_node_wasm(addressOf(tree));
    core._ts_query_matches_wasm(addressOf(query), addressOf(tree), ...rangesOf(range), MATCH_LIMIT, maxDepth);
    core.currentQueryProgressCallback = null;
    this.#words = new Uint32Array(memory.buffer);
    this.#total = this.#words[transfer >>> 2]!;
    this.#results = this.#words[(transfer >>> 2) + 1]!;
    this.rewind();
  }

  /** To before the first match of these patterns; all, when none are named. */
  rewind(patterns: Patterns = ALL): void {
    this.#patterns = patterns;
    this.#left = this.#total;
    this.#next = this.#results >>> 2;
    // Memory that has grown meanwhile is another buffer.
    this.#words = new Uint32Array(this.#runtime.memory.buffer);
  }

  close(): void {
    this.#runtime.core._free(this.#results);
  }

  /** To the next match whose predicates hold; false behind the last one. */
  next(): boolean {
    const { from, to } = this.#patterns;
    while (this.#left-- > 0) {
      const pattern = this.#words[this.#next]!;
      this.count = this.#words[this.#next + 1]!;
      this.#at = this.#next + HEAD_WORDS;
      this.#next = this.#at + this.count * CAPTURE_WORDS;
      if (pattern >= from && pattern < to && this.#holds(pattern)) return true;
    }
    return false;
  }

  /** Of all captures of the query. */
  get names(): readonly string[] {
    return this.#query.captureNames;
  }

  /** Position of a capture's name among them. */
  number(i: number): number {
    return this.#words[this.#at + i * CAPTURE_WORDS]!;
  }

  name(i: number): string {
    return this.names[this.number(i)]!;
  }

  start(i: number): number {
    return this.#words[this.#at + i * CAPTURE_WORDS + 2]!;
  }

  startRow(i: number): number {
    return this.#words[this.#at + i * CAPTURE_WORDS + 3]!;
  }

  end(i: number): number {
    const words = this.#words;
    const node = words[this.#at + i * CAPTURE_WORDS + 1]! >>> 2;
    const data = words[node]!;
    const bytes = isSmall(data) ? words[node + 1]! >>> 24 : words[(data >>> 2) + SIZE_WORD]!;
    return this.start(i) + (bytes >>> 1);
  }

  endRow(i: number): number {
    const data = this.#words[this.#words[this.#at + i * CAPTURE_WORDS + 1]! >>> 2]!;
    return this.startRow(i) + (isSmall(data) ? 0 : this.#words[(data >>> 2) + ROWS_WORD]!);
  }

  #holds(pattern: number): boolean {
    const predicates = (this.#query as unknown as Predicates).textPredicates[pattern]!;
    if (predicates.length === 0) return true;
    this.#seen[this.count] ??= Array.from({ length: this.count }, (_, i) => new Seen(this, i));
    for (const holds of predicates) if (!holds(this.#seen[this.count]!)) return false;
    return true;
  }

  text(i: number): string {
    return this.#text.slice(this.start(i), this.end(i));
  }
}

/** A capture of the match at hand as predicates see it. Most look at one of many, so nothing is made for the others. */
class Seen {
  readonly #captures: Captures;
  readonly #i: number;

  constructor(captures: Captures, i: number) {
    this.#captures = captures;
    this.#i = i;
  }

  get name(): string {
    return this.#captures.name(this.#i);
  }

  get node(): this {
    return this;
  }

  get text(): string {
    return this.#captures.text(this.#i);
  }
}

/** The node itself; else the place where it is. */
function isSmall(data: number): boolean {
  return (data & 1) === 1;
}

/** What the package made of `#eq?` and its like; it reads names and texts, and has no public type. */
interface Predicates {
  readonly textPredicates: readonly (readonly ((captures: readonly Seen[]) => boolean)[])[];
}

/** As positions, as bytes of the text, and both of what a match must lie in; zeros mean the whole of it. */
function rangesOf({ from, to }: Range = { from: 0, to: 0 }): number[] {
  return [0, 0, 0, 0, 2 * from, 2 * to, 0, 0, 0, 0, 0, 0];
}
