/**
 * Retrieval requests to a snapshot, and their results: chunks by words, chunks by vector, symbols by name.
 * Engines supply candidates and term statistics; tokenising, BM25 and tie-breaks are shared code.
 */
import type { FileRow } from "./snapshot.ts";

export interface QueryTerm {
  readonly term: string;
  readonly weight: number;
}

export interface LexicalQuery {
  readonly terms: readonly QueryTerm[];
  readonly limit: number;
  /** Rank within these only; absent: everything. */
  readonly languages?: readonly string[];
  readonly under?: string;
  readonly keeps?: (path: string) => boolean;
  /** Chooses among the best, before their parts are computed; absent: all of them. */
  readonly choose?: <C extends { readonly file: { readonly path: string } }>(best: readonly C[]) => readonly C[];
}

export interface ChunkCandidate {
  readonly file: FileRow;
  /** Position in the file's chunk list. */
  readonly chunk: number;
  readonly score: number;
  /** Contribution of each query term, in the order of the query. */
  readonly parts: readonly number[];
}

export interface LexicalPage {
  readonly candidates: readonly ChunkCandidate[];
  /** Chunks of the view that hold at least one term. */
  readonly matched: number;
  readonly completeness: "complete" | "partial";
}

export interface TermStats {
  readonly chunkCount: number;
  readonly averageLength: number;
  /** Chunks of the view that hold the term, by term. */
  readonly documentFrequency: ReadonlyMap<string, number>;
}

/** A question as a vector. Only vectors of the same model are looked at. */
export interface DenseQuery {
  /** Fingerprint. */
  readonly model: string;
  readonly vector: Float32Array;
  /** 0: nothing but `also` is looked at, and only its files' vectors are loaded. */
  readonly limit: number;
  /** What is less alike does not count. */
  readonly least?: number;
  /** Rank within these only; absent: everything. */
  readonly languages?: readonly string[];
  readonly under?: string;
  readonly keeps?: (path: string) => boolean;
  /** Files whose chunks' similarity is wanted whatever their rank. */
  readonly also?: readonly FileRow[];
}

export interface DenseCandidate {
  readonly file: FileRow;
  readonly chunk: number;
  /** Cosine, -1..1. */
  readonly similarity: number;
}

export interface DensePage {
  /** Most alike first; equal ones by path and chunk. */
  readonly candidates: readonly DenseCandidate[];
  /** Chunks in scope that reach `least`. */
  readonly matched: number;
  /** By `also`, by chunk; undefined for a file without vectors of this model. */
  readonly also: readonly (Float64Array | undefined)[];
  /** Chunks in scope that have a vector of this model, and all of them; both 0 where only `also` was requested. */
  readonly embedded: number;
  readonly chunks: number;
}

export interface SymbolQuery {
  readonly name: string;
  /** `folded` ignores case; `prefix` is folded too. */
  readonly match: "exact" | "folded" | "prefix";
  readonly limit: number;
  /** A name with more symbols than this tells nothing: none is listed, and `matched` is one more than this. */
  readonly atMost?: number;
}

/** A symbol found by name or id; `index` is its position in the file's list. */
export interface SymbolCandidate {
  readonly file: FileRow;
  readonly index: number;
  readonly name: string;
}

export interface SymbolPage {
  readonly candidates: readonly SymbolCandidate[];
  readonly matched: number;
}
