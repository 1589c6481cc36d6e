/** A view as it is read. What is being built meanwhile is `build.ts`. */
import type { Coverage, FileFrame, FileRecord, SkipReason } from "../model/code.ts";
import type { Facts } from "../model/edges.ts";
import type { TrigramPlan } from "../model/grep.ts";
import type { ContentHash, FileId, Generation, ProjectId } from "../model/ids.ts";
import type {
  DensePage,
  DenseQuery,
  LexicalPage,
  LexicalQuery,
  SymbolCandidate,
  SymbolPage,
  SymbolQuery,
  TermStats,
} from "./candidates.ts";
import type { VersionKey } from "./versions.ts";

/** One published state of one view. Immutable while it is held. */
export interface Snapshot {
  readonly info: ViewInfo;
  /** Files of the view, sorted by path. */
  files(): Promise<readonly FileRow[]>;
  file(path: string): Promise<FileRow | undefined>;
  /**
   * What the freshness check compares the disk with: the stamp that each file of the view has in this working tree as
   * long as it is what the view shows, empty where that is not known. Skipped paths are in it when they have a stamp.
   */
  stamps(tree: ProjectId): Promise<ReadonlyMap<string, string>>;
  /** Why a path is not indexed, where the view knows. */
  skipped(path: string): Promise<SkipReason | undefined>;
  /** By which reading one of its files was stored (`VersionKey.extractor`); undefined: the view has no files. */
  extractor(): Promise<string | undefined>;
  /** Files that were stored with a problem, by path. */
  problems(limit: number): Promise<readonly { readonly path: string; readonly problem: string }[]>;
  record(file: FileRow): Promise<FileRecord>;
  /** For a few symbols of many files: far faster than their records. */
  frame(file: FileRow): Promise<FileFrame>;
  text(file: FileRow): Promise<string>;
  /** Texts as they are stored (`encodeText`), for a caller that decodes them elsewhere; in the order of the request. */
  packed(files: readonly FileRow[]): Promise<readonly Uint8Array[]>;
  /** Files that the plan does not rule out, sorted by path. */
  holding(plan: TrigramPlan, limits?: Limits): Promise<readonly FileRow[]>;
  /** Paths that are not indexed for one of these reasons, sorted. */
  skips(reasons: readonly SkipReason[]): Promise<readonly string[]>;
  /** What the file uses and imports; `NO_FACTS` for languages without edges. */
  facts(files: readonly FileRow[]): Promise<readonly Facts[]>;
  /** What compilers say of files, by `compilerPath`: each is read with `text`. */
  compiled(): Promise<ReadonlyMap<string, FileRow>>;
  /** Files that use or import the name, sorted by path. */
  mentions(name: string, limits?: Limits): Promise<readonly FileRow[]>;
  /** Every file that imports something, with the modules as it spells them. */
  modules(): Promise<readonly { readonly file: FileRow; readonly modules: readonly string[] }[]>;
  lexical(query: LexicalQuery, limits?: Limits): Promise<LexicalPage>;
  dense(query: DenseQuery, limits?: Limits): Promise<DensePage>;
  /** Files with chunks but without vectors of this model, by path. */
  unembedded(model: string, limit: number): Promise<readonly FileRow[]>;
  termStats(terms: readonly string[]): Promise<TermStats>;
  symbols(query: SymbolQuery, limits?: Limits): Promise<SymbolPage>;
  /** The symbol names nearest to one that may be misspelt, nearest first; by default of all files. */
  nearNames(name: string, limit: number, inScope?: (file: FileRow) => boolean): Promise<readonly string[]>;
  /** By `symbol_id` or `symbol_stable_id`. */
  symbolsById(id: string): Promise<readonly SymbolCandidate[]>;
  release(): void;
}

/** Deadline and cancellation of a query. */
export interface Limits {
  /** Milliseconds from now after which the call gives up with what it has, flagged. */
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
}

/** What a ref shows: path → file version, or why the path is skipped; and what is known of a working tree's own files. */
export interface ViewInfo {
  /**
   * Names this published state, and what caches go by. Never reused: generations and file ids start again when an index is
   * removed and built again, this does not.
   */
  readonly stateId: string;
  readonly ref: string;
  readonly generation: Generation;
  readonly commit?: string;
  readonly publishedAt: number;
  /** Of the repository's default branch, as the writer knew; absent: it is not, or the writer did not know. */
  readonly isDefault?: true;
  readonly coverage: Coverage;
  readonly fileCount: number;
  readonly symbolCount: number;
  readonly chunkCount: number;
  /** Sorted, each with its number of files. */
  readonly languages: readonly { readonly language: string; readonly files: number }[];
}

export interface FileRow {
  readonly id: FileId;
  readonly path: string;
  readonly language: string;
  readonly contentHash: ContentHash;
  /** How much there is to open, where the store has it at hand. */
  readonly symbols?: number;
  readonly chunks?: number;
}

/** An entry of a view as the write path compares it with the tree. */
export type ViewEntry =
  | { readonly path: string; readonly version: VersionKey; readonly skip?: undefined }
  | { readonly path: string; readonly skip: SkipReason; readonly version?: undefined };

/** What a view shows at a path. */
export type ViewChange =
  | { readonly path: string; readonly version: VersionKey }
  | { readonly path: string; readonly skip: SkipReason }
  | { readonly path: string; readonly removed: true };

/**
 * What a file of a working tree was read as while it bore a stamp. This is a fact about the tree and not about a view:
 * every view of the tree uses it, it needs no publication, and it stays true whatever is published. A view is as on
 * disk where the file's present stamp is known and was read as what the view shows; so switching to a branch that is
 * indexed costs the files that the switch wrote, and a new view of known files reads none of them.
 */
export type Stamped =
  | { readonly path: string; readonly stamp: string; readonly version: VersionKey }
  | { readonly path: string; readonly stamp: string; readonly skip: SkipReason };
