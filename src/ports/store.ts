/**
 * The narrow waist: content once, refs are views, publishing swaps a pointer.
 *
 * Engines supply storage, candidates and term statistics; tokenising, BM25 and tie-breaks are shared code, so that
 * every engine answers alike. Every call takes `Limits`; an error is never an empty page.
 */
import type { FileRecord } from "../model/code.ts";
import type { ProjectId } from "../model/ids.ts";
import type { Job } from "../model/jobs.ts";
import type { SchemaStatus } from "../model/status.ts";
import type { BeginOptions, Build } from "./build.ts";
import type { Catalog } from "./catalog.ts";
import type { ProcessIdentity } from "./env.ts";
import type { Limits, Snapshot, ViewEntry, ViewInfo } from "./snapshot.ts";
import type { StoredFile, VersionKey, VersionKeyText } from "./versions.ts";

/** The right to write, with a token that a later holder makes worthless. */
export interface Lease {
  readonly token: number;
  /** Throws `CompassError("index_in_progress")` when another process took the lease over. */
  renew(): Promise<void>;
  release(): Promise<void>;
}

export type LeaseAnswer = { readonly held: true; readonly by: ProcessIdentity } | { readonly lease: Lease };

/** One repository's index. */
export interface Store {
  caps(): StoreCaps;
  /** The project that symbol ids are made from; undefined: the reader's own. */
  idsProject(): Promise<ProjectId | undefined>;
  inspect(): Promise<SchemaReport>;
  lease(owner: ProcessIdentity, ttlMs: number): Promise<LeaseAnswer>;
  /** Starts or continues the view of `ref`. `reset`: forget what is stored and start again (after corruption). */
  begin(lease: Lease, ref: string, mode: "update" | "reset", options?: BeginOptions): Promise<Build>;
  /**
   * The newest published state of the ref; undefined when it has none. `seen`: what `views` has just returned to the caller: a
   * store that has that state at hand need not look again.
   */
  snapshot(ref: string, limits?: Limits, seen?: Pick<ViewInfo, "stateId">): Promise<Snapshot | undefined>;
  /** Every published view, without opening one. */
  views(): Promise<readonly ViewInfo[]>;
  /** What is stored of these versions, whichever view shows them, by `versionKeyText`. Unknown ones are left out. */
  records(keys: readonly VersionKey[], limits?: Limits): Promise<ReadonlyMap<VersionKeyText, FileRecord>>;
  /** Records that a view was used now, give or take a minute. Never fails. */
  used(view: string): Promise<void>;
  /** When each view was last asked, where that is known. */
  uses(): Promise<ReadonlyMap<string, number>>;
  recordJob(job: Job, owner: ProcessIdentity): Promise<void>;
  /** Newest first. Jobs of dead owners come back as `interrupted`. */
  jobs(limit: number): Promise<readonly Job[]>;
  sizeBytes(): Promise<number>;
  verify(level: VerifyLevel): Promise<readonly Finding[]>;
  /** Why the index is known to be damaged, if it is. Costs next to nothing. */
  damage(): Promise<string | undefined>;
  /** Remembers for every process, until the index is replaced, that it is damaged. Never refuses. */
  noteDamage(reason: string): Promise<void>;
  gc(lease: Lease): Promise<GcReport>;
  dump(): Promise<StoreDump>;
  restore(lease: Lease): Promise<ContentRestore>;
  /** Takes views out; what they alone showed goes with the next `gc`. */
  forget(lease: Lease, refs: readonly string[]): Promise<readonly ForgetResult[]>;
  /** Releases memory that the next query can fill again in a moment. */
  rest(): void;
  close(): Promise<void>;
}

export interface StoreCaps {
  readonly engine: string;
  readonly bm25: "native" | "rescored";
  readonly sharedReaders: boolean;
  readonly multiWriter: boolean;
}

export interface SchemaReport {
  readonly status: SchemaStatus;
  readonly currentVersion: number;
  readonly requiredVersion: number;
  readonly message?: string;
  /** Why stored bytes are to blame, where they are: building the index again helps. */
  readonly damage?: string;
}

/** `rows`: that no row is missing that a view needs. `quick`: the bytes that every answer rests on. `full`: every stored byte. */
export type VerifyLevel = "rows" | "quick" | "full";

export interface Finding {
  readonly what: string;
  readonly where: string;
  /** Stored bytes are to blame, and not the disk, permissions or another release. */
  readonly damage?: true;
}

export interface GcReport {
  readonly versionsRemoved: number;
  readonly segmentsMerged: number;
  readonly bytesFreed: number;
}

/** What became of a view that was to be forgotten. */
export interface ForgetResult {
  readonly ref: string;
  /** `in_use`: a reader has it open now. `base_of_others`: other views are kept as differences to it. */
  readonly outcome: "forgotten" | "in_use" | "base_of_others" | "unknown";
}

/** One state of everything that the views show. Equal states give equal dumps, whichever engine holds them. */
export interface StoreDump {
  /** By ref. */
  readonly views: readonly ViewDump[];
  /** Every version that a view shows, by path, content and extractor; without vectors, which can be made again. */
  files(): AsyncIterable<StoredFile>;
  release(): void;
}

/** A view with everything it shows, for moving it to another store. */
export interface ViewDump {
  readonly info: ViewInfo;
  /** By path. */
  readonly entries: readonly ViewEntry[];
}

/** New content that is built beside the present one and takes its place as a whole. */
export interface ContentRestore {
  /** A view of the new content. Its publication is seen when all are. */
  begin(ref: string, options?: BeginOptions): Promise<Build>;
  commit(): Promise<void>;
  /** The present content stays; does nothing after the commit. */
  abort(): Promise<void>;
}

/** Opens the store of a repository; `create: false` never writes. */
export interface StoreOpener {
  open(location: string, options: { readonly create: boolean; readonly project: ProjectId }): Promise<Store>;
  /** Deletes the store; nothing happens where there is none. A process that has it open must be ready to see it vanish. */
  remove(location: string): Promise<void>;
  /** Closes connections; the next use opens them again. */
  close(): Promise<void>;
  /** Undefined: stores of this machine alone. */
  readonly shared: SharedStores | undefined;
}

/** Stores in a database that many machines share, and the repositories that it holds. */
export interface SharedStores extends Catalog {
  /** Throws where the database cannot be used. */
  describe(): Promise<StoreDescription>;
  /** The present state of the primary. Where a replica is read, no later query sees an earlier one. */
  look(): Promise<StoreState>;
  /** Which of these stores the caller may know of. */
  sees(locations: readonly string[]): Promise<readonly boolean[]>;
  /** Takes a repository out, by its name and for everybody. */
  withdraw(name: string): Promise<void>;
  /** Called once at the end of an ingest, for any number of repositories. */
  complete(): Promise<void>;
}

export interface StoreState {
  /** Whether its tables are those of this release. If not, the next writer brings them up to date. */
  readonly isPrepared: boolean;
  /** Milliseconds since an ingest last ran to its end; undefined: none did. */
  readonly ingestLagMs: number | undefined;
}

/**
 * How far a process has seen the log of the primary, in bytes. Where a replica is read, its threads share it so that
 * none of them sees less.
 */
export interface ReadHorizon {
  at: number;
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
  /** Whether an index can be written now; what is published can be read, or there would be no description. */
  readonly canWrite: boolean;
}
