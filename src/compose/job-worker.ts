/** A thread or process that runs index jobs: the write path, its connection to the store and the parse workers. */
import { isMainThread } from "node:worker_threads";
import { diskFiles, diskSelection } from "../adapters/disk/files.ts";
import { systemEnv } from "../adapters/env/system.ts";
import { endGitAtExit } from "../adapters/git/command.ts";
import { gitObjects } from "../adapters/git/objects.ts";
import { createHash } from "../adapters/hash/hashes.ts";
import { index } from "../ingest/pipeline.ts";
import { collect } from "../ingest/run.ts";
import { rehearse } from "../ingest/warm-up.ts";
import type { IndexReport, JobProgress } from "../model/jobs.ts";
import type { Embedders } from "../ports/embedder.ts";
import type { EmbeddingSettings, IndexRequest, WarmUpRequest } from "../ports/indexer.ts";
import type { Store, StoreOpener } from "../ports/store.ts";
import { embeddersOf } from "./embedders.ts";
import { failpointOf } from "./failpoints.ts";
import { ParserPool } from "./parsers.ts";
import { storesOf } from "./stores.ts";
import { type ServerCall, serveParent } from "./worker-server.ts";

export interface JobApi {
  run(request: IndexRequest): IndexReport;
  /** Best effort: a real run meets whatever is in its way. */
  rehearse(rehearsal: WarmUpRequest): void;
}

/** What a job reports to its caller. */
export interface JobClient {
  progress(progress: JobProgress): void;
}

export interface JobData {
  /** The connection string of a shared store; empty for indexes on this machine. */
  readonly store: string;
  /** How many jobs run at once. */
  readonly jobs: number;
  /** How much memory parse workers may take. */
  readonly memory: "little" | "plenty";
}

/** Progress is reported at most ten times a second, except for the first report and a new stage. */
const PROGRESS_MS = 100;
/** Garbage is collected when there was no job for this long, or at the end. */
const IDLE_MS = 5_000;

class JobRunner {
  readonly #env = systemEnv();
  readonly #files = diskFiles();
  readonly #objects = gitObjects(diskSelection);
  readonly #parsers: ParserPool;
  readonly #failpoint = failpointOf(process.env.CODECOMPASS_FAILPOINT);
  readonly #hash = createHash();
  readonly #stores: Promise<StoreOpener>;
  readonly #isShared: boolean;
  readonly #closing = new AbortController();
  /** Stores with garbage, by location. */
  readonly #littered = new Map<string, IndexRequest>();
  #running = 0;
  #configured: { readonly key: string; readonly embedders: Embedders | undefined } | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor({ store, jobs, memory }: JobData) {
    this.#isShared = store !== "";
    this.#parsers = new ParserPool({ memory });
    // Each job has one connection that writes and one that reads; one more renews the leases.
    const own = { env: this.#env, failpoint: this.#failpoint, connections: 2 * jobs + 1 };
    this.#stores = this.#hash.then((hash) => storesOf({ store, hash, ...own }));
  }

  async run(call: ServerCall<JobClient>, request: IndexRequest): Promise<IndexReport> {
    const signal = AbortSignal.any([call.signal, this.#closing.signal]);
    this.#running++;
    clearTimeout(this.#idle);
    try {
      const report = await this.#index(request, this.#reportProgress(call), signal);
      this.#failpoint("report:before");
      // The report is posted before the next tick.
      process.nextTick(() => this.#failpoint("report:after"));
      return report;
    } finally {
      this.#running--;
      this.#objects.releaseIdle(request.root);
      if (this.#running === 0) this.#idle = setTimeout(() => void this.#tidy(), IDLE_MS);
    }
  }

  /** A shared store has other work to do. */
  async rehearse(rehearsal: WarmUpRequest): Promise<void> {
    if (this.#isShared) return;
    const { storeLocation, project } = rehearsal;
    const store = await (await this.#stores).open(storeLocation, { create: false, project });
    try {
      await rehearse(rehearsal, { store, files: this.#files, hash: await this.#hash });
    } finally {
      await store.close();
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#idle);
    await this.#tidy();
    await Promise.all([this.#parsers.close(), this.#objects.close()]);
  }

  #index(request: IndexRequest, onProgress: JobClient["progress"], signal: AbortSignal): Promise<IndexReport> {
    return this.#withStore(request, async (store) => {
      // A store without tables knows no file: workers start while the tables are made.
      const isNew = (await (await this.#stores).shared?.look())?.isPrepared === false;
      if (isNew) this.#parsers.warm(request.settings, 1);
      const embedders = this.#embeddersFor(request.settings.embedding);
      const ports = {
        store,
        files: this.#files,
        objects: this.#objects,
        parsers: this.#parsers,
        env: this.#env,
        hash: await this.#hash,
        failpoint: this.#failpoint,
        onGarbage: () => void this.#littered.set(request.storeLocation, request),
        sharers: () => this.#running,
        ...(embedders && { embedders }),
      };
      return index(request, ports, onProgress, signal);
    });
  }

  async #tidy(): Promise<void> {
    const ports = { env: this.#env, failpoint: this.#failpoint };
    for (const [location, request] of this.#littered) {
      this.#littered.delete(location);
      const collected = this.#withStore(request, (store) => collect({ store, ...ports }, new AbortController().signal));
      await collected.catch(() => {});
    }
    // Only now: to connect again for each job would take as long as to index a small repository.
    await (await this.#stores).close();
  }

  /** The store is opened for each run: one whose files were deleted meanwhile must not be written to. */
  async #withStore<T>(request: IndexRequest, use: (store: Store) => Promise<T>): Promise<T> {
    this.#failpoint("open:before");
    const stores = await this.#stores;
    const store = await stores.open(request.storeLocation, { create: true, project: request.project });
    this.#failpoint("open:after");
    try {
      return await use(store);
    } finally {
      this.#failpoint("close:before");
      await store.close();
      this.#failpoint("close:after");
    }
  }

  /** One model is open at a time. */
  #embeddersFor(settings: EmbeddingSettings | undefined): Embedders | undefined {
    const key = JSON.stringify(settings ?? null);
    if (this.#configured?.key !== key) this.#configured = { key, embedders: embeddersOf(settings) };
    return this.#configured.embedders;
  }

  #reportProgress(call: ServerCall<JobClient>): JobClient["progress"] {
    let last = Number.NEGATIVE_INFINITY;
    let stage: string | undefined;
    return (progress) => {
      if (progress.stage === stage && this.#env.monotonic() - last < PROGRESS_MS) return;
      last = this.#env.monotonic();
      stage = progress.stage;
      call.notify("progress", progress);
    };
  }
}

if (isMainThread) endGitAtExit();
serveParent<JobData, JobApi, JobClient>((data) => {
  const runner = new JobRunner(data);
  return {
    handlers: {
      run: (call, request) => runner.run(call, request),
      rehearse: (_, rehearsal) => runner.rehearse(rehearsal),
    },
    close: () => runner.close(),
  };
});
