/** What the retrievers bring and the factors judge. */
import type { CodeSymbol, FileFrame } from "../model/code.ts";
import type { FileRow } from "../ports/snapshot.ts";
import type { LiteralRank } from "./literal.ts";
import type { MainPackage } from "./main-package.ts";
import type { QueryMentions } from "./mentions.ts";
import type { ParsedQuery } from "./parsed-query.ts";
import type { TemplateMatches } from "./pasted/template.ts";

export type Retriever = "text" | "symbol" | "path" | "meaning" | "pasted";

/** Something that may be an answer. `at` is the position of the chunk or the symbol in its file's record. */
export interface RankingCandidate {
  readonly type: "symbol" | "snippet" | "file";
  readonly retriever: Retriever;
  readonly file: FileRow;
  readonly at: number;
  /** How well its retriever thinks it answers, 0..1. */
  readonly strength: number;
  /** Why, in a few words. Absent: by its text score. */
  readonly how?: string;
  /** Raw BM25 of its text; 0 where no text was compared. */
  readonly bm25: number;
  /** Cosine of the query and the chunk, if both have a vector. */
  readonly cosine?: number;
  /** Share of the query's words that its text holds, 0..1; absent where no text was compared. */
  readonly wordShare?: number;
  /** How it holds the query's literal, if the query has one. */
  readonly literal?: LiteralRank;
  /** Present when its file was opened to find or to judge the candidate. */
  readonly opened?: OpenedFile;
  /** Lines that pasted text names, instead of the whole chunk. */
  readonly location?: PastedLines;
  /** Source of a snippet, if the query is an error message. */
  readonly text?: string;
}

export interface PastedLines {
  readonly lineStart: number;
  readonly lineEnd: number;
  /** Index of the innermost symbol around them. */
  readonly symbol?: number;
}

/** A candidate's file, and the symbol that it is or that encloses its chunk. */
export interface OpenedFile {
  readonly frame: FileFrame;
  readonly symbol?: CodeSymbol;
  readonly parent?: CodeSymbol;
}

export function openedAt(frame: FileFrame, { type, at }: Pick<RankingCandidate, "type" | "at">): OpenedFile {
  const index = type === "symbol" ? at : type === "snippet" ? frame.chunk(at)?.symbol : undefined;
  const symbol = index === undefined ? undefined : frame.symbol(index);
  const parent = symbol?.parent === undefined ? undefined : frame.symbol(symbol.parent);
  return { frame, ...(symbol && { symbol }), ...(parent && { parent }) };
}

/** What factors know besides the candidate: the query and facts about the whole pool. */
export interface Pool {
  readonly question: ParsedQuery;
  readonly candidates: readonly RankingCandidate[];
  /** By path: the file's share of the pool's text score, 0..1 of the best file. */
  readonly coherence: ReadonlyMap<string, number>;
  /** The best chunk of each file, which gets the file's bonuses. */
  readonly leaders: ReadonlySet<RankingCandidate>;
  /** Weight of each query word; a frequent word weighs little. */
  readonly wordWeights: readonly number[];
  /** Mentioned names and the chunks that define them. */
  readonly mentions: QueryMentions;
  /** Literals that an error message may be made of, and the chunks that contain them. */
  readonly templates: TemplateMatches;
  /** Similarity of each chunk to the query, 0..1 between the pool's median and its best. */
  readonly similarity: ReadonlyMap<RankingCandidate, number>;
  /** The same for files, by path: judged by their closest chunks, also those outside the pool. */
  readonly fileSimilarity: ReadonlyMap<string, number>;
  /** The whole query is literal, or the definitions that a sentence names are. */
  readonly literal?: "whole" | "named";
  /** The literal does not occur. */
  readonly isAbsent?: boolean;
  /** Absent: no package stands out. */
  readonly mainPackage?: MainPackage;
  /** How relevant the best of the pool is at all, 0..1. */
  readonly relevance: number;
  /** Paths of the files that the text search found. */
  readonly files: ReadonlySet<string>;
  /** Present when the pool is ranked several times. */
  readonly totals?: KnownTotals;
}

/** What ranking a pool computed, for the next time that its candidates are ranked. */
export interface KnownTotals {
  /** Before saturation, of the best chunks of their files and of all others. */
  readonly leading: Map<RankingCandidate, number>;
  readonly others: Map<RankingCandidate, number>;
  /** By path: the factors that depend on the file only. */
  readonly ofFiles: Map<string, number>;
}

/**
 * Pure: one named, bounded contribution and its reason. They are separate functions, because hundreds of candidates
 * are scored and ten are explained.
 */
export interface Factor {
  readonly name: string;
  readonly cap?: number;
  /** Depends on the file only: computed once for all candidates of a file. */
  readonly ofFile?: true;
  value(candidate: RankingCandidate, pool: Pool): number;
  reason(candidate: RankingCandidate, pool: Pool): string;
}

/** Makes less (or more) of what the other factors gave: the sum is multiplied by `scale`. */
export interface Scaling {
  readonly name: string;
  scale(candidate: RankingCandidate, pool: Pool): number;
  reason(candidate: RankingCandidate, pool: Pool): string;
}

/** The symbol that the candidate is the definition of. */
export function matchedDefinition({ type, opened }: RankingCandidate): CodeSymbol | undefined {
  return type === "symbol" ? opened?.symbol : undefined;
}

export interface QueryScope {
  readonly languages?: readonly string[];
  /** A directory or a file, relative to the root. */
  readonly under?: string;
  /** Only paths that pass. */
  readonly keeps?: (path: string) => boolean;
}

/** The scope as stores take it, without absent members. */
export function compileScope({ languages, under, keeps }: QueryScope): QueryScope {
  return { ...(languages && { languages }), ...(under && { under }), ...(keeps && { keeps }) };
}

export function inScope(file: FileRow, scope: QueryScope): boolean {
  if (scope.languages !== undefined && !scope.languages.includes(file.language)) return false;
  if (scope.keeps?.(file.path) === false) return false;
  return scope.under === undefined || isUnder(file.path, scope.under);
}

/** The root is spelt "", "." or "/". */
function isUnder(path: string, under: string): boolean {
  const folder = under.replace(/^(\.?\/)+|\/+$/g, "");
  return folder === "" || folder === "." || path === folder || path.startsWith(`${folder}/`);
}
