/** What a parsed source file consists of: symbols and chunks with their locations. */
import type { ContentHash } from "./ids.ts";
import type { Kind } from "./kinds.ts";

/** A stretch of a file. Offsets are UTF-16 units of the decoded text, end exclusive; lines are 1-based, inclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly lineStart: number;
  readonly lineEnd: number;
}

export type Visibility = "public" | "private" | "protected" | "internal";

/** A named definition in one file version. (Never the bare word `Symbol`.) */
export interface CodeSymbol {
  readonly kind: Kind;
  readonly name: string;
  /** With the module: `auth::jwt::validate_token`. */
  readonly qualifiedName: string;
  readonly span: Span;
  /** Head of the definition up to its body, white space folded, at most 300 characters. */
  readonly signature?: string | undefined;
  /** The keyword as the source spells it: `pub`, `export`, `private`. */
  readonly visibilityKeyword?: string | undefined;
  readonly visibility?: Visibility | undefined;
  /** Line of its name; absent if that is the first line. A decorator or a long head may precede the name. */
  readonly nameLine?: number | undefined;
  /** Index of the enclosing symbol in the file's list; absent at the top level. */
  readonly parent?: number | undefined;
  /** Position among symbols of the same kind and qualified name in this file. */
  readonly ordinal: number;
  /** A function without its body: a prototype, an abstract method. The definition with one is the better answer. */
  readonly declaration?: true | undefined;
  /** Of a definition in a string: `sql`, `graphql`. Absent: the language of the file. */
  readonly language?: string | undefined;
  /** The doc comment without its markers, at most 400 characters. */
  readonly doc?: string | undefined;
}

/** The unit of text retrieval: consecutive lines of a file. */
export interface Chunk {
  readonly lineStart: number;
  readonly lineEnd: number;
  /** Index of the innermost symbol that contains the chunk's first code line, or that starts in it. */
  readonly symbol?: number;
}

/** Why a file could not be used as its language promises; it never ends a job. */
export interface Problem {
  readonly kind:
    | "parse_error"
    | "parse_timeout"
    | "parser_crash"
    | "decode_loss"
    | "changed_while_read"
    /** Tokens or private keys in it are stored and shown as `*`. */
    | "masked_secrets"
    /** Its head says that a program wrote it; it ranks behind other source. */
    | "generated";
  readonly detail?: string;
  /** What the parser could not read. */
  readonly lines?: readonly LineRange[];
}

/** 1-based, inclusive. */
export interface LineRange {
  readonly lineStart: number;
  readonly lineEnd: number;
}

/** Line of the symbol's name. */
export function nameLine({ nameLine: line, span }: Pick<CodeSymbol, "nameLine" | "span">): number {
  return line ?? span.lineStart;
}

/** Whether the parser gave the file up: it is searchable as text, and its symbols and edges are missing. */
export function isParseFailure(problem: string | undefined): problem is "parse_timeout" | "parser_crash" {
  return problem === "parse_timeout" || problem === "parser_crash";
}

/** One path with one content, read once: everything that is known about it. */
export interface FileRecord {
  readonly path: string;
  readonly contentHash: ContentHash;
  readonly language: string;
  readonly lineCount: number;
  readonly byteCount: number;
  readonly symbols: readonly CodeSymbol[];
  readonly chunks: readonly Chunk[];
  readonly problems: readonly Problem[];
}

/** A record whose symbols are decoded one by one, for reading a few symbols of many files. */
export interface FileFrame {
  readonly lineCount: number;
  readonly symbolCount: number;
  readonly chunkCount: number;
  /** A program wrote the file. */
  readonly generated: boolean;
  /** What the parser could not read. */
  readonly parseErrors: readonly LineRange[];
  kind(symbol: number): Kind | undefined;
  /** Offset of its first character in the file. */
  start(symbol: number): number;
  /** Its first line. */
  line(symbol: number): number;
  lastLine(symbol: number): number;
  name(symbol: number): string | undefined;
  /** The enclosing symbol. */
  parent(symbol: number): number | undefined;
  symbol(index: number): CodeSymbol | undefined;
  chunk(index: number): Chunk | undefined;
}

/** Why a file is in the tree but not in the index; each is counted in `coverage`. */
export const SKIP_REASONS = [
  "ignored",
  "hidden",
  "too_large",
  "binary",
  "minified",
  "generated",
  "secret",
  "unreadable",
  "not_regular",
  "symlink",
  "path_too_long",
  /** A repository inside a repository is a workspace of its own. */
  "other_repository",
] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

/** Under which `coverage` counts files that are indexed as text only: see `isGivenUp`. */
export const PARSE_GAVE_UP = "parse_gave_up";

/** How much of the tree an answer covers. */
export interface Coverage {
  readonly filesIndexed: number;
  readonly filesSkipped: number;
  readonly skippedReasons: Readonly<Partial<Record<SkipReason | typeof PARSE_GAVE_UP, number>>>;
}
