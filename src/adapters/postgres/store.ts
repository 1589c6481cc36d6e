/** The port over one repository of a shared database: hands out snapshots and lets one writer in. */
import type { FileRecord } from "../../model/code.ts";
import { CompassError } from "../../model/errors.ts";
import type { FileId, ProjectId } from "../../model/ids.ts";
import type { Job } from "../../model/jobs.ts";
import type { Env, Failpoint, ProcessIdentity } from "../../ports/env.ts";
import type {
  BeginOptions,
  Build,
  Finding,
  Forgotten,
  GcReport,
  Lease,
  LeaseAnswer,
  Limits,
  Restoring,
  SchemaReport,
  Snapshot,
  Store,
  StoreCaps,
  StoreDump,
  VersionKey,
  VersionKeyText,
  ViewInfo,
} from "../../ports/store.ts";
import { versionKeyText } from "../../ports/store.ts";
import { type BuildOptions, buildOf } from "./build.ts";
import type { Clock } from "./clock.ts";
import type { Db, Transaction } from "./db.ts";
import { dumpOf } from "./dump.ts";
import { isMissingSchema, refusal, refusing } from "./failures.ts";
import { forgetViews } from "./forget.ts";
import { collectGarbage, removeEpoch } from "./gc.ts";
import { inspectRepository, report } from "./inspect.ts";
import { markInterrupted, noteUse, readJobs, readUses, recordJob } from "./jobs.ts";
import { releaseLease, renewLease, requireLease, takeLease } from "./lease.ts";
import type { Published } from "./listener.ts";
import { migrate, requireUnprepared } from "./migrate.ts";
import { versionIds } from "./put.ts";
import {
  discardEpoch,
  ensureRepository,
  findRepository,
  type NewRepository,
  newEpoch,
  type Place,
  placeOf,
  requireSchema,
  turnTo,
} from "./repository.ts";
import { snapshotOf } from "./snapshot.ts";
import { type ReadMeans, Source } from "./source.ts";
import { verifyRepository } from "./verify.ts";
import { infoOf, readView, readViews } from "./view-state.ts";

export interface PostgresStoreOptions extends ReadMeans {
  readonly db: Db;
  /** Where it is read from: the same, or a replica of it. */
  readonly reads: Db;
  readonly repository: NewRepository;
  readonly create: boolean;
  readonly env: Env;
  readonly clock: Clock;
  readonly failpoint: Failpoint;
  readonly onClose: () => Promise<void>;
}

const NOTHING_TO_DUMP: StoreDump = { views: [], files: async function* () {}, release: () => {} };

/** A view's use is noted at most this often. */
const USE_MS = 60_000;

export class PostgresStore implements Store {
  readonly #options: PostgresStoreOptions;
  readonly #db: Db;
  readonly #reads: Db;
  readonly #key: string;
  readonly #source: Source;
  readonly #noted = new Map<string, number>();
  #idsProject: ProjectId | undefined;
  #closed = false;

  constructor(options: PostgresStoreOptions) {
    this.#options = options;
    this.#db = options.db;
    this.#reads = options.reads;
    this.#key = options.repository.key;
    this.#source = new Source(options.reads, this.#key, options);
  }

  caps(): StoreCaps {
    return { engine: "postgres", bm25: "native", sharedReaders: true, multiWriter: true };
  }

