/**
 * The repositories that a shared store holds, whether or not one is checked out on this machine: their names, and which of
 * them are worth opening for a question to many. What a caller may not see is not there.
 */
import type { FileRecord, SkipReason } from "../model/code.ts";
import type { TrigramPlan } from "../model/grep.ts";
import type { FileRow, Limits } from "./snapshot.ts";

export interface Cataloged {
  /** `host/owner/name`, and the place in it. */
  readonly name: string;
  /** What `StoreOpener.open` takes. */
  readonly location: string;
}

/** A file of a repository's published default view. */
export interface CatalogedFile extends FileRow {
  /** Name of its repository. */
  readonly repository: string;
  /** The view that shows it, and its commit. */
  readonly view: string;
  readonly commit?: string;
}

/** From here on: files of later repositories, or of the same one at this path or behind it. */
export interface CatalogPosition {
  readonly repository: string;
  readonly path: string;
}

/** Absent names: every repository. */
export interface CatalogScope {
  readonly names?: readonly string[];
}

export interface CatalogFileQuery extends CatalogScope {
  readonly from?: CatalogPosition;
  /** Most files to name. */
  readonly limit: number;
}

/** Those of these names, or those whose names begin so. */
export type RepositoryQuery = { readonly names: readonly string[] } | { readonly prefix: string };

export interface CatalogedContent {
  /** A text as it is stored (`encodeText`); empty where a part of the store does not answer. */
  packed: Uint8Array;
  text: string;
  record: FileRecord;
}

export interface Catalog {
  /** Number of repositories. */
  count(limits?: Limits): Promise<number>;
  /** Sorted by name where a prefix was given. */
  repositories(query: RepositoryQuery, limits?: Limits): Promise<readonly Cataloged[]>;
  /** Repositories that contain the terms, the most promising first. `all`: whether no other one has as many together. */
  withTerms(
    terms: readonly string[],
    ask: CatalogScope & { readonly most: number },
    limits?: Limits,
  ): Promise<{ readonly names: readonly string[]; readonly all: boolean }>;
  /** Files that the plan does not rule out, by repository and path. `more`: there are further ones behind them. */
  holding(
    plan: TrigramPlan,
    ask: CatalogFileQuery,
    limits?: Limits,
  ): Promise<{ readonly files: readonly CatalogedFile[]; readonly more: boolean }>;
  /** Those of these reasons for which a repository of the scope has skipped files: the store does not hold them. */
  skipped(reasons: readonly SkipReason[], scope: CatalogScope, limits?: Limits): Promise<readonly SkipReason[]>;
  /** In the order asked; undefined where a part of the store does not answer. */
  contents<K extends keyof CatalogedContent>(
    kind: K,
    files: readonly CatalogedFile[],
    limits?: Limits,
  ): Promise<readonly (CatalogedContent[K] | undefined)[]>;
  /** Parts of the store that did not answer a moment ago. */
  missing(): readonly string[];
}
