/** A reader thread: opens stores for reading and answers questions about their published views. Writes nothing. */
import { parentPort, workerData } from "node:worker_threads";
import { systemEnv } from "../adapters/env/system.ts";
import { createHash } from "../adapters/hash/hashes.ts";
import type { Reading } from "../compass/compass.ts";
import { createReading, type Halves } from "../compass/reading/reading.ts";
import { CompassError } from "../model/errors.ts";
import type { ReadAnswer, ViewAddress } from "../ports/readers.ts";
import type { Store } from "../ports/store.ts";
import { asPrincipal } from "./asking.ts";
import { embeddersOf } from "./embedders.ts";
import { toWire } from "./job-protocol.ts";
import { optimisedKernel } from "./optimised-wasm.ts";
import { type FromReader, type ReaderData, sharedSignal, type ToReader } from "./read-protocol.ts";
import { storesOf } from "./stores.ts";

/** More open stores than this are not worth their memory. */
const MOST_STORES = 8;
/** What most searches show is opened by the thread that asks. */
const CACHE_SHARE = 0.3;
/** A thread answers two questions at a time, each with a few reads. */
const CONNECTIONS = 4;

const port = parentPort!;
const env = systemEnv();
const hash = await createHash();
const { embedding, store, readStore, guarded } = workerData as ReaderData;
const stores = storesOf({
  store,
  readStore,
  env,
  hash,
  kernelOf: optimisedKernel,
  cacheShare: CACHE_SHARE,
  connections: CONNECTIONS,
  guarded,
});
const embedders = embeddersOf(embedding);
/** A map remembers the order of insertion: the first was not used for longest. */
const open = new Map<string, Promise<Store>>();

/** Methods whose answers are text and numbers, and many of them. */
const SAID: ReadonlySet<string> = new Set<keyof Reading | keyof Halves>(["find", "search"]);

type Ask = Extract<ToReader, { type: "ask" }>;

port.on("message", (message: ToReader) => {
  if (message.type === "ask") void asPrincipal(message.principal, () => serve(message));
  else if (message.type === "forget") void forget(message.storeLocation);
  else if (message.type === "rest") void rest();
  else void close();
});

async function serve(ask: Ask): Promise<void> {
  try {
    const answer = await answerTo(ask);
    if (SAID.has(ask.method)) tell({ type: "said", id: ask.id, json: JSON.stringify(answer) });
    else tell({ type: "done", id: ask.id, answer });
  } catch (error) {
    const expected = error instanceof CompassError || (error instanceof Error && error.name === "AbortError");
    if (!expected) console.error(`codecompass: reader: ${error instanceof Error ? error.stack : String(error)}`);
    tell({ type: "failed", id: ask.id, error: toWire(error) });
  }
}

async function answerTo({ at, method, args, stop, horizon }: Ask): Promise<ReadAnswer> {
  const signal = sharedSignal(stop);
  signal.throwIfAborted();
  stores.horizon?.raise(horizon);
  const snapshot = await (await storeOf(at)).snapshot(at.view);
  if (snapshot === undefined) throw new CompassError("index_not_ready", { workspace: at.ref });
  try {
    const reading = createReading({
      project: { id: at.project, root: "", vcs: false },
      storeProject: at.project,
      standing: {
        ref: at.ref,
        freshness: "fresh",
        indexing: "ready",
        schema: "compatible",
        complete: true,
        warnings: [],
      },
      snapshot,
      layer: async () => undefined,
      hash,
      ...(embedders && { embedders }),
      signal,
    });
    const asked = (reading as unknown as Record<string, (...args: readonly unknown[]) => Promise<unknown>>)[method]!;
    return { answer: await asked(...args), stateId: snapshot.info.stateId };
  } finally {
    snapshot.release();
  }
}

function storeOf({ storeLocation, project }: ViewAddress): Promise<Store> {
  const known = open.get(storeLocation) ?? stores.open(storeLocation, { create: false, project });
  open.delete(storeLocation);
  open.set(storeLocation, known);
  known.catch(() => open.delete(storeLocation));
  const [oldest] = open.keys();
  if (open.size > MOST_STORES && oldest !== undefined) void forget(oldest);
  return known;
}

async function forget(storeLocation: string): Promise<void> {
  const store = open.get(storeLocation);
  open.delete(storeLocation);
  await (await store?.catch(() => undefined))?.close();
}

async function rest(): Promise<void> {
  for (const store of open.values()) (await store.catch(() => undefined))?.rest?.();
  env.freeMemory();
}

async function close(): Promise<void> {
  for (const location of [...open.keys()]) await forget(location);
  port.close();
}

function tell(message: FromReader): void {
  port.postMessage(message);
}
