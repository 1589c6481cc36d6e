/**
 * What the storage engine (`engine/`) needs of a database: rows, blobs, one atomic write and a lease.
 *
 * The engine holds all logic of stores, views, segments and collection. A backend only keeps what it is given, in one
 * repository's tables, files or maps. Reads come in batches, so that a remote backend answers each in one round trip.
 */
import type { SkipReason } from "../model/code.ts";
import type { ContentHash, ProjectId } from "../model/ids.ts";
import type { Job } from "../model/jobs.ts";
import type { ProcessIdentity } from "./env.ts";
import type { FileRow, Limits } from "./snapshot.ts";
import type { Finding, Lease, VerifyLevel } from "./store.ts";
import type { FileVectors, StoredFile, VersionKey } from "./versions.ts";

export interface Backend {
  /** The content that is current now, with its views; undefined: there is none. */
  views(query: ViewQuery, limits?: Limits): Promise<OpenedContent | undefined>;
  /** The content to write to: the current one, or an empty one that replaces it with `swap`. Requires the lease. */
  begin(lease: Lease, mode: "update" | "replace", defaultRef?: string): Promise<WritableContent>;
  /** Records about the repository that are no part of its content. */
  records<K extends keyof RepositoryRecords>(kind: K): Promise<readonly RepositoryRecords[K][]>;
  /** Writes one such record. False: the lease is no longer as it was read. */
  record(change: RecordChange): Promise<boolean>;
  sizeBytes(): Promise<number>;
  /** Releases memory that the next read can fill again. */
  rest(): void;
  close(): Promise<void>;
}

/** One incarnation of a repository's content. A rebuild makes another one; numbers of versions and views may start again. */
export interface Content {
  /** Never given to another incarnation. */
  readonly id: string;
  /** Rows of one table, as one state of the database. */
  rows<K extends keyof Tables>(
    table: K,
    where: Tables[K]["where"],
    limits?: Limits,
  ): Promise<readonly Tables[K]["row"][]>;
  /** Stored bytes; what is not stored is left out. Throws `CorruptionError` where something is known to be lost. */
  blobs(query: BlobQuery, limits?: Limits): Promise<readonly StoredBlob[]>;
  /** Nothing reads it any more. Discards new content that did not take the place of the old. */
  close(): Promise<void>;
}

export interface WritableContent extends Content {
  /** All of it or nothing; refused when the lease was lost. `step` names the write for failpoints and messages. */
  write(step: string, changes: readonly Change[]): Promise<void>;
  /** Removes what no view shows and no reader may still hold. Returns the number of versions removed. */
  collect(request: CollectRequest): Promise<number>;
  /** Makes new content the current one. */
  swap(): Promise<void>;
}

export interface ViewQuery {
  /** Absent: all views. */
  readonly ref?: string;
  /** Content of its own that stays as it is until it is closed. */
  readonly isolated?: true;
}

export interface OpenedContent {
  /** The same object as long as it is the same content. */
  readonly content: Content;
  /** By ref. */
  readonly views: readonly ViewRow[];
  /** The project that the ids of its symbols are made from; undefined: that of the reader. */
  readonly project: ProjectId | undefined;
}

/** Content that another release made. */
export class SchemaMismatch extends Error {
  readonly version: number;

  constructor(version: number) {
    super(`schema version ${version}`);
    this.version = version;
  }
}

export interface ViewRow {
  readonly id: number;
  readonly ref: string;
  /** The view, and its generation, that this one is stored as a difference to. */
  readonly baseView: number | null;
  readonly baseGeneration: number | null;
  readonly generation: number;
  readonly commit: string | null;
  readonly publishedAt: number;
  /** `Totals` as JSON. */
  readonly totals: string;
  /** Sum of its entries; null where the backend has none. */
  readonly digest: string | null;
  readonly isDefault: boolean;
}

export interface Tables {
  /** Absent refs: all. */
  views: { where: { readonly refs?: readonly string[] }; row: ViewRow };
  entries: { where: EntryQuery; row: EntryRow };
  versions: { where: VersionQuery; row: VersionRow };
  /** Numbers of all versions, or of those with vectors of a model. */
  versionIds: { where: { readonly model?: string }; row: { readonly id: number } };
  /** Models with vectors, the one used last first. */
  models: { where: object; row: { readonly model: string } };
  /** All segments; of those in `except`, only number and size. */
  segments: { where: { readonly except: readonly number[] }; row: SegmentRow };
  stamps: { where: { readonly tree: ProjectId }; row: StampRow };
  /** The revision changes whenever a stamp of the tree does. */
  trees: { where: { readonly tree: ProjectId }; row: { readonly revision: number } };
  publications: { where: { readonly job: string }; row: { readonly generation: number } };
  /** What the backend itself finds wrong. */
  findings: { where: { readonly level: VerifyLevel }; row: Finding };
}

export interface EntryQuery {
  readonly view: number;
  readonly generation: number;
  /** Only what was closed or opened after this generation; what was closed comes first, as rows that show nothing. */
  readonly since?: number;
  /** Exactly these paths. */
  readonly at?: readonly string[];
  /** These paths and everything below them; more may be returned. */
  readonly under?: readonly string[];
}

/** An array: objects with as many fields took twice the time of a cold start's load. */
export type EntryRow = readonly [
  path: string,
  skip: SkipReason | null,
  version: number | null,
  /** From here on null where the version is missing. */
  versionPath: string | null,
  hash: ContentHash,
  extractor: string,
  language: string,
  symbols: number,
  chunks: number,
  problem: string | null,
];

