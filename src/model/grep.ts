/** Requests and answers of a pattern search, and the files that one could not read. */
import type { CodeSymbol } from "./code.ts";

/** Which files of a view are searched. */
export interface GrepScopeRequest {
  /** A directory or a file, relative to the root. */
  readonly under?: string;
  readonly languages?: readonly string[];
  /** Only matching paths; a leading `!` excludes. */
  readonly globs?: readonly string[];
}

export interface GrepRequest extends PatternOptions, GrepScopeRequest {
  readonly pattern: string;
  /** Lines of context before and after each matching line. */
  readonly before: number;
  readonly after: number;
  /** The context is the definition around the line instead, where there is one. */
  readonly section?: boolean;
  /** Every match of a line is computed, not only those near its beginning. */
  readonly everyMatch?: boolean;
  /** Which of the matching lines are returned, in the order of paths and lines. */
  readonly offset: number;
  readonly limit: number;
}

/** One line in which the pattern matches. */
export interface GrepHit {
  /** Its workspace, if several were searched. */
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
  /** The matches in `text`, computed on demand. */
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
  /** False if the search exceeded its work limit. */
  readonly complete: boolean;
}

/** How a pattern is to be read; the same words as ripgrep's flags. */
export interface PatternOptions {
  readonly ignoreCase?: boolean;
  /** The pattern is plain text. */
  readonly literal?: boolean;
  /** Only matches with no word character on either side. */
  readonly wholeWords?: boolean;
  /** The lines without a match are found. */
  readonly invert?: boolean;
  /** A match may span lines; every line that it touches is found. */
  readonly multiline?: boolean;
}

/** A stretch of one line that matches; UTF-16 offsets, end exclusive. */
export interface MatchSpan {
  readonly start: number;
  readonly end: number;
  /** The match began on an earlier line. */
  readonly continued?: boolean;
}

/** A condition on the trigrams of the files in which a pattern can match. */
export type TrigramPlan =
  | { readonly op: "any" }
  | { readonly op: "has"; readonly trigram: number }
  | { readonly op: "and" | "or"; readonly parts: readonly TrigramPlan[] };

/** Text files that the indexer skips and that a pattern search reads from disk or from git. */
export const SEARCHED_SKIPS = ["too_large", "minified", "generated"] as const;
export type SearchedSkip = (typeof SEARCHED_SKIPS)[number];

/** One search reads no more than this outside the index; the answer counts the rest. */
export const SKIPPED_FILES_LIMIT = { bytes: 64 << 20, files: 2_000 } as const;

/**
 * `limit`: more than one search may read. `unreadable`: the file or git object is missing or damaged.
 * `no_checkout`: a shared store holds only indexed files, and the repository is not on this machine.
 */
export type NotSearchedCause = "limit" | "unreadable" | "no_checkout";

export interface NotSearched {
  readonly kind: SearchedSkip;
  readonly cause: NotSearchedCause;
  /** Absent: some, not counted. */
  readonly files?: number;
}

/** Adds up equal kinds and causes, in a fixed order. */
export function sumNotSearched(parts: readonly NotSearched[]): NotSearched[] {
  return CAUSES.flatMap((cause) =>
    SEARCHED_SKIPS.flatMap((kind) => {
      const same = parts.filter((part) => part.cause === cause && part.kind === kind);
      if (same.length === 0) return [];
      const isCounted = same.every(({ files }) => files !== undefined);
      return [{ kind, cause, ...(isCounted && { files: same.reduce((sum, { files = 0 }) => sum + files, 0) }) }];
    }),
  );
}

const CAUSES: readonly NotSearchedCause[] = ["limit", "unreadable", "no_checkout"];
const KIND_WORDS = { too_large: "large", minified: "minified", generated: "generated" } as const;
const REASONS: Readonly<Record<NotSearchedCause, string>> = {
  limit: `one search reads at most ${SKIPPED_FILES_LIMIT.bytes >> 20} MB and ${SKIPPED_FILES_LIMIT.files} files outside the index. Narrow it with a path or a glob.`,
  unreadable: "their content is missing from this clone or cannot be read. Fetch it, or check `git fsck`.",
  no_checkout: "the shared store does not hold them. Search on a machine that has a clone of the repository.",
};

/** One warning per cause. */
export function notSearchedWarnings(parts: readonly NotSearched[]): string[] {
  return CAUSES.flatMap((cause) => {
    const same = parts.filter((part) => part.cause === cause);
    return same.length === 0 ? [] : [`${describeFiles(same)} not searched: ${REASONS[cause]}`];
  });
}

function describeFiles(parts: readonly NotSearched[]): string {
  const listed = (texts: readonly string[]) => texts.join(", ").replace(/, ([^,]*)$/, " and $1");
  if (parts.some(({ files }) => files === undefined))
    return `Some files (${listed(parts.map(({ kind }) => KIND_WORDS[kind]))}) were`;
  const total = parts.reduce((sum, { files = 0 }) => sum + files, 0);
  const kinds = listed(parts.map(({ kind, files }) => `${files} ${KIND_WORDS[kind]}`));
  return `${total} ${total === 1 ? "file" : "files"} (${kinds}) ${total === 1 ? "was" : "were"}`;
}
