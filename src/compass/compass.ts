/** The one core API: tools, CLI and the library call this and nothing below it. */
import type { DiffAnswer, DiffRequest } from "../model/changes.ts";
import type { Coverage } from "../model/code.ts";
import type { ScipImportReport } from "../model/compiler-edges.ts";
import type { GrepAnswer, GrepRequest, GrepScopeRequest } from "../model/grep.ts";
import type { ProjectId } from "../model/ids.ts";
import type { Job, JobMode } from "../model/jobs.ts";
import type { MultiRepoGrepAnswer, MultiRepoGrepRequest, MultiRepoReport } from "../model/multi-repository.ts";
import type { AffectedCode, AffectedCodeRequest, ReferencesAnswer, ReferencesRequest } from "../model/navigation.ts";
import type {
  ExplainAnswer,
  LocateAnswer,
  LocateRequest,
  OutlineAnswer,
  PathMatches,
  SearchAnswer,
  SearchRequest,
  SemanticAnswer,
  SemanticRequest,
  SourceLayer,
  SourceText,
  SymbolHit,
  WhyNot,
} from "../model/search.ts";
import type { FreshnessPolicy, FreshnessStatus, IndexingStatus, SchemaStatus } from "../model/status.ts";
import type { Navigation } from "../navigate/navigation.ts";
import type { DamagedRegistration } from "../ports/registry.ts";
import type { StoreDescription, Finding as StoreFinding } from "../ports/store.ts";
import type { RepositoryRefs } from "../ports/vcs.ts";
import type { SearchFindings } from "../query/build-results.ts";
import type { ScipFile } from "./jobs/import-scip.ts";

/** A registered tree, or a repository that a shared store knows by name. */
export interface Project {
  readonly id: ProjectId;
  /** Real path; the name of a repository that is not checked out here. */
  readonly root: string;
  readonly vcs: boolean;
  /** Only in the shared store, at this place of it: see `published.ts`. */
  readonly published?: { readonly location: string };
}

/** A tree that is known on this machine. */
export interface Workspace {
  readonly id: ProjectId;
  readonly root: string;
  /** Found on demand by a server, not registered by a person. */
  readonly autoDiscovered: boolean;
  readonly registeredAt: number;
  readonly lastUsedAt: number;
}

export interface ReadOptions {
  readonly ref?: string;
  readonly policy: FreshnessPolicy;
  readonly signal?: AbortSignal;
  /** Whether a view that does not exist yet is built. Default: as the policy says. */
  readonly builds?: false;
}

/** A file or directory of a workspace. */
export interface ResolvedPath {
  readonly project: Project;
  /** Relative to the workspace; "" is all of it. */
  readonly under: string;
  /** Not on disk: only a ref can have it. */
  readonly absent?: true;
}

/** What every answer says of itself; `tools/run.ts` turns it into the response metadata. */
export interface ViewStatus {
  readonly ref: string;
  readonly freshness: FreshnessStatus;
  readonly indexing: IndexingStatus;
  readonly schema: SchemaStatus;
  readonly coverage?: Coverage;
  /** The publication that was read, where there is no checkout to compare it with. */
  readonly published?: { readonly commit?: string; readonly at: number };
  /** Whether the whole view could be searched; false while the first index is being built. */
  readonly complete: boolean;
  readonly warnings: readonly string[];
  /** Warnings about files whose symbols are missing from the view: an answer based on symbols is partial. */
  readonly symbolGaps?: readonly string[];
}

/** The two halves of `search`: a reader thread finds, and the caller's thread shows. */
export interface SearchStages {
  /**
   * Also shows what it found where that takes long, unless it is a part of an answer of several workspaces, and where the
   * caller holds another state of the view than this one: `stateId` is the caller's.
   */
  find(
    ask: SearchRequest,
    caller?: { readonly stateId?: string; readonly isPart?: boolean },
  ): Promise<SearchStageResult>;
  show(found: SearchFindings): Promise<SearchAnswer>;
}

