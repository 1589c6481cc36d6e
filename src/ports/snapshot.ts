/** A view as it is read. What is being built meanwhile is `build.ts`. */
import type { FileFrame, FileRecord, SkipReason } from "../model/code.ts";
import type { Facts } from "../model/edges.ts";
import type { TrigramPlan } from "../model/grep.ts";
import type { ProjectId } from "../model/ids.ts";
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
import type { Limits } from "./limits.ts";
import type { FileRow, ViewInfo } from "./view.ts";

/** One published state of one view. Immutable while it is held. */
export interface Snapshot {
  readonly info: ViewInfo;
  /** Files of the view, sorted by path. */
  files(): Promise<readonly FileRow[]>;
  file(path: string): Promise<FileRow | undefined>;
  /**
   * What the freshness check compares the disk with: the stamp that each file of the view bears in this working tree as
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
