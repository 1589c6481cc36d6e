/** What the steps of one run of the write path share: what is asked, what they reach the world by, and their names. */

import { CompassError } from "../model/errors.ts";
import type { Hash } from "../model/ids.ts";
import type { Job, JobProgress } from "../model/jobs.ts";
import type { Build } from "../ports/build.ts";
import type { Embedders } from "../ports/embedder.ts";
import type { Env, Failpoint } from "../ports/env.ts";
import type { Files } from "../ports/files.ts";
import type { IndexRequest } from "../ports/indexer.ts";
import type { Lease } from "../ports/lease.ts";
import type { Parsers } from "../ports/parsers.ts";
import type { Store } from "../ports/store.ts";
import type { GitObjects } from "../ports/vcs.ts";
import type { ViewInfo } from "../ports/view.ts";

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

/** A writer that has not been heard of for this long is taken for dead. */
const LEASE_MS = 30_000;
const RENEW_MS = 5_000;

interface WriterPorts {
  readonly store: Store;
  readonly env: Env;
  readonly failpoint?: Failpoint;
}

/** The signal fires when the caller cancels or somebody else took the lease over. */
export async function withLease<T>(
  { store, env, failpoint }: WriterPorts,
  signal: AbortSignal,
  work: (lease: Lease, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const answer = await store.lease(env.self, LEASE_MS);
  if ("held" in answer) throw new CompassError("index_in_progress", { held_by_pid: answer.by.pid });
  const { lease } = answer;
  const lost = new AbortController();
  const timer = setInterval(() => lease.renew().catch((error: unknown) => lost.abort(error)), RENEW_MS);
  try {
    return await work(lease, AbortSignal.any([signal, lost.signal]));
  } finally {
    clearInterval(timer);
    // A lease that was lost, or a store that failed, cannot be given back; its time runs out by itself.
    failpoint?.("release:before");
    await lease.release().catch(() => {});
    failpoint?.("release:after");
  }
}

/** A row is written at most this often. */
const ROW_MS = 500;

export class JobLog {
  progress: JobProgress = { stage: "scanning", filesScanned: 0, filesTotal: 0, filesIndexed: 0, symbolsExtracted: 0 };
  readonly #row: Omit<Job, "status" | "progress">;
  readonly #store: Pick<Store, "recordJob">;
  readonly #env: Env;
  readonly #tell: (progress: JobProgress) => void;
  #written = Number.NEGATIVE_INFINITY;

  constructor(request: IndexRequest, store: Pick<Store, "recordJob">, env: Env, tell: (progress: JobProgress) => void) {
    this.#row = { id: request.jobId, ref: request.name ?? request.ref, mode: request.mode, startedAt: env.now() };
    this.#store = store;
    this.#env = env;
    this.#tell = tell;
  }

  async update(change: Partial<JobProgress>): Promise<void> {
    this.progress = { ...this.progress, ...change };
    this.#tell(this.progress);
    if (this.#env.monotonic() - this.#written < ROW_MS) return;
    this.#written = this.#env.monotonic();
    await this.#write({ status: "running" });
  }

  async published(changedFiles: number): Promise<void> {
    await this.#write({ status: "published", changedFiles, finishedAt: this.#env.now() });
  }

  async failed(error: unknown): Promise<void> {
    const cancelled = error instanceof Error && error.name === "AbortError";
    const code = error instanceof CompassError ? error.code : "internal_error";
    const end = { finishedAt: this.#env.now(), ...(!cancelled && { error: code }) };
    await this.#write({ status: cancelled ? "cancelled" : "failed", ...end });
  }

  #write(state: Pick<Job, "status" | "changedFiles" | "finishedAt" | "error">): Promise<void> {
    return this.#store.recordJob({ ...this.#row, progress: this.progress, ...state }, this.#env.self);
  }
}

/** Many publications share a collection. */
const COLLECT_EVERY = 32;

export function isCollectionDue(generation: number): boolean {
  return generation % COLLECT_EVERY === 0;
}

/** Collects when nobody waits for it: a large index takes some tenths of a second. */
export async function collect(
  ports: Pick<PipelinePorts, "store" | "env" | "failpoint">,
  signal: AbortSignal,
): Promise<void> {
  // Somebody who writes now leaves garbage of his own, and will be asked again.
  await withLease(ports, signal, (lease) => collectWith(lease, ports.store)).catch(() => {});
}

/** What was published stands whatever happens here: garbage that stays is collected the next time. */
export async function collectWith(lease: Lease, store: Store): Promise<void> {
  await store.gc(lease).catch(() => {});
}
