/**
 * The narrow waist: content once, refs are views, publishing swaps a pointer.
 *
 * Engines supply storage, candidates and term statistics; tokenising, BM25 and tie-breaks are shared code, so that
 * every engine answers alike. Every call takes `Limits`; an error is never an empty page.
 */
import type { Coverage, FileFrame, FileRecord, SkipReason } from "../model/code.ts";
import type { Facts } from "../model/edges.ts";
import type { ContentHash, FileId, Generation, JobId, ProjectId } from "../model/ids.ts";
import type { Job } from "../model/jobs.ts";
import type { SchemaStatus } from "../model/status.ts";
import type { TrigramPlan } from "../model/trigram-plan.ts";
import type { Catalog } from "./catalog.ts";
import type { ProcessIdentity } from "./env.ts";

export interface Limits {
  /** Milliseconds from now after which the call gives up with what it has, flagged. */
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
}

export interface SchemaReport {
  readonly status: SchemaStatus;
  readonly currentVersion: number;
  readonly requiredVersion: number;
  readonly message?: string;
}

export interface StoreCaps {
  readonly engine: string;
  readonly bm25: "native" | "rescored";
  readonly sharedReaders: boolean;
  readonly multiWriter: boolean;
}

/** What names a file version. Another extractor makes another version, so a fixed bug does not live on in old content. */
export interface VersionKey {
  readonly path: string;
  readonly contentHash: ContentHash;
  readonly extractor: string;
}

/** A parsed file on its way into the store. `record` and `text` are codecs of `segment/`. */
export interface StoredFile extends VersionKey {
  readonly language: string;
  readonly symbolCount: number;
  readonly chunkCount: number;
  readonly byteCount: number;
  /** What the file lost: kind of the first problem of the record that is not a mere syntax error, if any. */
  readonly problem?: string;
  /** Git's id of the same content, where the file belongs to a repository. */
  readonly blob?: string;
  /** `encodeRecord(FileRecord)`. */
  readonly record: Uint8Array;
  /** `encodeText(text)`: the decoded text, compressed. */
  readonly text: Uint8Array;
  /** `encodeVectors(…)` of its chunks, by the batch's model. */
  readonly vectors?: Uint8Array;
  /** `encodeFacts(Facts)`; empty where there are none. */
  readonly facts: Uint8Array;
}

/** Files that become durable together, with the segment that indexes them (files named by position in the list). */
export interface FileBatch {
  readonly files: readonly StoredFile[];
  readonly segment: Uint8Array;
  /** Fingerprint of the model that made the files' vectors. */
  readonly model?: string;
}

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

export interface Publication {
  readonly jobId: JobId;
  /** Only what differs from the view's present state. */
  readonly changes: readonly ViewChange[];
  readonly commit?: string;
  /** Counts of skips that have no row of their own (ignored directories). */
  readonly uncounted: Readonly<Partial<Record<SkipReason, number>>>;
  readonly publishedAt: number;
}

/** The right to write, with a token that a later holder makes worthless. */
export interface Lease {
  readonly token: number;
  /** Throws `CompassError("index_in_progress")` when somebody took the lease over. */
  renew(): Promise<void>;
  release(): Promise<void>;
}

export type LeaseAnswer = { readonly held: true; readonly by: ProcessIdentity } | { readonly lease: Lease };

/** An entry of a view as the write path compares it with the tree. */
export type ViewEntry =
  | { readonly path: string; readonly version: VersionKey; readonly skip?: undefined }
  | { readonly path: string; readonly skip: SkipReason; readonly version?: undefined };

export interface BeginOptions {
  /** A view that shows nearly the same: a new view begins as it is now, and keeps only the difference to that. */
  readonly base?: string;
  /** The view of the repository's default branch, where whoever writes knows it; a store without readers elsewhere forgets it. */
  readonly defaultRef?: string;
}