export type VersionQuery =
  | { readonly keys: readonly VersionKey[] }
  | { readonly ids: readonly number[] }
  | { readonly gitBlobs: readonly { readonly path: string; readonly blob: string }[]; readonly extractor: string };

/** What a file version is, apart from its blobs. */
export interface VersionRow {
  readonly id: number;
  readonly path: string;
  readonly hash: ContentHash;
  readonly extractor: string;
  readonly language: string;
  readonly symbols: number;
  readonly chunks: number;
  readonly bytes: number;
  readonly problem: string | null;
  /** Id of git's blob with this content, where one is known. */
  readonly blob: string | null;
}

export interface SegmentRow {
  readonly id: number;
  readonly chunks: number;
  /** The version of each file of the segment as 32-bit words; 0 where another segment holds it. */
  readonly versions: Uint8Array | null;
  readonly head: Uint8Array | null;
}

/** What a file of a working tree was read as: a version, or why it was skipped. */
export interface StampRow {
  readonly path: string;
  readonly stamp: string;
  readonly version: number | null;
  readonly skip: SkipReason | null;
}

export type VersionRef = Pick<FileRow, "id" | "contentHash">;

export type BlobQuery =
  /** `form`: `stored` is what was given to `write`, to the byte; `readable` anything that its decoder takes. */
  | {
      readonly kind: "record" | "facts" | "text";
      readonly versions: readonly VersionRef[];
      readonly form: "readable" | "stored";
    }
  | { readonly kind: "vectors"; readonly model: string; readonly versions: readonly number[] }
  | { readonly kind: "part"; readonly parts: readonly PartRef[] }
  /** The packed entries of a view: `owner` is the generation. */
  | { readonly kind: "pack"; readonly view: number };

/** A part of a segment: what it serves, and where it starts. */
export interface PartRef {
  readonly segment: number;
  readonly kind: number;
  readonly start: number;
}

export interface StoredBlob {
  /** The version or the segment that it belongs to. */
  readonly owner: number;
  /** Where in the segment a part starts; otherwise 0. */
  readonly start: number;
  readonly bytes: Uint8Array;
}

export type Change =
  | { readonly put: PutFiles }
  | { readonly vectors: { readonly model: string; readonly files: readonly FileVectors[] } }
  | { readonly stamps: { readonly tree: ProjectId; readonly rows: readonly StampRow[] } }
  | { readonly publish: PublishedView }
  | { readonly pack: { readonly view: number; readonly generation: number; readonly bytes: Uint8Array } }
  | { readonly merge: MergedSegments }
  | { readonly removeViews: readonly number[] };

export interface PutFiles {
  readonly files: readonly StoredFile[];
  /** Which of them are new; the segment's entries of the others stay empty. */
  readonly isNew: readonly boolean[];
  readonly segment: Uint8Array;
  /** Fingerprint of the model that made the files' vectors. */
  readonly model: string | undefined;
  /** Views that are likely to show an earlier version of the files. */
  readonly near: readonly number[];
}

/** A view's new state: which paths it closes and which rows it opens. */
export interface PublishedView {
  /** As it will be; `id` 0: a new view. */
  readonly row: ViewRow;
  /** The generation that it had. */
  readonly before: number;
  /** Rows that it had, to be checked before a path is added. */
  readonly rowsBefore: number;
  readonly closed: readonly string[];
  readonly opened: readonly OpenedEntry[];
  readonly job: string;
}

/** Neither a version nor a reason: nothing, where the base shows something. */
export interface OpenedEntry {
  readonly path: string;
  readonly version: number | null;
  readonly skip: SkipReason | null;
}

/** One segment in place of others; none where nothing of them is left. */
export interface MergedSegments {
  readonly removed: readonly number[];
  readonly added: MergedSegment | undefined;
}

export interface MergedSegment {
  readonly versions: Uint32Array;
  readonly bytes: Uint8Array;
  /** Versions that no view shows yet will be shown by a view that is stored as a difference. */
  readonly isOfBranch: boolean;
}

export interface CollectRequest {
  /** What was replaced or stored after this moment stays. */
  readonly before: number;
  /** By view: the oldest generation that a snapshot of this process shows. */
  readonly pinned: ReadonlyMap<number, number>;
}

export interface RepositoryRecords {
  /** Exactly one; token 0: there was none. */
  lease: LeaseRecord;
  /** Newest first. */
  jobs: JobRecord;
  /** When each view was read last. */
  uses: { readonly view: string; readonly at: number };
  /** Why the content is known to be damaged. */
  damage: { readonly reason: string };
}

export interface LeaseRecord {
  readonly token: number;
  readonly owner: RecordOwner | undefined;
  readonly ttlMs: number;
  readonly expiresAt: number;
  /** The clock that `expiresAt` is measured by. */
  readonly now: number;
}

export interface RecordOwner extends ProcessIdentity {
  /** Runs on another machine, where this one cannot see whether it is alive. */
  readonly isRemote: boolean;
}

export interface JobRecord {
  readonly job: Job;
  readonly owner: RecordOwner;
}

export type RecordChange =
  | { readonly lease: { readonly before: LeaseRecord; readonly after: Omit<LeaseRecord, "now"> } }
  | { readonly job: Job; readonly owner: ProcessIdentity; readonly keep: number }
  | { readonly use: string }
  | { readonly damage: string };
