/** Questions and answers of the semantic family, as values. What crosses the wire is spelt in `tools/`. */
import type { SymbolHit } from "./search.ts";

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