export interface Build {
  /**
   * The view's present entries, to compare with the tree; those of its base, or none, for a new view. With `paths`, those
   * of these paths and below them are enough.
   */
  entries(paths?: readonly string[]): Promise<ReadonlyMap<string, ViewEntry>>;
  /** The versions, by path, that were made of these blobs at these paths: such files need not even be read. */
  recall(
    blobs: readonly { readonly path: string; readonly blob: string }[],
    extractor: string,
  ): Promise<ReadonlyMap<string, VersionKey>>;
  /** Which of these versions are already in the store: parsed in an earlier run, killed or not. */
  known(keys: readonly VersionKey[]): Promise<ReadonlySet<string>>;
  /** Durable and invisible: a killed build resumes from here. */
  put(batch: FileBatch): Promise<void>;
  /** What is known of a working tree's files, by path. A version that was forgotten since is not known. `paths` as above. */
  stamps(tree: ProjectId, paths?: readonly string[]): Promise<ReadonlyMap<string, Stamped>>;
  /** Vectors of versions that were stored without, or with another model's. Shown by the next publication. */
  putVectors(model: string, files: readonly FileVectors[]): Promise<void>;
  /** Learns what files of a working tree were read as, after their versions were put. Not a publication. */
  restamp(tree: ProjectId, stamps: readonly Stamped[]): Promise<void>;
  /** Atomic, idempotent by job id, refused when the lease's token is no longer the newest. */
  publish(publication: Publication): Promise<Generation>;
  abort(): Promise<void>;
}

/** `versionKeyText` of a key, as `Build.known` answers. */
export type VersionKeyText = string;

/** The vectors of a stored file's chunks: `encodeVectors(…)`. */
export interface FileVectors {
  readonly file: FileId;
  readonly vectors: Uint8Array;
}

export interface ViewInfo {
  readonly ref: string;
  readonly generation: Generation;
  readonly commit?: string;
  readonly publishedAt: number;
  /** Of the repository's default branch, as whoever wrote it knew; absent: not, or nobody knew. */
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
  /** Files whose chunks' likeness is wanted whatever their rank. */
  readonly also?: readonly FileRow[];
}

export interface DenseCandidate {
  readonly file: FileRow;
  readonly chunk: number;
  /** Cosine, -1..1. */
  readonly likeness: number;
}

export interface DensePage {
  /** Most alike first; equal ones by path and chunk. */
  readonly candidates: readonly DenseCandidate[];
  /** Chunks in scope that reach `least`. */
  readonly matched: number;
  /** By `also`, by chunk; undefined for a file without vectors of this model. */
  readonly also: readonly (Float64Array | undefined)[];
  /** Chunks in scope that have a vector of this model, and all of them; both 0 where only `also` was asked. */
  readonly embedded: number;
  readonly chunks: number;
}

export interface TermStats {
  readonly chunkCount: number;
  readonly averageLength: number;
  /** Chunks of the view that hold the term, by term. */
  readonly documentFrequency: ReadonlyMap<string, number>;
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
  /** Files that were stored with a problem, by path. */
  problems(limit: number): Promise<readonly { readonly path: string; readonly problem: string }[]>;
  record(file: FileRow): Promise<FileRecord>;
  /** For whoever looks at a few symbols of many files: far quicker than their records. */
  frame(file: FileRow): Promise<FileFrame>;
  text(file: FileRow): Promise<string>;
  /** Texts as they are stored (`encodeText`), for whoever decodes them elsewhere; in the order asked. */
  packed(files: readonly FileRow[]): Promise<readonly Uint8Array[]>;
  /** Files that the plan does not rule out, sorted by path. */
  holding(plan: TrigramPlan, limits?: Limits): Promise<readonly FileRow[]>;
  /** Paths that are not indexed for one of these reasons, sorted. */
  skips(reasons: readonly SkipReason[]): Promise<readonly string[]>;
  /** What the file uses and imports; `NO_FACTS` for languages without edges. */
  facts(files: readonly FileRow[]): Promise<readonly Facts[]>;
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
  /** By `symbol_id` or `symbol_stable_id`. */
  symbolsById(id: string): Promise<readonly SymbolCandidate[]>;
  release(): void;
}

export interface Finding {
  readonly what: string;
  readonly where: string;
}

export interface GcReport {
  readonly versionsRemoved: number;
  readonly segmentsMerged: number;
  readonly bytesFreed: number;
}

/** A view with everything it shows, for moving it to another store. */
export interface ViewDump {
  readonly info: ViewInfo;
  /** By path. */
  readonly entries: readonly ViewEntry[];
}