export type SearchStageResult = SearchFindings | { readonly shown: SearchAnswer };

/** A view pinned for one request. Before the first index is published, it answers empty and `complete` is false. */
export interface Reading extends Navigation, Partial<SearchStages> {
  readonly project: Project;
  readonly status: ViewStatus;
  /** Of the view; 0 before the first index is published. */
  readonly generation: number;
  search(ask: SearchRequest): Promise<SearchAnswer>;
  /** Semantic search only. */
  semantic(ask: SemanticRequest): Promise<SemanticAnswer>;
  /** As `search`, with fused scores and pages. */
  hybrid(ask: SemanticRequest): Promise<SemanticAnswer>;
  locate(ask: LocateRequest): Promise<LocateAnswer>;
  /** Lines in which a pattern matches. Throws `invalid_input` for one that cannot be read. */
  grep(ask: GrepRequest): Promise<GrepAnswer>;
  /** Paths of the files that `grep` searches in the same scope. */
  searchedFiles(ask: GrepScopeRequest): Promise<readonly string[]>;
  /** With `most` no more nodes than that. Throws `file_not_found`. */
  outline(path: string, depth: "top" | "all", most?: number): Promise<OutlineAnswer>;
  /** The text of a file as it is indexed. Throws `file_not_found`. */
  source(path: string): Promise<SourceText>;
  /** Paths that contain every word, those with a match in the file name first. */
  findPaths(words: string, limit: number): Promise<PathMatches>;
  /** Replays `search` and throws `result_not_found` when path and line are not among its candidates. */
  explain(ask: SearchRequest, path: string, lineStart: number): Promise<ExplainAnswer>;
  /** Replays `search` and explains where a line ranks in it and why. */
  whyNot(ask: SearchRequest, path: string, line: number): Promise<WhyNot>;
  /** Exact source of a symbol, for previews. */
  body(hit: SymbolHit): Promise<string>;
  /** Whether a file of the view is the default branch's or the ref's own; undefined outside version control. */
  layer(path: string): Promise<SourceLayer | undefined>;
  /** Symbols that a symbol's signature and body name, resolved inside the view; at most `limit`. */
  related(hit: SymbolHit, limit: number): Promise<readonly SymbolHit[]>;
  /** Every use of a symbol. Throws `symbol_not_found`, `ambiguous_symbol`, `no_edges_available`. */
  references(ask: ReferencesRequest): Promise<ReferencesAnswer>;
  /** The callers of changed symbols and the tests likely to cover them. */
  affectedCode(ask: AffectedCodeRequest): Promise<AffectedCode>;
}

/** Several workspaces as one. Outlines and references need a single workspace, and `grepMany` replaces `grep`. */
export interface MultiRepoReading extends Reading {
  grepMany(ask: MultiRepoGrepRequest): Promise<MultiRepoGrepAnswer>;
  /** Of the requests until now. */
  report(): MultiRepoReport;
}

export interface IndexOptions {
  readonly ref?: string;
  readonly mode: JobMode;
  readonly force: boolean;
  /** 0: answer at once with the running job. */
  readonly waitMs: number;
  readonly onProgress?: (job: Job) => void;
  readonly signal?: AbortSignal;
}

export interface FreshenOptions {
  /** Absent: what is checked out. */
  readonly ref?: string;
  /** When the index cannot be written, on a full disk for example, answer from the old state with a warning. */
  readonly orStale?: true;
  readonly onProgress?: (job: Job) => void;
  readonly signal?: AbortSignal;
}

/** A ref that is indexed. */
export interface RefStatus {
  readonly ref: string;
  readonly isDefault: boolean;
  readonly lastIndexedCommit?: string;
  /** Where it left the default branch. */
  readonly mergeBase?: string;
  /** Of the default ref all, of others what they changed. */
  readonly fileCount: number;
  readonly symbolCount: number;
  /** `gone`: the repository has no such ref any more. */
  readonly status: "active" | "stale" | "syncing" | "gone";
  readonly lastAccessedAt: number;
}

