/** Requests and answers of ranked and semantic search. `tools/` defines how they are spelt on the wire. */
import type { CodeSymbol, LineRange, SkipReason } from "./code.ts";
import type { Kind } from "./kinds.ts";
import type { Intent } from "./status.ts";

/** Kinds of symbols that results may be, or be inside of. */
export interface KindFilter {
  readonly only?: readonly Kind[];
  readonly not?: readonly Kind[];
}

/** Which files and symbols are searched. */
interface SearchFilters {
  /** Language ids; absent: all. */
  readonly languages?: readonly string[];
  /** Rank only within this directory or file (relative path). */
  readonly under?: string;
  /** Only matching paths; a leading `!` excludes. */
  readonly globs?: readonly string[];
  /** `globs` and the path filters of the query, compiled. */
  readonly keeps?: (path: string) => boolean;
  /** The `kind:` filters of the query. */
  readonly kinds?: KindFilter;
}

/** A validated search request. */
export interface SearchRequest extends SearchFilters {
  readonly query: string;
  readonly limit: number;
  /** Omit score parts and the source of definitions (`body` has it). */
  readonly brief?: boolean;
}

/** A validated symbol lookup. Ids win over the name, `path` narrows. */
export interface LocateRequest {
  readonly name?: string;
  readonly symbolId?: string;
  readonly path?: string;
  /** Filter word as given (`fn`, `function`, `Struct`). */
  readonly kind?: string;
  readonly languages?: readonly string[];
  readonly limit: number;
  /** Omit score parts. */
  readonly brief?: boolean;
}

/** One named contribution to a hit's total, with why it is what it is. `total` is the sum of the values. */
export interface ScorePart {
  readonly factor: string;
  readonly value: number;
  /** Upper bound of the value, where the factor has one. */
  readonly cap?: number;
  readonly reason: string;
}

export interface Score {
  /** Monotone map of `total` into 0..1. */
  readonly score: number;
  readonly total: number;
  /** Raw BM25 of the best matching text. */
  readonly bm25: number;
  /** Empty if not requested. */
  readonly parts: readonly ScorePart[];
}

/** A symbol with its ids, location and parent. */
export interface SymbolHit {
  /** Its workspace, if several were searched. */
  readonly workspace?: string;
  readonly symbolId: string;
  readonly symbolStableId: string;
  readonly path: string;
  readonly language: string;
  readonly symbol: CodeSymbol;
  readonly parent?: CodeSymbol;
}

/** Whether a file is the default branch's or the ref's own. */
export type SourceLayer = "base" | "overlay";

export interface SearchHit extends Score {
  /** Its workspace, if several were searched. */
  readonly workspace?: string;
  readonly type: "symbol" | "snippet" | "file";
  /** Handle of a result that is not itself a symbol. */
  readonly resultId?: string;
  readonly path: string;
  readonly language: string;
  readonly lineStart: number;
  readonly lineEnd: number;
  /** The symbol found, or the one that encloses the snippet. */
  readonly symbol?: SymbolHit;
  /** Source lines lineStart..lineEnd, exactly as indexed; empty for definitions of a brief request. */
  readonly text: string;
}

/** Whether the code-like part of a query occurs in the view. */
export interface LiteralAnswer {
  readonly match: "present" | "absent";
  /** The names and phrases that do not occur. */
  readonly missing: readonly string[];
  /** Symbol names that resemble the missing ones, nearest first. */
  readonly didYouMean: readonly string[];
  /** The whole query is one name or phrase: totals lie in bands that are comparable between workspaces. */
  readonly isWhole: boolean;
}

export interface SearchAnswer {
  readonly intent: Intent;
  readonly literal?: LiteralAnswer;
  readonly hits: readonly SearchHit[];
  readonly totalCandidates: number;
  readonly suppressedDuplicates: number;
  /** Symbol joins of snippet hits that succeeded and failed. */
  readonly joins: { readonly hits: number; readonly misses: number };
  readonly completeness: "complete" | "partial";
  /** Notes for the caller: an unavailable model, chunks without vectors. */
  readonly notes: readonly string[];
}