/** One state of everything that the views show. Equal states give equal dumps, whichever engine holds them. */
export interface StoreDump {
  /** By ref. */
  readonly views: readonly ViewDump[];
  /** Every version that a view shows, by path, content and extractor; without vectors, which can be made again. */
  files(): AsyncIterable<StoredFile>;
  release(): void;
}

/** New content that is built beside the present one and takes its place as a whole. */
export interface Restoring {
  /** A view of the new content. Its publication is seen when all are. */
  begin(ref: string, options?: BeginOptions): Promise<Build>;
  commit(): Promise<void>;
  /** The present content stays; does nothing after the commit. */
  abort(): Promise<void>;
}

/** What became of a view that was to be forgotten. */
export interface Forgotten {
  readonly ref: string;
  /** `in_use`: somebody reads it now. `base_of_others`: other views are kept as differences to it. */
  readonly outcome: "forgotten" | "in_use" | "base_of_others" | "unknown";
}

/** One repository's index. */
export interface Store {
  caps(): StoreCaps;
  /** Whose symbols they are, where the index knows; absent or undefined: its readers' own project. */
  idsProject?(): Promise<ProjectId | undefined>;
  inspect(): Promise<SchemaReport>;
  lease(owner: ProcessIdentity, ttlMs: number): Promise<LeaseAnswer>;
  /** Starts or continues the view of `ref`. `reset`: forget what is stored and begin anew (after corruption). */
  begin(lease: Lease, ref: string, mode: "update" | "reset", options?: BeginOptions): Promise<Build>;
  /** The newest published state of the ref; undefined when it has none. */
  snapshot(ref: string, limits?: Limits): Promise<Snapshot | undefined>;
  /** Every published view, without opening one. */
  views(): Promise<readonly ViewInfo[]>;
  /** What is stored of these versions, whichever view shows them, by `versionKeyText`. Unknown ones are left out. */
  records(keys: readonly VersionKey[], limits?: Limits): Promise<ReadonlyMap<VersionKeyText, FileRecord>>;
  /** Remembers that a view was asked now, give or take a minute. Never refuses. */
  used(view: string): Promise<void>;
  /** When each view was last asked, where that is known. */
  uses(): Promise<ReadonlyMap<string, number>>;
  recordJob(job: Job, owner: ProcessIdentity): Promise<void>;
  /** Newest first. Jobs of dead owners come back as `interrupted`. */
  jobs(limit: number): Promise<readonly Job[]>;
  sizeBytes(): Promise<number>;
  verify(level: "quick" | "full"): Promise<readonly Finding[]>;
  gc(lease: Lease): Promise<GcReport>;
  dump(): Promise<StoreDump>;
  restore(lease: Lease): Promise<Restoring>;
  /** Takes views out; what they alone showed goes with the next `gc`. */
  forget(lease: Lease, refs: readonly string[]): Promise<readonly Forgotten[]>;
  close(): Promise<void>;
}

/** A store that others share, for people: where it is and what it can do. */
export interface StoreDescription {
  readonly engine: string;
  /** Of the engine. */
  readonly version: string;
  /** Without any password. */
  readonly address: string;
  /** One line each. */
  readonly capabilities: readonly string[];
}

/** Opens the store of a repository; `create: false` never writes. */
export interface StoreOpener {
  /** Absent for stores of this machine alone. Throws where the store cannot be used. */
  describe?(): Promise<StoreDescription>;
  /** What the store holds by name; absent for stores of this machine alone. */
  readonly catalog?: Catalog;
  /** Where reads may come from a replica: how far this process has seen the store, so that no thread sees less. */
  readonly horizon?: { at(): number; raise(to: number): void; look(): Promise<void> };
  /** Which of these stores whoever asks may know of; absent: whoever asks may know of all. */
  sees?(locations: readonly string[]): Promise<readonly boolean[]>;
  open(location: string, options: { readonly create: boolean; readonly project: ProjectId }): Promise<Store>;
  /** Deletes the store; nothing happens where there is none. Who has it open must be ready to see it vanish. */
  remove(location: string): Promise<void>;
}

export function versionKeyText(key: VersionKey): VersionKeyText {
  return `${key.contentHash}\0${key.extractor}\0${key.path}`;
}
