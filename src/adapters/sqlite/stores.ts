/** Opens the index of a repository in a directory of its own; see `directory.ts` and `schema.ts` for what lies there. */
import { rm } from "node:fs/promises";
import { createKernel, type Kernel } from "../../embed/kernel.ts";
import { engineStore } from "../../engine/store.ts";
import { CompassError } from "../../model/errors.ts";
import type { Hash } from "../../model/ids.ts";
import {
  type Backend,
  type OpenedContent,
  type RecordChange,
  type RepositoryRecords,
  SchemaMismatch,
  type ViewQuery,
  type WritableContent,
} from "../../ports/backend.ts";
import type { Env, Failpoint } from "../../ports/env.ts";
import type { Lease, StoreOpener } from "../../ports/store.ts";
import { openIndexForWriting, schemaVersionOf } from "./connection.ts";
import { Control } from "./control.ts";
import { CurrentDatabase } from "./current-database.ts";
import { Directory } from "./directory.ts";
import { isDamage, refusal } from "./failures.ts";
import { SCHEMA_VERSION } from "./schema.ts";
import { fenceOf, SqliteWriter } from "./writer.ts";

export interface SqliteOptions {
  readonly env: Env;
  readonly hash: Hash;
  /** Called before and after each I/O step: `put:before`, `put:after`, … */
  readonly failpoint?: Failpoint;
  /** Compiles what compares vectors. */
  readonly kernelOf?: () => Kernel;
  /** Less than 1 where several threads read the same stores. */
  readonly cacheShare?: number;
}

export function sqliteStores({
  env,
  failpoint = () => {},
  kernelOf = () => createKernel(),
  cacheShare = 1,
}: SqliteOptions): StoreOpener {
  return {
    open: async (location, { create }) =>
      engineStore({
        backend: new SqliteBackend({ location, env, failpoint }),
        caps: { engine: "segments", bm25: "native", sharedReaders: true, multiWriter: false },
        env,
        create,
        kernelOf,
        cacheShare,
        principal: () => "",
        isEmbedded: true,
        refusal: (doing, error) => refusal(doing, error, location),
      }),
    shared: undefined,
    close: async () => {},
    remove: (location) => rm(location, { recursive: true, force: true, maxRetries: 3 }),
  };
}

/** One repository's index in a directory: the current database file, and the control file with leases and jobs. */
interface SqliteBackendOptions {
  readonly location: string;
  readonly env: Env;
  readonly failpoint: Failpoint;
}

class SqliteBackend implements Backend {
  readonly #env: Env;
  readonly #failpoint: Failpoint;
  readonly #directory: Directory;
  readonly #control: Control;
  readonly #current: CurrentDatabase;

  constructor({ location, env, failpoint }: SqliteBackendOptions) {
    this.#env = env;
    this.#failpoint = failpoint;
    this.#directory = new Directory(location);
    this.#control = new Control(this.#directory, env);
    this.#current = new CurrentDatabase(this.#directory, () => this.#control.isHeld());
  }

  async views({ ref, isolated }: ViewQuery): Promise<OpenedContent | undefined> {
    const content = isolated ? this.#current.isolated() : this.#current.readable();
    if (content === undefined) return undefined;
    const views = await content.rows("views", ref === undefined ? {} : { refs: [ref] });
    content.isHandedOut = true;
    return { content, views, project: undefined };
  }

  async begin(lease: Lease, mode: "update" | "replace"): Promise<WritableContent> {
    this.#control.require(lease);
    return mode === "update"
      ? this.#step("begin", () => this.#update(lease))
      : this.#step("reset", () => this.#replace(lease));
  }

  #update(lease: Lease): SqliteWriter {
    const db = this.#current.writable(this.#env.uniqueWord());
    const version = schemaVersionOf(db);
    if (version !== SCHEMA_VERSION) throw new SchemaMismatch(version);
    const writer = this.#writer(lease, db, {
      // A holder that lost its lease while it published must not report a state that is not visible.
      requireCurrent: () => {
        if (!this.#current.isCurrent(db)) throw new CompassError("index_in_progress");
      },
      onSwap: () => {},
      onClose: () => this.#current.sweep(),
    });
    this.#current.sweep();
    return writer;
  }

  /** The old database stays readable until the new one is published. */
  #replace(lease: Lease): SqliteWriter {
    this.#current.closeWriter();
    this.#directory.create();
    this.#current.sweep();
    const path = this.#directory.beside(`${lease.token}-${this.#env.uniqueWord()}`);
    const db = openIndexForWriting(path, this.#env.uniqueWord());
    let isSwapped = false;
    return this.#writer(lease, db, {
      requireCurrent: () => {},
      onSwap: () => {
        this.#step("swap", () => this.#directory.pointTo(path));
        isSwapped = true;
        this.#current.adopt(db);
        this.#current.sweep();
      },
      onClose: () => {
        if (isSwapped) return;
        db.close();
        this.#current.sweep();
      },
    });
  }

  #writer(
    lease: Lease,
    db: ReturnType<typeof openIndexForWriting>,
    ends: Pick<ConstructorParameters<typeof SqliteWriter>[0], "requireCurrent" | "onSwap" | "onClose">,
  ): SqliteWriter {
    const requireLease = () => this.#control.require(lease);
    return new SqliteWriter({
      db,
      lease,
      now: () => this.#env.now(),
      step: (...one) => this.#step(...one),
      requireLease,
      ...ends,
    });
  }

  async records<K extends keyof RepositoryRecords>(kind: K): Promise<readonly RepositoryRecords[K][]> {
    const readers: { readonly [T in keyof RepositoryRecords]: () => readonly RepositoryRecords[T][] } = {
      lease: () => [this.#control.lease(() => this.#fence())],
      jobs: () => this.#jobs(),
      uses: () => this.#control.uses(),
      damage: () => {
        const reason = this.#directory.damage();
        return reason === undefined ? [] : [{ reason }];
      },
    };
    return readers[kind]();
  }

  async record(change: RecordChange): Promise<boolean> {
    if ("lease" in change) {
      const swap = () => this.#control.swapLease(change.lease);
      const isTaken = change.lease.before.token !== change.lease.after.token;
      return isTaken ? this.#step("lease", swap) : swap();
    }
    if ("job" in change) this.#step("job", () => this.#control.writeJob(change));
    else if ("use" in change) this.#control.writeUse(change.use);
    else this.#directory.noteDamage(change.damage);
    return true;
  }

  async sizeBytes(): Promise<number> {
    return this.#directory.sizeBytes();
  }

  rest(): void {
    this.#current.rest();
  }

  async close(): Promise<void> {
    this.#current.close();
    this.#control.close();
  }

  /** Jobs are history: damaged history is dropped, because it must not block the index. */
  #jobs(): readonly RepositoryRecords["jobs"][] {
    try {
      return this.#control.jobs();
    } catch (error) {
      if (isDamage(error)) return [];
      throw error;
    }
  }

  /** Best effort: a damaged index has no fence, and its replacement starts again. */
  #fence(): number {
    try {
      const content = this.#current.isolated();
      if (content === undefined) return 0;
      const fence = fenceOf(content.db);
      content.db.close();
      return fence;
    } catch {
      return 0;
    }
  }

  #step<T>(name: string, run: () => T): T {
    this.#failpoint(`${name}:before`);
    const result = run();
    this.#failpoint(`${name}:after`);
    return result;
  }
}