export interface LocateAnswer {
  readonly hits: readonly SearchHit[];
  readonly totalCandidates: number;
  /** Names that resemble one that is not defined, nearest first. */
  readonly didYouMean?: readonly string[];
  /** Of a name that is not defined: languages whose definitions are not known, and lines there that hold the name. */
  readonly inText?: { readonly languages: readonly LanguageFiles[]; readonly matches: readonly TextMatch[] };
}

/** Files of a language in a view. */
export interface LanguageFiles {
  readonly language: string;
  readonly files: number;
}

/** A line that holds a name, in a language whose uses are not known. */
export interface TextMatch {
  readonly path: string;
  readonly line: number;
  readonly context: string;
}

export interface OutlineNode {
  readonly symbol: CodeSymbol;
  readonly children: readonly OutlineNode[];
}

export interface OutlineAnswer {
  readonly path: string;
  readonly language: string;
  /** The first ones in the order of the file, parents before children. */
  readonly nodes: readonly OutlineNode[];
  /** Number of nodes at the requested depth, including children. */
  readonly nodeCount: number;
  readonly symbolCount: number;
  /** Lines that the parser could not read. */
  readonly parseErrors: readonly LineRange[];
  /** Why its symbols are not known. */
  readonly unread?: "parse_timeout" | "parser_crash";
}

/** A file of a view with its text. */
export interface SourceText {
  readonly path: string;
  readonly language: string;
  readonly text: string;
}

export interface PathMatches {
  readonly paths: readonly string[];
  /** Before the limit. */
  readonly total: number;
}

export interface ExplainAnswer {
  readonly hit: SearchHit;
}

/** The rank of an expected line in a search, or why it has none. */
export type WhyNot =
  | { readonly verdict: "shown"; readonly rank: number }
  | {
      readonly verdict: "ranked_lower";
      readonly rank: number;
      readonly total: number;
      /** Total of the last result that is shown. */
      readonly lastShownTotal: number;
      /** Factors in which the two differ, the costliest first. */
      readonly factors: readonly FactorDifference[];
    }
  | {
      readonly verdict: "not_retrieved";
      /** Candidates that were ranked. */
      readonly pool: number;
      readonly wordsFound: readonly string[];
      readonly wordsMissing: readonly string[];
    }
  | { readonly verdict: "no_such_line"; readonly lineCount: number }
  | { readonly verdict: "not_indexed"; readonly skipped?: SkipReason };

export interface FactorDifference {
  readonly factor: string;
  readonly value: number;
  readonly lastShown: number;
  readonly reason: string;
}

/** A validated request to `semantic` or `hybrid`. */
export interface SemanticRequest extends SearchFilters {
  readonly query: string;
  /** Minimum score of a result: calibrated similarity (0..1), or the fused score of `hybrid`. */
  readonly threshold: number;
  /** Most results there are, over all pages. */
  readonly topK?: number;
  /** The page. */
  readonly offset: number;
  readonly limit: number;
  /** Lines shown around each result. */
  readonly context: number;
}

export interface SemanticHit {
  /** Its workspace, if several were searched. */
  readonly workspace?: string;
  readonly path: string;
  readonly language: string;
  readonly lineStart: number;
  readonly lineEnd: number;
  readonly score: number;
  /** The definition it is, or the enclosing one. */
  readonly symbol?: SymbolHit;
  /** Its lines with the requested context. */
  readonly text: string;
  /** Its lines alone. */
  readonly tokens: number;
}

export interface SemanticAnswer {
  readonly hits: readonly SemanticHit[];
  /** Over all pages. */
  readonly total: number;
  /** `lexical` if no model was available. */
  readonly mode: "semantic" | "hybrid" | "lexical";
  readonly notes: readonly string[];
  readonly completeness: "complete" | "partial";
}
