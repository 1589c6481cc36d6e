/** Requests and answers of ranked and semantic search. `tools/` defines how they are spelt on the wire. */
import type { CodeSymbol, SkipReason } from "./code.ts";
import type { Intent } from "./status.ts";

/** A validated question to `search`. */
export interface SearchRequest {
  readonly query: string;
  readonly limit: number;
  /** Language ids; absent: all. */
  readonly languages?: readonly string[];
  /** Rank only within this directory or file (relative path). */
  readonly under?: string;
  /** Only paths that these let through; one that begins with `!` keeps out. */
  readonly globs?: readonly string[];
  /** What `globs` say, once somebody has read them. */
  readonly acceptsPath?: (path: string) => boolean;
  /** Neither how results came by their totals is wanted nor the source of definitions, which `body` gives. */
  readonly brief?: boolean;
}

/** A validated question to `locate`. Ids win over the name, `path` narrows. */
export interface LocateRequest {
  readonly name?: string;
  readonly symbolId?: string;
  readonly path?: string;
  /** Filter word as given (`fn`, `function`, `Struct`). */
  readonly kind?: string;
  readonly languages?: readonly string[];
  readonly limit: number;
  /** How results came by their totals is not wanted. */
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
  /** Empty where they were not asked for. */
  readonly parts: readonly ScorePart[];
}

/** A symbol with its handles, its place and its surroundings. */
export interface SymbolHit {
  /** Whose it is, where several workspaces were asked. */
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
  /** Whose it is, where several workspaces were asked. */
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
  /** Source lines lineStart..lineEnd, exactly as indexed; empty for definitions where it was not asked for: `body` gives it. */
  readonly text: string;
}

export interface SearchAnswer {
  readonly intent: Intent;
  readonly hits: readonly SearchHit[];
  readonly totalCandidates: number;
  readonly suppressedDuplicates: number;
  /** Symbol joins of snippet hits that succeeded and failed. */
  readonly joins: { readonly hits: number; readonly misses: number };
  readonly completeness: "complete" | "partial";
  /** What the caller should know, beside the hits: a model that could not be used, chunks without vectors. */
  readonly notes: readonly string[];
}

export interface LocateAnswer {
  readonly hits: readonly SearchHit[];
  readonly totalCandidates: number;
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
  /** How many there are at the depth that was asked for, with children. */
  readonly nodeCount: number;
  readonly symbolCount: number;
  /** Why nothing is known of its symbols. */
  readonly unread?: "parse_timeout" | "parser_crash";
}

export interface ExplainAnswer {
  readonly hit: SearchHit;
}

/** Where an expected line stands in a search. */
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

/** A validated question to `semantic` or `hybrid`. */
export interface SemanticRequest {
  readonly query: string;
  /** Least score of a result: calibrated likeness (0..1), or the fused score of `hybrid`. */
  readonly threshold: number;
  /** Most results there are, over all pages. */
  readonly topK?: number;
  /** The page. */
  readonly offset: number;
  readonly limit: number;
  /** Lines shown around each result. */
  readonly context: number;
  readonly languages?: readonly string[];
  readonly under?: string;
  /** As in `SearchAsk`. */
  readonly globs?: readonly string[];
  readonly acceptsPath?: (path: string) => boolean;
}

export interface SemanticHit {
  /** Whose it is, where several were asked. */
  readonly workspace?: string;
  readonly path: string;
  readonly language: string;
  readonly lineStart: number;
  readonly lineEnd: number;
  readonly score: number;
  /** The definition it is, or the one it stands in. */
  readonly symbol?: SymbolHit;
  /** Its lines, and those around it that were asked for. */
  readonly text: string;
  /** Its lines alone. */
  readonly tokens: number;
}

export interface SemanticAnswer {
  readonly hits: readonly SemanticHit[];
  /** Over all pages. */
  readonly total: number;
  /** How it was found: `lexical` where no model could be asked. */
  readonly mode: "semantic" | "hybrid" | "lexical";
  readonly notes: readonly string[];
  readonly completeness: "complete" | "partial";
}
