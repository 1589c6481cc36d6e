/** Stores in maps, for tests. Stores of one location share their content, as processes share a database. */
import { plainKernel } from "../../../src/embed/kernel.ts";
import { engineStore } from "../../../src/engine/store.ts";
import { CompassError } from "../../../src/model/errors.ts";
import type {
  Backend,
  LeaseRecord,
  OpenedContent,
  RecordChange,
  RepositoryRecords,
  ViewQuery,
  WritableContent,
} from "../../../src/ports/backend.ts";
import type { Env } from "../../../src/ports/env.ts";
import type { Lease, StoreOpener } from "../../../src/ports/store.ts";
import { CorruptionError } from "../../../src/segment/bytes.ts";
import { MemoryContent } from "./content.ts";

export function memoryStores({ env }: { readonly env: Env }): StoreOpener {
  const backends = new Map<string, MemoryBackend>();
  return {
    open: async (location, { create }) => {
      const backend = backends.get(location) ?? new MemoryBackend(env);
      backends.set(location, backend);
      return engineStore({
        backend,
        env,
        create,
        caps: { engine: "memory", bm25: "native", sharedReaders: false, multiWriter: false },
        kernelOf: plainKernel,
        cacheShare: 1,
        principal: () => "",
        isEmbedded: false,
        refusal: (_, error) =>
          error instanceof CorruptionError
            ? new CompassError("index_incompatible", { reason: error.message }, { cause: error })
            : error,
      });
    },
    shared: undefined,
    close: async () => {},
    remove: async (location) => void backends.delete(location),
  };
}

const NO_LEASE: Omit<LeaseRecord, "now"> = { token: 0, owner: undefined, ttlMs: 0, expiresAt: 0 };

/** What the port means, in a form that can be read in one sitting. */
class MemoryBackend implements Backend {
  readonly #env: Env;
  readonly #jobs = new Map<string, RepositoryRecords["jobs"]>();
  readonly #uses = new Map<string, number>();
  #current: MemoryContent | undefined;
  #lease = NO_LEASE;
  #damage: string | undefined;

  constructor(env: Env) {
    this.#env = env;
  }

  async views({ ref, isolated }: ViewQuery): Promise<OpenedContent | undefined> {
    const current = this.#current;
    if (current === undefined) return undefined;
    const content = isolated ? current.copy() : current;
    const views = await content.rows("views", ref === undefined ? {} : { refs: [ref] });
    return { content, views, project: undefined };
  }

  async begin(lease: Lease, mode: "update" | "replace"): Promise<WritableContent> {
    this.#require(lease);
    const now = () => this.#env.now();
    const require = () => this.#require(lease);
    if (mode === "update") {
      this.#current ??= new MemoryContent({ now });
      return this.#current.writable(require, () => {});
    }
    const content = new MemoryContent({ now, after: this.#current });
    return content.writable(require, () => {
      this.#current = content;
      this.#damage = undefined;
    });
  }

  async records<K extends keyof RepositoryRecords>(kind: K): Promise<readonly RepositoryRecords[K][]> {
    const all: { readonly [T in keyof RepositoryRecords]: () => readonly RepositoryRecords[T][] } = {
      lease: () => [{ ...this.#lease, now: this.#env.now() }],
      jobs: () => [...this.#jobs.values()].reverse().sort((a, b) => b.job.startedAt - a.job.startedAt),
      uses: () => [...this.#uses].map(([view, at]) => ({ view, at })),
      damage: () => (this.#damage === undefined ? [] : [{ reason: this.#damage }]),
    };
    return all[kind]();
  }

  async record(change: RecordChange): Promise<boolean> {
    if ("lease" in change) {
      const { before, after } = change.lease;
      if (before.token !== this.#lease.token || before.expiresAt !== this.#lease.expiresAt) return false;
      this.#lease = after;
    } else if ("job" in change) {
      const { job, owner } = change;
      this.#jobs.set(job.id, { job, owner: { ...owner, isRemote: false } });
    } else if ("use" in change) this.#uses.set(change.use, this.#env.now());
    else this.#damage = change.damage;
    return true;
  }

  async sizeBytes(): Promise<number> {
    return this.#current?.sizeBytes() ?? 0;
  }

  rest(): void {}

  async close(): Promise<void> {}

  #require({ token }: Lease): void {
    if (token !== this.#lease.token || this.#lease.owner === undefined) throw new CompassError("index_in_progress");
  }
}