  async idsProject(): Promise<ProjectId | undefined> {
    const sql = "SELECT ids_project FROM codecompass.repository WHERE key = $1";
    this.#idsProject ??= await this.#reading("reading the index", undefined, async () => {
      const [row] = await this.#reads.rows<{ ids_project: ProjectId }>(sql, [this.#key]);
      return row?.ids_project;
    });
    return this.#idsProject;
  }

  async inspect(): Promise<SchemaReport> {
    return this.#reading("reading the index", report("not_indexed", 0), () =>
      inspectRepository(this.#reads, this.#source, this.#key),
    );
  }

  async lease(owner: ProcessIdentity, ttlMs: number): Promise<LeaseAnswer> {
    return this.#writing("taking the writer's lease", async () => {
      await this.#step("migrate", () => migrate(this.#db));
      const { repo, ...taken } = await this.#step("lease", () =>
        this.#db.transaction(async (tx) => {
          const { id } = await ensureRepository(tx, this.#options.repository);
          const now = await this.#options.clock(tx);
          const answer = await takeLease(tx, { repo: id, owner, ttlMs, now, env: this.#options.env });
          if ("token" in answer) await markInterrupted(tx, id, now, this.#options.env);
          return { repo: id, ...answer };
        }),
      );
      return "by" in taken ? { held: true, by: taken.by } : { lease: this.#lease(repo, taken.token, owner, ttlMs) };
    });
  }

  #lease(repo: number, token: number, owner: ProcessIdentity, ttlMs: number): Lease {
    const changing = (doing: string, change: (tx: Transaction) => Promise<void>) =>
      refusing(doing, this.#db.address, () => this.#db.transaction(change));
    return {
      token,
      renew: () =>
        changing("renewing the lease", async (tx) =>
          renewLease(tx, repo, token, (await this.#options.clock(tx)) + ttlMs),
        ),
      release: () => changing("releasing the lease", (tx) => releaseLease(tx, repo, token, owner)),
    };
  }

  async begin(lease: Lease, ref: string, mode: "update" | "reset", options: BeginOptions = {}): Promise<Build> {
    return this.#writing("opening the index for writing", () =>
      mode === "reset"
        ? this.#step("reset", () => this.#rebuild(lease, ref))
        : this.#step("begin", () => this.#update(lease, ref, options)),
    );
  }

  async snapshot(ref: string, limits?: Limits): Promise<Snapshot | undefined> {
    limits?.signal?.throwIfAborted();
    return this.#reading("reading the index", undefined, async () => {
      const state = await this.#source.state(ref, limits);
      if (state === undefined) return undefined;
      this.#source.pin(state);
      const monotonic = () => this.#options.env.monotonic();
      const onRelease = () => this.#source.unpin(state);
      return snapshotOf({ db: this.#reads, source: this.#source, state, monotonic, onRelease });
    });
  }

  async views(): Promise<readonly ViewInfo[]> {
    return this.#reading("reading the index", [], async () => {
      const repository = await findRepository(this.#reads, this.#key);
      if (repository === undefined) return [];
      requireSchema(repository);
      return (await readViews(this.#reads, placeOf(repository))).map(infoOf);
    });
  }

  async records(keys: readonly VersionKey[], limits?: Limits): Promise<ReadonlyMap<VersionKeyText, FileRecord>> {
    return this.#reading("reading the index", new Map(), async () => {
      limits?.signal?.throwIfAborted();
      const repository = await findRepository(this.#reads, this.#key);
      if (repository === undefined) return new Map();
      requireSchema(repository);
      const ids = await versionIds(this.#reads, placeOf(repository), keys);
      const found = await Promise.all(
        keys.map(async (key): Promise<[VersionKeyText, FileRecord][]> => {
          const id = ids.get(versionKeyText(key));
          if (id === undefined) return [];
          const record = await this.#source.record(repository.id, { ...key, id: id as FileId });
          return [[versionKeyText(key), record]];
        }),
      );
      return new Map(found.flat());
    });
  }

  async recordJob(job: Job, owner: ProcessIdentity): Promise<void> {
    await this.#writing("recording a job", async () => {
      await migrate(this.#db);
      await this.#step("job", () =>
        this.#db.transaction(async (tx) => {
          const { id } = await ensureRepository(tx, this.#options.repository);
          await recordJob(tx, id, job, owner);
        }),
      );
    });
  }

  async jobs(limit: number): Promise<readonly Job[]> {
    return this.#reading("reading the jobs", [], async () => {
      const repository = await findRepository(this.#reads, this.#key);
      if (repository === undefined) return [];
      return readJobs(this.#reads, repository.id, limit, await this.#options.clock(this.#reads), this.#options.env);
    });
  }

  async used(view: string): Promise<void> {
    const now = this.#options.env.now();
    if (now - (this.#noted.get(view) ?? Number.NEGATIVE_INFINITY) < USE_MS) return;
    this.#noted.set(view, now);
    // A hint for tidying up: a replica or a full disk must not stand in the way of an answer, nor must the wait for it.
    await this.#db
      .transaction(async (tx) => noteUse(tx, this.#key, view, await this.#options.clock(tx)))
      .catch(() => {});
  }

  async uses(): Promise<ReadonlyMap<string, number>> {
    return readUses(this.#reads, this.#key).catch(() => new Map());
  }

  async sizeBytes(): Promise<number> {
    return this.#reading("measuring the index", 0, () => this.#bytes(this.#reads));
  }

  async verify(level: "quick" | "full"): Promise<readonly Finding[]> {
    try {
      return await verifyRepository(this.#reads, this.#key, level);
    } catch (error) {
      if (isMissingSchema(error)) return [];
      const refused = refusal("reading the index", this.#db.address, error);
      return [{ what: refused instanceof Error ? refused.message : String(refused), where: "database" }];
    }
  }

  async gc(lease: Lease): Promise<GcReport> {
    return this.#writing("collecting garbage", async () => {
      const place = await this.#heldPlace(lease);
      const before = await this.#bytes();
      const collected = await this.#step("gc", () =>
        this.#db.transaction(async (tx) => {
          await requireLease(tx, place.repo, lease);
          const now = await this.#options.clock(tx);
          return collectGarbage(tx, { place, now, pinned: this.#source.pinned() });
        }),
      );
      return { ...collected, bytesFreed: Math.max(0, before - (await this.#bytes())) };
    });
  }

  async dump(): Promise<StoreDump> {
    return this.#reading("reading the index", NOTHING_TO_DUMP, () => dumpOf(this.#reads, this.#key));
  }

  async restore(lease: Lease): Promise<Restoring> {
    return this.#writing("opening the index for writing", () =>
      this.#step("restore", async () => {
        const { place, turn, discard } = await this.#beside(lease);
        const quietly = { onPublishing: async () => {}, onAbort: async () => {} };
        let committed = false;
        return {
          begin: async (ref, options = {}) => {
            const after = await this.#lastGeneration(place.repo, ref);
            return this.#build({ place, lease, ref, after, trust: "distrust", ...options, ...quietly });
          },
          commit: () =>
            this.#writing("replacing the index", async () => {
              await this.#step("swap", () =>
                this.#db.transaction(async (tx) => {
                  await requireLease(tx, place.repo, lease);
                  await turn(tx);
                }),
              );
              committed = true;
            }),
          abort: async () => {
            if (!committed) await this.#writing("discarding an import", discard);
          },
        };
      }),
    );
  }

  async forget(lease: Lease, refs: readonly string[]): Promise<readonly Forgotten[]> {
    return this.#writing("forgetting views", async () => {
      const place = await this.#heldPlace(lease);
      return this.#step("forget", () =>
        this.#db.transaction(async (tx) => {
          await requireLease(tx, place.repo, lease);
          return forgetViews(tx, place, refs, this.#source.pinned());
        }),
      );
    });
  }

  /** Somebody published the view, or may have; what is held of it is brought up to date before anybody asks. */
  async heard(published: Published | undefined): Promise<void> {
    if (this.#closed || !this.#source.holds(published)) return;
    await this.#step("heard", () => this.#source.refresh(published?.ref)).catch(() => {});
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#options.onClose();
  }

  async #update(lease: Lease, ref: string, options: BeginOptions): Promise<Build> {
    const place = await this.#heldPlace(lease);
    const quietly = { onPublishing: async () => {}, onAbort: async () => {} };
    return this.#build({ place, lease, ref, after: 0, trust: "trust", ...options, ...quietly });
  }

  /** Fills a new epoch beside the present one, which stays readable until the new one is published. */
  async #rebuild(lease: Lease, ref: string): Promise<Build> {
    const { place, turn, discard } = await this.#beside(lease);
    const after = await this.#lastGeneration(place.repo, ref);
    return this.#build({ place, lease, ref, after, trust: "distrust", onPublishing: turn, onAbort: discard });
  }

  async #beside(lease: Lease) {
    const place = await this.#db.transaction(async (tx): Promise<Place> => {
      const { id: repo } = await ensureRepository(tx, this.#options.repository);
      await requireLease(tx, repo, lease);
      return { repo, epoch: await newEpoch(tx, repo) };
    });
    return {
      place,
      turn: async (tx: Transaction) => turnTo(tx, place, await this.#options.clock(tx)),
      discard: () =>
        this.#db.transaction(async (tx) => {
          const { epoch } = (await findRepository(tx, this.#key)) ?? {};
          if (epoch === place.epoch) return;
          await discardEpoch(tx, place);
          await removeEpoch(tx, place);
        }),
    };
  }

  #build(rest: Omit<BuildOptions, "db" | "clock" | "step">): Build {
    const step = <T>(name: string, run: () => Promise<T>) => this.#step(name, run);
    return buildOf({ db: this.#db, clock: this.#options.clock, step, ...rest });
  }

  /** What the lease lets its holder write to. */
  #heldPlace(lease: Lease): Promise<Place> {
    return this.#db.transaction(async (tx) => {
      const repository = await ensureRepository(tx, this.#options.repository);
      await requireLease(tx, repository.id, lease);
      requireSchema(repository);
      return placeOf(repository);
    });
  }

  /** The generations of a rebuilt view go on from where the old one was. */
  async #lastGeneration(repo: number, ref: string): Promise<number> {
    const repository = await findRepository(this.#db, this.#key);
    const row = repository && (await readView(this.#db, { repo, epoch: repository.epoch }, ref));
    return row?.generation ?? 0;
  }

  async #bytes(from = this.#db): Promise<number> {
    const sql = "SELECT bytes FROM codecompass.repository WHERE key = $1";
    return (await from.rows<{ bytes: number }>(sql, [this.#key]))[0]?.bytes ?? 0;
  }

  /** `nothing`: the answer of a database that nobody has prepared yet. */
  #reading<T>(doing: string, nothing: T, read: () => Promise<T>): Promise<T> {
    return refusing(doing, this.#reads.address, async () => {
      try {
        return await read();
      } catch (error) {
        if (!isMissingSchema(error)) throw error;
        await requireUnprepared(this.#reads);
        return nothing;
      }
    });
  }

  #writing<T>(doing: string, write: () => Promise<T>): Promise<T> {
    return refusing(doing, this.#db.address, () => {
      if (!this.#options.create)
        throw new CompassError("internal_error", { reason: "the index was opened for reading only" });
      return write();
    });
  }

  async #step<T>(name: string, run: () => Promise<T>): Promise<T> {
    this.#options.failpoint(`${name}:before`);
    const result = await run();
    this.#options.failpoint(`${name}:after`);
    return result;
  }
}