export interface SwitchRequest {
  readonly ref: string;
  /** The session that switches; absent: the choice is not remembered. */
  readonly session?: string;
  /** Also write the ref's files to a directory. */
  readonly ensureWorktree: boolean;
}

export interface SwitchedRef {
  readonly ref: string;
  readonly previousRef: string;
  readonly switched: boolean;
  /** Where the ref's files are, if anywhere. */
  readonly worktreePath?: string;
  readonly lastIndexedCommit?: string;
  readonly viewStatus: ViewStatus;
}

export interface RecoveryReport {
  readonly detected: true;
  readonly interruptedJobs: number;
  readonly lastInterruptedAt: number;
}

export interface ProjectStatus {
  readonly project: Project;
  readonly viewStatus: ViewStatus;
  readonly currentSchemaVersion: number;
  readonly requiredSchemaVersion: number;
  readonly schemaMessage?: string;
  readonly lastIndexedAt?: number;
  readonly lastIndexedCommit?: string;
  readonly fileCount: number;
  readonly symbolCount: number;
  readonly chunkCount: number;
  readonly languages: readonly string[];
  readonly indexSizeBytes: number;
  readonly indexingTimeMs?: number;
  readonly activeJob?: Job;
  readonly recentJobs: readonly Job[];
  readonly recovery?: RecoveryReport;
  /** Why the last job of this process could not write its index, until a later one succeeds. */
  readonly failure?: string;
  /** Files that could not be used as their language promises, newest state, at most 50. */
  readonly problems: readonly { readonly path: string; readonly problem: string }[];
}

/** What a ref's view holds. */
export interface ViewContents {
  readonly ref: string;
  readonly fileCount: number;
  readonly symbolCount: number;
  readonly coverage?: Coverage;
  /** Its name in the shared store; null where only this machine can read it. Absent: the store is not shared. */
  readonly repository?: string | null;
}

export interface Health {
  readonly status: "ready" | "warming" | "indexing" | "error";
  readonly uptimeMs: number;
  readonly memoryBytes: number;
  readonly storeOk: boolean;
  readonly fullText: { readonly engine: string; readonly ok: boolean };
  /** The shared store; absent: the index is on this machine only. */
  readonly store?: StoreDescription;
  readonly grammars: { readonly available: readonly string[]; readonly missing: readonly string[] };
  readonly prewarm: "pending" | "running" | "complete" | "skipped" | "failed";
  readonly warmset: { readonly enabled: boolean; readonly capacity: number; readonly members: readonly string[] };
  readonly watcher: "native" | "polling" | "off";
  readonly projects: readonly ProjectStatus[];
}

/** What changed, and how far the answer can be trusted. */
export interface Diff extends DiffAnswer {
  readonly viewStatus: ViewStatus;
}

export interface PruneOptions {
  readonly olderThanDays: number;
  readonly dryRun: boolean;
  readonly signal?: AbortSignal;
}

interface PrunedRef {
  readonly ref: string;
  /** When it was last published or used. */
  readonly lastUsedAt: number;
}

export interface PruneReport {
  readonly removed: readonly PrunedRef[];
  readonly kept: readonly (PrunedRef & {
    readonly reason:
      | "default_ref"
      | "checked_out"
      | "recently_used"
      | "in_use"
      | "base_of_others"
      | "outside_data_directory";
  })[];
  readonly bytesFreed: number;
  readonly versionsRemoved: number;
}

/** What was exported or imported. */
export interface StateReport {
  readonly file: string;
  readonly bytes: number;
  readonly refs: readonly string[];
  /** File versions. */
  readonly files: number;
}

