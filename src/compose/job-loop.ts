/** Where jobs run, in a thread or in a process of their own: the write path, its connection and the parse workers. */
import { diskFiles, diskSelection } from "../adapters/disk/files.ts";
import { systemEnv } from "../adapters/env/system.ts";
import { gitObjects } from "../adapters/git/objects.ts";
import { createHash } from "../adapters/hash/hashes.ts";
import { index } from "../ingest/pipeline.ts";
import { collect } from "../ingest/run.ts";
import { rehearse } from "../ingest/warm-up.ts";
import type { IndexReport, JobProgress } from "../model/jobs.ts";
import type { Embedders } from "../ports/embedder.ts";
import type { EmbeddingSettings, IndexRequest, Rehearsal } from "../ports/indexer.ts";
import type { Store } from "../ports/store.ts";
import type { StoreOpener } from "../ports/stores.ts";
import { embeddersOf } from "./embedders.ts";
import { failpointOf } from "./failpoints.ts";
import { type FromJobs, type JobData, type ToJobs, toWire } from "./job-protocol.ts";
import { ParserPool } from "./parsers.ts";
import { storesOf } from "./stores.ts";

/** Progress crosses at most ten times a second, but for the first word and a new stage. */
const PROGRESS_MS = 100;

/** Garbage is collected when no job has come for this long, or at the end: nobody waits for it. */
const IDLE_MS = 5_000;

export interface JobLoopOptions {
  readonly data: JobData;
  readonly tell: (message: FromJobs) => void;
  /** Everything is closed. */
  readonly leave: () => void;
}

export class JobLoop {
  readonly #env = systemEnv();
  readonly #files = diskFiles();
  readonly #objects = gitObjects(diskSelection);
  readonly #parsers: ParserPool;
  readonly #failpoint = failpointOf(process.env.CODECOMPASS_FAILPOINT);
  readonly #hash = createHash();
  readonly #stores: Promise<StoreOpener>;
  readonly #isShared: boolean;
  readonly #running = new Map<number, AbortController>();
  /** Stores with garbage, by place. */
  readonly #littered = new Map<string, IndexRequest>();
  readonly #tell: JobLoopOptions["tell"];
  readonly #leave: () => void;
  #configured: { readonly key: string; readonly embedders: Embedders | undefined } | undefined;
  #idle: NodeJS.Timeout | undefined;
  /** Lets go of the connections, which stay from job to job: to make new ones takes as long as a small repository. */
  #letGo: Promise<() => Promise<void>> | undefined;

  constructor({ data: { store, jobs, memory }, tell, leave }: JobLoopOptions) {
    this.#tell = tell;
    this.#leave = leave;
    this.#isShared = store !== "";
    this.#parsers = new ParserPool({ memory });
    // Of each job one writes and one reads what is known; leases are renewed by one.
    const own = { env: this.#env, failpoint: this.#failpoint, connections: 2 * jobs + 1 };
    this.#stores = this.#hash.then((hash) => storesOf({ store, hash, ...own }));
  }

  hear(message: ToJobs): void {
    if (message.type === "run") void this.#serve(message.id, message.request);
    else if (message.type === "cancel") this.#running.get(message.id)?.abort();
    else if (message.type === "rehearse") void this.#rehearse(message.rehearsal);
    else void this.#close();
  }

  async #serve(id: number, request: IndexRequest): Promise<void> {
    const controller = new AbortController();
    this.#running.set(id, controller);
    clearTimeout(this.#idle);
    try {
      const report = await this.#run(request, this.#progressTeller(id), controller.signal);
      this.#failpoint("report:before");
      this.#tell({ type: "done", id, report });
      this.#failpoint("report:after");
    } catch (error) {
      this.#tell({ type: "failed", id, error: toWire(error) });
    } finally {
      this.#running.delete(id);
      this.#objects.releaseIdle(request.root);
      if (this.#running.size === 0) this.#idle = setTimeout(() => void this.#tidy(), IDLE_MS);
    }
  }

  #run(request: IndexRequest, onProgress: (progress: JobProgress) => void, signal: AbortSignal): Promise<IndexReport> {
    return this.#withStore(request, async (store) => {
      // Nothing is known where there are no tables yet: while they are made, workers start.
      const isNew = (await (await this.#stores).isPrepared?.()) === false;
      if (isNew) this.#parsers.warm(request.settings);
      const embedders = this.#embeddersFor(request.settings.embedding);
      const onGarbage = () => void this.#littered.set(request.storeLocation, request);
      const hash = await this.#hash;
      const own = {
        hash,
        onGarbage,
        sharers: () => this.#running.size,
        ...(embedders && { embedders }),
        ...(isNew && { isNew }),
      };
      const system = { files: this.#files, objects: this.#objects, parsers: this.#parsers, env: this.#env };
      return index(request, { store, failpoint: this.#failpoint, ...system, ...own }, onProgress, signal);
    });
  }

  /** Nobody waits for it, and a real run meets whatever stands in its way. A shared store has other work to do. */
  async #rehearse(rehearsal: Rehearsal): Promise<void> {
    if (this.#isShared) return;
    const { storeLocation, project } = rehearsal;
    try {
      const store = await (await this.#stores).open(storeLocation, { create: false, project });
      try {
        await rehearse(rehearsal, { store, files: this.#files, hash: await this.#hash });
      } finally {
        await store.close();
      }
    } catch {}
  }

  async #tidy(): Promise<void> {
    const ports = { env: this.#env, failpoint: this.#failpoint };
    for (const [location, request] of this.#littered) {
      this.#littered.delete(location);
      const collected = this.#withStore(request, (store) => collect({ store, ...ports }, new AbortController().signal));
      await collected.catch(() => {});
    }
    const letGo = this.#letGo;
    this.#letGo = undefined;
    await (await letGo)?.();
  }

  /** The store is opened for each run: one whose files were deleted meanwhile must not be written to. */
  async #withStore<T>(request: IndexRequest, use: (store: Store) => Promise<T>): Promise<T> {
    this.#failpoint("open:before");
    const stores = await this.#stores;
    this.#letGo ??= stores.hold?.();
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

  /** One model at a time: whoever served another one forgets it. */
  #embeddersFor(settings: EmbeddingSettings | undefined): Embedders | undefined {
    const key = JSON.stringify(settings ?? null);
    if (this.#configured?.key !== key) this.#configured = { key, embedders: embeddersOf(settings) };
    return this.#configured.embedders;
  }

  #progressTeller(id: number): (progress: JobProgress) => void {
    let last = Number.NEGATIVE_INFINITY;
    let stage: string | undefined;
    return (progress) => {
      if (progress.stage === stage && this.#env.monotonic() - last < PROGRESS_MS) return;
      last = this.#env.monotonic();
      stage = progress.stage;
      this.#tell({ type: "progress", id, progress });
    };
  }

  async #close(): Promise<void> {
    for (const controller of this.#running.values()) controller.abort();
    clearTimeout(this.#idle);
    await this.#tidy();
    await Promise.all([this.#parsers.close(), this.#objects.close()]);
    this.#leave();
  }
}
