/** What the steps of one run of the write path share: what is asked, what they reach the world by, and their names. */
import type { Hash } from "../model/ids.ts";
import type { Build } from "../ports/build.ts";
import type { Embedders } from "../ports/embedder.ts";
import type { Env, Failpoint } from "../ports/env.ts";
import type { Files } from "../ports/files.ts";
import type { GitObjects } from "../ports/git-objects.ts";
import type { IndexRequest } from "../ports/indexer.ts";
import type { Lease } from "../ports/lease.ts";
import type { Parsers } from "../ports/parsers.ts";
import type { Store } from "../ports/store.ts";
import type { ViewInfo } from "../ports/view.ts";
import type { JobLog } from "./job-log.ts";

export interface PipelinePorts {
  readonly store: Store;
  readonly files: Files;
  /** Needed for requests that speak of a commit. */
  readonly objects?: GitObjects;
  readonly parsers: Parsers;
  /** Of contents; absent: known ones are recognised by the parsers alone. */
  readonly hash?: Hash;
  /** Runs that share the parsers at this moment, this one included; absent: it is alone. */
  readonly sharers?: () => number;
  /** The store is made when the lease is taken: nothing can be known of any tree. */
  readonly isNew?: true;
  /** Absent: only what the parsers embed has vectors. */
  readonly embedders?: Embedders;
  readonly env: Env;
  /** Told when `collect` is due; absent: it is done at once, before the report. */
  readonly onGarbage?: () => void;
  /** Told before and after each step: `walk:before`, `walk:after`, … A test makes the process fail there. */
  readonly failpoint?: Failpoint;
}

/** What a run tells of itself. */
export type RunLog = Pick<JobLog, "progress" | "update" | "published">;

export interface IndexRun {
  readonly request: IndexRequest;
  readonly ports: PipelinePorts;
  readonly log: RunLog;
  readonly lease: Lease;
  readonly signal: AbortSignal;
  /** Build a new index beside the present one, which is replaced when the first view of the new one is published. */
  readonly resets: boolean;
}

/** A run that has begun to write its view. */
export interface ViewBuild extends IndexRun {
  readonly build: Build;
}

export async function runStep<T>({ ports }: IndexRun, name: string, take: () => Promise<T>): Promise<T> {
  const { failpoint } = ports;
  failpoint?.(`${name}:before`);
  const result = await take();
  failpoint?.(`${name}:after`);
  return result;
}

export function readsCommit({ from }: IndexRequest): boolean {
  return from === "commit";
}

/**
 * A forced run of what is checked out builds the index anew, so that it repairs whatever is damaged: of the directory's view,
 * or of the branch that HEAD names in a bare clone. Of another ref, only the view is compared as a whole: the others stay.
 */
export function rebuildsIndex(request: IndexRequest): boolean {
  return request.force && (!readsCommit(request) || request.ref === request.defaultRef);
}

/** From the view's row: the writer needs no snapshot, which would load every entry. */
export async function findView(store: Store, ref: string): Promise<ViewInfo | undefined> {
  return (await store.views()).find((view) => view.ref === ref);
}
