/** Shared by the steps of an index run: ports, lease, job log, garbage collection. */
import { CompassError } from "../model/errors.ts";
import type { Hash } from "../model/ids.ts";
import type { Job, JobProgress } from "../model/jobs.ts";
import type { Build } from "../ports/build.ts";
import type { Embedders } from "../ports/embedder.ts";
import type { Env, Failpoint } from "../ports/env.ts";
import type { Files } from "../ports/files.ts";
import type { IndexRequest } from "../ports/indexer.ts";
import type { Parsers } from "../ports/parsers.ts";
import type { ViewInfo } from "../ports/snapshot.ts";
import type { Lease, Store } from "../ports/store.ts";
import type { GitObjects } from "../ports/vcs.ts";

export interface PipelinePorts {
  readonly store: Store;
  readonly files: Files;
  /** Needed to index commits. */
  readonly objects?: GitObjects;
  readonly parsers: Parsers;
  /** Content hash; absent: only the parse workers recognise stored contents. */
  readonly hash?: Hash;
  /** Number of runs that share the parsers now, including this one; absent: one. */
  readonly sharers?: () => number;
  /** Absent: only files embedded by the parsers have vectors. */
  readonly embedders?: Embedders;
  readonly env: Env;
  /** Called when a garbage collection is due; absent: it runs at once, before the report. */
  readonly onGarbage?: () => void;
  /** Called before and after each step: `walk:before`, `walk:after`, … Tests make the process fail there. */
  readonly failpoint?: Failpoint;
}

export type RunLog = Pick<JobLog, "progress" | "update" | "published">;

export interface IndexRun {
  readonly request: IndexRequest;
  readonly ports: PipelinePorts;
  readonly log: RunLog;
  readonly lease: Lease;
  readonly signal: AbortSignal;
  /** Build a new index, which replaces the present one when its first view is published. */
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
 * A forced index builds the index from scratch, whichever ref it is for, so that it repairs whatever is damaged. A forced
 * sync does so for what is checked out; of another ref it compares the whole view, and the other views stay.
 */
export function rebuildsIndex(request: IndexRequest): boolean {
  const { force, mode, ref, defaultRef } = request;
  return force && (mode === "full" || !readsCommit(request) || ref === defaultRef);
}

/** Reads only the view's row; a snapshot would load every entry. */
export async function findView(store: Store, ref: string): Promise<ViewInfo | undefined> {
  return (await store.views()).find((view) => view.ref === ref);
}

/** A writer that has not renewed its lease for this long is considered dead. */
const LEASE_MS = 30_000;
const RENEW_MS = 5_000;

interface WriterPorts {
  readonly store: Store;
  readonly env: Env;
  readonly failpoint?: Failpoint;
}

/**
 * Runs `work` with the write lease, which is renewed by a timer and always released. The signal aborts when the caller
 * cancels or another process has taken the lease over.
 */
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
    // A lost lease cannot be released; it expires.
    failpoint?.("release:before");
    await lease.release().catch(() => {});
    failpoint?.("release:after");
  }
}

/** Minimum interval between two writes of the job's row. */
const ROW_MS = 500;

/** Reports progress to the caller and writes the job's row, which other processes read. */
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

/** Collects garbage in the background: a large index takes some tenths of a second. */
export async function collect(
  ports: Pick<PipelinePorts, "store" | "env" | "failpoint">,
  signal: AbortSignal,
): Promise<void> {
  // Another writer at work will trigger the next collection.
  await withLease(ports, signal, (lease) => collectWith(lease, ports.store)).catch(() => {});
}

/** Failing is harmless: the garbage is collected the next time. */
export async function collectWith(lease: Lease, store: Store): Promise<void> {
  await store.gc(lease).catch(() => {});
}
