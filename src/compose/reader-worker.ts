/** A reader thread: opens stores for reading and answers requests about their published views. Writes nothing. */
import { systemEnv } from "../adapters/env/system.ts";
import { createHash } from "../adapters/hash/hashes.ts";
import { READ_POLICIES, type ReadMethod } from "../compass/reading/read-methods.ts";
import { createReading } from "../compass/reading/reading.ts";
import { CompassError } from "../model/errors.ts";
import type { EmbeddingSettings } from "../ports/indexer.ts";
import type { TokenOwner } from "../ports/principals.ts";
import type { ViewAddress } from "../ports/readers.ts";
import type { Store } from "../ports/store.ts";
import { embeddersOf } from "./embedders.ts";
import { optimisedKernel } from "./optimised-wasm.ts";
import { asPrincipal } from "./principal-context.ts";
import { storesOf } from "./stores.ts";
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
}

/** More open stores than this are not worth their memory. */
const MAX_STORES = 8;
/** The calling thread opens most of the results that are shown. */
const CACHE_SHARE = 0.3;
/** A thread answers two requests at a time, each with a few reads. */
const CONNECTIONS = 4;

const env = systemEnv();
const hash = await createHash();

class ViewReader {
  readonly #stores;
  readonly #embedders;
  /** Least recently used first: a map remembers the order of insertion. */
  readonly #open = new Map<string, Promise<Store>>();

  constructor({ embedding, store, readStore, guarded }: ReaderData) {
    this.#embedders = embeddersOf(embedding);
    this.#stores = storesOf({
      store,
      readStore,
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
    this.#stores.horizon?.raise(horizon);
    const snapshot = await (await this.#storeOf(at)).snapshot(at.view);
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

  #storeOf({ storeLocation, project }: ViewAddress): Promise<Store> {
    const store = this.#open.get(storeLocation) ?? this.#stores.open(storeLocation, { create: false, project });
    this.#open.delete(storeLocation);
    this.#open.set(storeLocation, store);
    store.catch(() => this.#open.delete(storeLocation));
    const [oldest] = this.#open.keys();
    if (this.#open.size > MAX_STORES && oldest !== undefined) void this.forget(oldest);
    return store;
  }

  async forget(storeLocation: string): Promise<void> {
    const store = this.#open.get(storeLocation);
    this.#open.delete(storeLocation);
    await (await store?.catch(() => undefined))?.close();
  }

  async rest(): Promise<void> {
    for (const store of this.#open.values()) (await store.catch(() => undefined))?.rest?.();
    env.freeMemory();
  }

  async close(): Promise<void> {
    for (const location of [...this.#open.keys()]) await this.forget(location);
  }
}

serveParent<ReaderData, ReaderApi>((data) => {
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
