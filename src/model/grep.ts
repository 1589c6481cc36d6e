/** Asking for a pattern, line by line, and what comes back. */
import type { CodeSymbol } from "./code.ts";
import type { NotSearched } from "./not-searched.ts";
import type { MatchSpan, PatternOptions } from "./pattern.ts";

export interface GrepRequest extends PatternOptions {
  readonly pattern: string;
  /** A directory or a file, relative to the root. */
  readonly under?: string;
  readonly languages?: readonly string[];
  /** Only paths that these let through; one that begins with `!` keeps out. */
  readonly globs?: readonly string[];
  /** Lines of context before and after each matching line. */
  readonly before: number;
  readonly after: number;
  /** The context is the definition around the line instead, where there is one. */
  readonly section?: boolean;
  /** Which of the matching lines are returned, in the order of paths and lines. */
  readonly offset: number;
  readonly limit: number;
}

/** One line in which the pattern matches. */
export interface GrepHit {
  /** Whose it is, where several workspaces were asked. */
  readonly workspace?: string;
  readonly path: string;
  readonly language: string;
  /** 1-based. */
  readonly line: number;
  /** Without its end. */
  readonly text: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** The innermost definition that the line belongs to. */
  readonly symbol?: CodeSymbol;
  /** Of the matches in `text`; worked out when asked for. */
  spans(): readonly MatchSpan[];
}

export interface GrepAnswer {
  readonly hits: readonly GrepHit[];
  /** Matching lines, counted in all files. */
  readonly total: number;
  /** Files with a match and their matching lines, by path. */
  readonly files: readonly { readonly path: string; readonly lines: number }[];
  /** Files of the scope that were searched, or ruled out by their trigrams. */
  readonly filesSearched: number;
  /** Text files of the scope that could not be searched; empty when all were. */
  readonly notSearched: readonly NotSearched[];
  /** False when the pattern asked for more work than one search may take. */
  readonly complete: boolean;
}
