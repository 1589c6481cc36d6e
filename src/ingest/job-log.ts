/** What a run says of itself: progress to the caller, and a row in the store that other processes read. */
import { CompassError } from "../model/errors.ts";
import type { Job, JobProgress } from "../model/jobs.ts";
import type { Env } from "../ports/env.ts";
import type { IndexRequest } from "../ports/indexer.ts";
import type { Store } from "../ports/store.ts";

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
