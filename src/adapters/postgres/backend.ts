/** One repository of a shared database: its current epoch, and its leases and jobs. */
import type { ProjectId } from "../../model/ids.ts";
import type {
  Backend,
  OpenedContent,
  RecordChange,
  RepositoryRecords,
  ViewQuery,
  ViewRow,
  WritableContent,
} from "../../ports/backend.ts";
import type { Env, Failpoint } from "../../ports/env.ts";
import type { Limits } from "../../ports/snapshot.ts";
import type { Lease } from "../../ports/store.ts";
import { removeEpoch } from "./collection.ts";
import { PostgresContent, VIEW_COLUMNS } from "./content.ts";
import type { Db } from "./db.ts";
import * as leases from "./lease.ts";
import { migrate, requireReadable, unlessUnprepared } from "./migrate.ts";
import type { Queryable, Transaction } from "./queryable.ts";
import * as repositories from "./repository.ts";
import { PostgresWriter } from "./writer.ts";

export interface PostgresBackendOptions {
  readonly db: Db;
  /** Where it is read from: the same, or a replica of it. */
  readonly reads: Db;
  readonly repository: repositories.NewRepository;
  readonly env: Env;
  readonly clock: leases.Clock;
  readonly failpoint: Failpoint;
  readonly onClose: () => void;
}

interface CurrentViewRow extends ViewRow {
  /** The oldest release, as a step of the tables, that may still read them. */
  readonly least: number;
  readonly repo: number;
  readonly uid: string;
  readonly project: ProjectId;
  readonly now_epoch: number;
  readonly hasPacks: boolean;
  readonly schema_version: number;
}

/** How long noting a use may wait for a lock, or for a server that went away. */
const NOTING_MS = 500;

export class PostgresBackend implements Backend {
  readonly #options: PostgresBackendOptions;
  /** Read in this process; the last one is the current one. */
  readonly #contents = new Set<PostgresContent>();
  #current: PostgresContent | undefined;

  constructor(options: PostgresBackendOptions) {
    this.#options = options;
  }

  async views({ ref, isolated }: ViewQuery, limits?: Limits): Promise<OpenedContent | undefined> {
    const { reads } = this.#options;
    return unlessUnprepared(reads, undefined, async () => {
      const { queryable, release } = isolated ? await reads.held() : { queryable: reads, release: async () => {} };
      let opened: OpenedContent | undefined;
      try {
        opened = await this.#open(queryable, ref, limits, release);
      } finally {
        if (opened === undefined) await release();
      }
      return opened;
    });
  }

