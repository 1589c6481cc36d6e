/** A reader thread: opens stores for reading and answers requests about their published views. Writes nothing. */
import { systemEnv } from "../adapters/env/system.ts";
import { createHash } from "../adapters/hash/hashes.ts";
import { READ_POLICIES, type ReadMethod } from "../compass/reading/read-methods.ts";
import { createReading } from "../compass/reading/reading.ts";
import { count, joinCounters } from "../model/counters.ts";
import { CompassError } from "../model/errors.ts";
import type { EmbeddingSettings } from "../ports/indexer.ts";
import type { TokenOwner } from "../ports/principals.ts";
import type { ViewAddress } from "../ports/readers.ts";
import type { Store } from "../ports/store.ts";
import { embeddersOf } from "./embedders.ts";
import { asPrincipal } from "./principal-context.ts";
import { storesOf } from "./stores.ts";
import { optimisedKernel } from "./v8-flags.ts";
import { serveParent } from "./worker-server.ts";

export interface ReaderApi {
  read(request: ViewRequest): ViewAnswer;
  /** Closes the store. */
  forget(storeLocation: string): void;
  /** Gives memory back that is only worth it while there are requests. */
  rest(): void;
}

export interface ViewRequest {
  readonly at: ViewAddress;
  readonly method: ReadMethod;
  readonly args: readonly unknown[];
  /** The principal whose rights apply; undefined: none. */
  readonly principal: TokenOwner | undefined;
  /** The position of the shared store that must be visible. */
  readonly horizon: number;
}

export type ViewAnswer = { readonly stateId: string } & ({ readonly answer: unknown } | { readonly json: string });

export interface ReaderData {
  readonly embedding: EmbeddingSettings | undefined;
  /** The connection string of a shared store; empty for indexes on this machine. */
  readonly store: string;
  /** Every request is read with the rights of its principal. */
  readonly guarded: boolean;
  /** A replica of the shared store to read from; empty: none. */
  readonly readStore: string;
  readonly counters: SharedArrayBuffer;
}

/** Stores are closed when they are more than these and hold more than `MAX_BYTES` together. */
const FEW_STORES = 8;
/** A query over many repositories opens up to 32 stores: so many small ones fit. */
const MAX_BYTES = 512 << 20;
/** An estimate: caches of an open store, and postings and vectors of a chunk. */
const STORE_BYTES = 16 << 20;
const CHUNK_BYTES = 450;
/** The calling thread opens most of the results that are shown. */
const CACHE_SHARE = 0.3;
/** A thread answers two requests at a time, each with a few reads. */
const CONNECTIONS = 4;

const env = systemEnv();
const hash = await createHash();

interface OpenStore {
  readonly store: Promise<Store>;
  bytes: number;
}

class ViewReader {
  readonly #stores;
  readonly #horizon = { at: 0 };
  readonly #embedders;
  /** Least recently used first: a map remembers the order of insertion. */
  readonly #open = new Map<string, OpenStore>();

  constructor({ embedding, store, readStore, guarded }: ReaderData) {
    this.#embedders = embeddersOf(embedding);
    this.#stores = storesOf({
      store,
      readStore,
      horizon: this.#horizon,
      env,
      hash,
      kernelOf: optimisedKernel,
      cacheShare: CACHE_SHARE,
      connections: CONNECTIONS,
      guarded,
    });
  }

  async read(request: ViewRequest, signal: AbortSignal): Promise<ViewAnswer> {
    try {
      return await this.#answer(request, signal);
    } catch (error) {
      const isExpected = error instanceof CompassError || (error instanceof Error && error.name === "AbortError");
      if (!isExpected) console.error(`codecompass: reader: ${error instanceof Error ? error.stack : String(error)}`);
      throw error;
    }
  }

  async #answer({ at, method, args, horizon }: ViewRequest, signal: AbortSignal): Promise<ViewAnswer> {
    signal.throwIfAborted();
    if (!Object.hasOwn(READ_POLICIES, method)) {
      throw new CompassError("internal_error", { reason: `a view has no method ${method}` });
    }
    this.#horizon.at = Math.max(this.#horizon.at, horizon);
    const open = this.#storeOf(at);
    const snapshot = await (await open.store).snapshot(at.view, undefined, at);
    if (snapshot === undefined) throw new CompassError("index_not_ready", { workspace: at.ref });
    open.bytes = STORE_BYTES + CHUNK_BYTES * snapshot.info.chunkCount;
    try {
      const reading = createReading({
        project: { id: at.project, root: "", vcs: false },
        storeProject: at.project,
        status: {
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
        ...(this.#embedders && { embedders: this.#embedders }),
        signal,
      });
      // `Readers.read` has checked the arguments against the method.
      const answer = await (reading[method] as (...args: readonly unknown[]) => Promise<unknown>)(...args);
      const { stateId } = snapshot.info;
      return READ_POLICIES[method].asJson ? { stateId, json: JSON.stringify(answer) } : { stateId, answer };
    } finally {
      snapshot.release();
    }
  }

  #storeOf({ storeLocation, project }: ViewAddress): OpenStore {
    const known = this.#open.get(storeLocation);
    count(known === undefined ? "storeMisses" : "storeHits");
    const open = known ?? {
      store: this.#stores.open(storeLocation, { create: false, project }),
      bytes: STORE_BYTES,
    };
    this.#open.delete(storeLocation);
    this.#open.set(storeLocation, open);
    open.store.catch(() => this.#open.delete(storeLocation));
    this.#closeOldest();
    return open;
  }

  #closeOldest(): void {
    let bytes = [...this.#open.values()].reduce((sum, open) => sum + open.bytes, 0);
    for (const [location, open] of this.#open) {
      if (this.#open.size <= FEW_STORES || bytes <= MAX_BYTES) return;
      bytes -= open.bytes;
      void this.forget(location);
    }
  }

  async forget(storeLocation: string): Promise<void> {
    const open = this.#open.get(storeLocation);
    this.#open.delete(storeLocation);
    await (await open?.store.catch(() => undefined))?.close();
  }

  async rest(): Promise<void> {
    for (const { store } of this.#open.values()) (await store.catch(() => undefined))?.rest();
    env.freeMemory();
  }

  async close(): Promise<void> {
    for (const location of [...this.#open.keys()]) await this.forget(location);
  }
}

serveParent<ReaderData, ReaderApi>((data) => {
  joinCounters(data.counters);
  const reader = new ViewReader(data);
  return {
    handlers: {
      read: ({ signal }, request) => asPrincipal(request.principal, () => reader.read(request, signal)),
      forget: (_, storeLocation) => reader.forget(storeLocation),
      rest: () => reader.rest(),
    },
    close: () => reader.close(),
  };
});
