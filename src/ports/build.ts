/** A view as it is written: files are put, durable and invisible, and one publication shows them all. */
import type { SkipReason } from "../model/code.ts";
import type { Generation, JobId, ProjectId } from "../model/ids.ts";
import type { Stamped, ViewChange, ViewEntry } from "./snapshot.ts";
import type { FileBatch, FileVectors, VersionKey } from "./versions.ts";

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
  /** Whether so much was replaced by what was published here that garbage is to be collected. */
  isCollectionDue(): boolean;
  abort(): Promise<void>;
}

export interface BeginOptions {
  /** A view that shows nearly the same: a new view begins as it is now, and keeps only the difference to that. */
  readonly base?: string;
  /** The view of the repository's default branch, where the writer knows it; a store that only this machine reads ignores it. */
  readonly defaultRef?: string;
}

export interface Publication {
  readonly jobId: JobId;
  /** Only what differs from the view's present state. */
  readonly changes: readonly ViewChange[];
  readonly commit?: string;
  /** Counts of skips that have no row of their own (ignored directories); absent: as before. */
  readonly uncounted?: Readonly<Partial<Record<SkipReason, number>>>;
  readonly publishedAt: number;
}