  /** In one statement: every answer begins with it. */
  async #open(
    queryable: Queryable,
    ref: string | undefined,
    limits: Limits | undefined,
    release: () => Promise<void>,
  ): Promise<OpenedContent | undefined> {
    const { key } = this.#options.repository;
    const some = ref === undefined ? "" : "AND w.ref = $2";
    const sql = `SELECT (SELECT max(m.compatible_from) FROM codecompass.migration m) AS least, r.id AS repo, ${repositories.UID},
        r.ids_project AS project, r.epoch AS now_epoch, r.schema_version, ${VIEW_COLUMNS},
        coalesce(w.ref = r.default_ref, false) AS "isDefault", to_regclass('codecompass.view_pack') IS NOT NULL AS "hasPacks"
      FROM codecompass.repository r LEFT JOIN codecompass.view w ON w.repo = r.id AND w.epoch = r.epoch ${some}
      WHERE r.key = $1 ORDER BY w.ref`;
    const values = ref === undefined ? [key] : [key, ref];
    const rows = await queryable.rows<CurrentViewRow>(sql, values, {
      limits,
      prepared: ref === undefined ? "views" : "state",
    });
    const [first] = rows;
    if (first === undefined) return undefined;
    requireReadable(first.least, this.#options.reads.address.shown);
    repositories.requireSchema(first);
    const views = rows.filter((row) => row.ref !== null);
    return { content: this.#contentOf(queryable, first, release), views, project: first.project };
  }

  #contentOf(
    queryable: Queryable,
    { repo, uid, now_epoch: epoch, hasPacks }: CurrentViewRow,
    release: () => Promise<void>,
  ): PostgresContent {
    const isShared = queryable === this.#options.reads;
    const known = this.#current;
    if (isShared && known?.id === uid && known.place.repo === repo && known.place.epoch === epoch) return known;
    const content: PostgresContent = new PostgresContent(queryable, { repo, epoch, uid, hasPacks }, async () => {
      this.#contents.delete(content);
      await release();
    });
    this.#contents.add(content);
    if (isShared) this.#current = content;
    return content;
  }

  begin(lease: Lease, mode: "update" | "replace", defaultRef?: string): Promise<WritableContent> {
    return mode === "update"
      ? this.#step("begin", () => this.#update(lease, defaultRef))
      : this.#step("reset", () => this.#replace(lease, defaultRef));
  }

  async #update(lease: Lease, defaultRef: string | undefined): Promise<PostgresWriter> {
    const { db, repository } = this.#options;
    const place = await db.transaction(async (tx) => {
      const known = await repositories.ensureRepository(tx, repository);
      await leases.requireLease(tx, known.id, lease);
      repositories.requireSchema(known);
      if (defaultRef !== undefined) await repositories.setDefaultRef(tx, known.id, defaultRef);
      return { repo: known.id, uid: known.uid, epoch: known.epoch };
    });
    return this.#writer(lease, place, { trust: "trust", onSwap: async () => {}, onClose: async () => {} });
  }

  /** A new epoch beside the present one, which stays readable until the new one takes its place. */
  async #replace(lease: Lease, defaultRef: string | undefined): Promise<PostgresWriter> {
    const { db, clock, repository } = this.#options;
    const place = await db.transaction(async (tx) => {
      const { id: repo, uid } = await repositories.ensureRepository(tx, repository);
      await leases.requireLease(tx, repo, lease);
      return { repo, uid, epoch: await repositories.newEpoch(tx, repo) };
    });
    return this.#writer(lease, place, {
      trust: "distrust",
      onSwap: async (tx) => {
        if (defaultRef !== undefined) await repositories.setDefaultRef(tx, place.repo, defaultRef);
        await repositories.switchEpoch(tx, place, await clock(tx));
      },
      onClose: () =>
        db.transaction(async (tx) => {
          const current = await repositories.findRepository(tx, repository.key);
          if (current?.epoch === place.epoch) return;
          await removeEpoch(tx, place);
        }),
    });
  }

  #writer(
    lease: Lease,
    place: ConstructorParameters<typeof PostgresWriter>[0]["place"],
    rest: Pick<ConstructorParameters<typeof PostgresWriter>[0], "trust" | "onSwap" | "onClose">,
  ): PostgresWriter {
    const { db, clock } = this.#options;
    const readEpochs = () => [...this.#contents].map((content) => content.place.epoch);
    return new PostgresWriter({ db, clock, lease, place, readEpochs, step: (...one) => this.#step(...one), ...rest });
  }

  async records<K extends keyof RepositoryRecords>(kind: K): Promise<readonly RepositoryRecords[K][]> {
    const { db, reads, clock, env, repository } = this.#options;
    const { key } = repository;
    const readers: { readonly [T in keyof RepositoryRecords]: () => Promise<readonly RepositoryRecords[T][]> } = {
      lease: async () => [
        await unlessUnprepared(db, leases.noLease(env.now()), async () =>
          leases.readLease(db, key, await clock(db), env),
        ),
      ],
      jobs: () => unlessUnprepared(reads, [], () => leases.readJobs(reads, key, env)),
      uses: () => leases.readUses(reads, key),
      damage: async () => [],
    };
    return readers[kind]();
  }

  async record(change: RecordChange): Promise<boolean> {
    const { db, clock, env, repository } = this.#options;
    if ("lease" in change) return this.#swapLease(change.lease);
    if ("job" in change) {
      await migrate(db);
      await this.#step("job", () =>
        db.transaction(async (tx) =>
          leases.writeJob(tx, (await repositories.ensureRepository(tx, repository)).id, change, env),
        ),
      );
    } else if ("use" in change) {
      const note = async (tx: Transaction) => {
        // A hint: nothing is lost with it, and a search over many repositories notes as many at once.
        await tx.run(`SET LOCAL synchronous_commit = off; SET LOCAL lock_timeout = ${NOTING_MS}`);
        await leases.noteUse(tx, repository.key, change.use, await clock(tx));
      };
      await db.transaction(note, AbortSignal.timeout(NOTING_MS));
    }
    return true;
  }

  async #swapLease(change: leases.LeaseChange): Promise<boolean> {
    const { db, env, repository } = this.#options;
    const { key } = repository;
    if (change.before.token === change.after.token)
      return db.transaction((tx) => leases.changeLease(tx, key, change, env));
    await this.#step("migrate", () => migrate(db));
    return this.#step("lease", () =>
      db.transaction(async (tx) => {
        await repositories.ensureRepository(tx, repository);
        return leases.changeLease(tx, key, change, env);
      }),
    );
  }

  sizeBytes(): Promise<number> {
    const { reads, repository } = this.#options;
    return unlessUnprepared(reads, 0, () => repositories.repositoryBytes(reads, repository.key));
  }

  rest(): void {}

  async close(): Promise<void> {
    this.#options.onClose();
  }

  async #step<T>(name: string, run: () => Promise<T>): Promise<T> {
    const { failpoint } = this.#options;
    failpoint(`${name}:before`);
    const result = await run();
    failpoint(`${name}:after`);
    return result;
  }
}
