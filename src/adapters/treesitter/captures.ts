/** The matches of a query over a tree, one after the other. */
import type { Query, QueryCapture, QueryMatch, Tree } from "web-tree-sitter";

export interface RunOptions {
  /** How deep in the tree a match may begin. */
  readonly maxDepth: number;
  /** True ends the run early. */
  readonly isLate: () => boolean;
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

/** `next` moves from match to match, as often as one likes after `rewind`. Captures are read by their position in the match. */
export class Captures {
  readonly #matches: readonly QueryMatch[];
  #captures: readonly QueryCapture[] = [];
  #next = 0;
  #patterns = ALL;

  constructor(query: Query, tree: Tree, { maxDepth, isLate }: RunOptions) {
    this.#matches = query.matches(tree.rootNode, {
      matchLimit: MATCH_LIMIT,
      maxStartDepth: maxDepth,
      progressCallback: isLate,
    });
  }

  /** To before the first match of these patterns; all, when none are named. */
  rewind(patterns: Patterns = ALL): void {
    this.#patterns = patterns;
    this.#next = 0;
  }

  /** To the next match; false behind the last one. */
  next(): boolean {
    const { from, to } = this.#patterns;
    while (this.#next < this.#matches.length) {
      const { patternIndex, captures } = this.#matches[this.#next++]!;
      if (patternIndex < from || patternIndex >= to) continue;
      this.#captures = captures;
      return true;
    }
    return false;
  }

  /** Captures of the match at hand. */
  get count(): number {
    return this.#captures.length;
  }

  name(i: number): string {
    return this.#captures[i]!.name;
  }

  start(i: number): number {
    return this.#captures[i]!.node.startIndex;
  }

  startRow(i: number): number {
    return this.#captures[i]!.node.startPosition.row;
  }

  end(i: number): number {
    return this.#captures[i]!.node.endIndex;
  }

  endRow(i: number): number {
    return this.#captures[i]!.node.endPosition.row;
  }
}
