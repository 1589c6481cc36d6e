/** The job thread: runs the write path, owns the writing connection and the parse workers. */
import { parentPort, workerData } from "node:worker_threads";
import { diskChoosing } from "../adapters/disk/choosing.ts";
import { diskFiles } from "../adapters/disk/files.ts";
import { systemEnv } from "../adapters/env/system.ts";
import { gitObjects } from "../adapters/git/objects.ts";
import { createHash } from "../adapters/hash/blake3.ts";
import { collect, index } from "../ingest/pipeline.ts";
import type { IndexReport, JobProgress } from "../model/jobs.ts";
import type { Embedders } from "../ports/embedder.ts";
import type { EmbeddingSettings, IndexRequest } from "../ports/indexer.ts";
import type { Store } from "../ports/store.ts";
import { embeddersOf } from "./embedders.ts";
import { failpointOf } from "./failpoints.ts";
import { type FromJobs, type JobThreadData, type ToJobs, toWire } from "./job-protocol.ts";
import { ParserPool } from "./parsers.ts";
import { storesOf } from "./stores.ts";

/** Progress crosses at most ten times a second, but for the first word and a new stage. */
const PROGRESS_MS = 100;

/** Garbage is collected when no job has come for this long, or when the thread ends: nobody waits for it. */
const IDLE_MS = 5_000;

const port = parentPort!;
const env = systemEnv();
const files = diskFiles();
const objects = gitObjects(diskChoosing);
const parsers = new ParserPool();
const failpoint = failpointOf(process.env.CODECOMPASS_FAILPOINT);
const { store, jobs } = workerData as JobThreadData;
/** Of each job one writes and one reads what is known; leases are renewed by one. */
const connections = 2 * jobs + 1;
const stores = createHash().then((hash) => storesOf({ store, env, hash, failpoint, connections }));
let configured: { readonly key: string; readonly embedders: Embedders | undefined } | undefined;
const running = new Map<number, AbortController>();
/** Stores with garbage, by place. */
const littered = new Map<string, IndexRequest>();
let idle: NodeJS.Timeout | undefined;

port.on("message", (message: ToJobs) => {
  if (message.type === "run") void serve(message.id, message.request);
  else if (message.type === "cancel") running.get(message.id)?.abort();
  else void close();
});

async function serve(id: number, request: IndexRequest): Promise<void> {
  const controller = new AbortController();
  running.set(id, controller);
  clearTimeout(idle);
  try {
    const report = await run(request, progressTeller(id), controller.signal);
    failpoint("report:before");
    tell({ type: "done", id, report });
    failpoint("report:after");
  } catch (error) {
    tell({ type: "failed", id, error: toWire(error) });
  } finally {
    running.delete(id);
    if (running.size === 0) idle = setTimeout(() => void tidy(), IDLE_MS);
  }
}

function run(
  request: IndexRequest,
  onProgress: (progress: JobProgress) => void,
  signal: AbortSignal,
): Promise<IndexReport> {
  return withStore(request, (store) => {
    const embedders = embeddersFor(request.settings.embedding);
    const onGarbage = () => void littered.set(request.storeLocation, request);
    const own = { onGarbage, sharers: () => running.size, ...(embedders && { embedders }) };
    const ports = { store, files, objects, parsers, env, failpoint, ...own };
    return index(request, ports, onProgress, signal);
  });
}

async function tidy(): Promise<void> {
  for (const [location, request] of littered) {
    littered.delete(location);
    await withStore(request, (store) => collect({ store, env, failpoint }, new AbortController().signal)).catch(
      () => {},
    );
  }
}

/** The store is opened for each run: one whose files were deleted meanwhile must not be written to. */
async function withStore<T>(request: IndexRequest, use: (store: Store) => Promise<T>): Promise<T> {
  failpoint("open:before");
  const store = await (await stores).open(request.storeLocation, { create: true, project: request.project });
  failpoint("open:after");
  try {
    return await use(store);
  } finally {
    failpoint("close:before");
    await store.close();
    failpoint("close:after");
  }
}

/** One model at a time: a thread that served another one forgets it. */
function embeddersFor(settings: EmbeddingSettings | undefined): Embedders | undefined {
  const key = JSON.stringify(settings ?? null);
  if (configured?.key !== key) configured = { key, embedders: embeddersOf(settings) };
  return configured.embedders;
}

function progressTeller(id: number): (progress: JobProgress) => void {
  let last = Number.NEGATIVE_INFINITY;
  let stage: string | undefined;
  return (progress) => {
    if (progress.stage === stage && env.monotonic() - last < PROGRESS_MS) return;
    last = env.monotonic();
    stage = progress.stage;
    tell({ type: "progress", id, progress });
  };
}

function tell(message: FromJobs): void {
  port.postMessage(message);
}

async function close(): Promise<void> {
  for (const controller of running.values()) controller.abort();
  clearTimeout(idle);
  await tidy();
  await Promise.all([parsers.close(), objects.close()]);
  port.close();
}