export interface Compass {
  /** As the configuration names it; `default` is the built-in one, `none` none. */
  readonly embeddingModel: string;
  /** The project of a call: the named workspace, else the default one. */
  project(workspace?: string): Promise<Project>;
  /** The workspace of a path, absolute or relative to the workspace. Refuses a path outside all workspaces. */
  resolvePath(path: string, workspace?: string): Promise<ResolvedPath>;
  /** Registers a directory (idempotent); refuses home directories and drive roots. */
  register(path: string): Promise<Project>;
  /** Forgets a tree and, where no other tree shares it, its index. */
  forget(path: string): Promise<Project>;
  /** Every tree that is known on this machine. */
  workspaces(): Promise<readonly Workspace[]>;
  /** Registrations that cannot be read: each is replaced when its tree is registered again. */
  damagedWorkspaces(): Promise<readonly DamagedRegistration[]>;
  /** The names of the repositories in a shared store; empty without one. */
  repositories(): Promise<readonly string[]>;
  read<T>(project: Project, options: ReadOptions, use: (reading: Reading) => Promise<T>): Promise<T>;
  /**
   * Reads every workspace that the words select (`model/workspace-selector.ts`) until time is up; the report names those
   * that have not answered by then.
   */
  readMany<T>(words: string, options: ReadOptions, use: (reading: MultiRepoReading) => Promise<T>): Promise<T>;
  /** Indexed refs, the default one first. */
  refs(project: Project): Promise<readonly RefStatus[]>;
  /** Branches and tags of the repository, indexed or not; empty outside version control. */
  refNames(project: Project): Promise<RepositoryRefs>;
  /** Throws `ref_not_indexed`, `overlay_not_ready`. */
  switchRef(project: Project, ask: SwitchRequest): Promise<SwitchedRef>;
  /** The ref that a session has switched to; undefined: none. */
  sessionRef(project: Project, session: string): string | undefined;
  /** Starts a job, or refuses with `index_in_progress` / `sync_in_progress`. */
  index(project: Project, options: IndexOptions): Promise<Job>;
  /**
   * Whether the ref's view shows what is on disk, or its commit, in a store of this release that lacks no row; then there
   * is nothing to index.
   */
  isCurrent(project: Project, ref?: string): Promise<boolean>;
  /** Brings the ref's view up to date and waits for it: what a command does before it answers. */
  freshen(project: Project, options: FreshenOptions): Promise<void>;
  status(project: Project, ref?: string): Promise<ProjectStatus>;
  /** Checks the index for damage and missing content. Empty: none was found. */
  verify(project: Project): Promise<readonly StoreFinding[]>;
  /** What was published, without comparing it with the disk. */
  viewContents(project: Project, ref?: string): Promise<ViewContents>;
  /** Removes the views of unused refs; never the default ref, nor what is checked out in any work tree. */
  prune(project: Project, options: PruneOptions): Promise<PruneReport>;
  /** Writes everything that the project's views show into an archive. */
  exportState(project: Project, file: string): Promise<StateReport>;
  /** Replaces the project's index by an archive's, which may come from another machine. */
  importState(project: Project, file: string, signal?: AbortSignal): Promise<StateReport>;
  /** Adds what a compiler says of the files whose indexed content is the one that it read. */
  importScip(project: Project, file: ScipFile, signal?: AbortSignal): Promise<ScipImportReport>;
  /** What changed between two refs; neither has to be indexed. Throws `ref_not_indexed` and `merge_base_failed`. */
  diff(project: Project, ask: DiffRequest, signal?: AbortSignal): Promise<Diff>;
  /** What an ingest into a shared store does once at its end. */
  complete(): Promise<void>;
  /** As `StoreState.ingestLagMs`. */
  ingestLagMs(): Promise<number | undefined>;
  /** All known projects of this process, or one. */
  health(project?: Project): Promise<Health>;
  /** Loads what the first query needs, in the background. */
  prewarm(): void;
  close(): Promise<void>;
}
