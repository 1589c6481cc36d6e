/** What writers do to one repository: the lease, and what its holder may do. */
import { CompassError } from "../../model/errors.ts";
import type { ProcessIdentity } from "../../ports/env.ts";
import type { Lease, LeaseAnswer } from "../../ports/lease.ts";
import type { Store } from "../../ports/store.ts";
import { type BuildOptions, buildOf } from "./build.ts";
import { besides } from "./epoch-rebuild.ts";
import { refusing } from "./failures.ts";
import { collectGarbage } from "./gc.ts";
import { markInterrupted, noteUse, recordJob } from "./jobs.ts";
import { releaseLease, renewLease, requireLease, takeLease } from "./lease.ts";
import { migrate } from "./migrate.ts";
import type { Transaction } from "./query-interface.ts";
import { forgetViews } from "./remove-views.ts";
import { ensureRepository, noteDefault, type Place, placeOf, repositoryBytes, requireSchema } from "./repository.ts";
import type { StoreMeans } from "./store-means.ts";

type Writing = "lease" | "begin" | "recordJob" | "used" | "gc" | "restore" | "forget";

/** A view's use is noted at most this often. */
const USE_MS = 60_000;
/** How long noting it may wait for a lock, or for a server that went away. */
const NOTING_MS = 500;

export function writingHalf(means: StoreMeans): Pick<Store, Writing> {
  const { db, source, env, clock, step, create } = means;
  const { key } = means.repository;
  const noted = new Map<string, number>();
  const writing = <T>(doing: string, write: () => Promise<T>): Promise<T> =>
    refusing(doing, db.address, () => {
      if (!create) throw new CompassError("internal_error", { reason: "the index was opened for reading only" });
      return write();
    });
  const build = (rest: Omit<BuildOptions, "db" | "clock" | "step">) => buildOf({ db, clock, step, ...rest });
  const beside = besides({ ...means, build, writing });
  /** Something that the lease lets its holder do, in one transaction. */
  const held = async <T>(lease: Lease, name: string, work: (tx: Transaction, place: Place) => Promise<T>) => {
    const place = await heldPlace(means, lease);
    return step(name, () =>
      db.transaction(async (tx) => {
        await requireLease(tx, place.repo, lease);
        return work(tx, place);
      }),
    );
  };
  return {
    lease: (owner, ttlMs) => writing("taking the writer's lease", () => leaseFor(means, owner, ttlMs)),
    begin: (lease, ref, mode, options = {}) =>
      writing("opening the index for writing", () =>
        mode === "reset"
          ? step("reset", () => beside.rebuild(lease, ref, options.defaultRef))
          : step("begin", async () => {
              const quietly = { onPublishing: async () => {}, onAbort: async () => {} };
              const { base, defaultRef } = options;
              const place = await heldPlace(means, lease, defaultRef);
              return build({ place, lease, ref, after: 0, trust: "trust", ...(base && { base }), ...quietly });
            }),
      ),
    recordJob: (job, owner) =>
      writing("recording a job", async () => {
        await migrate(db);
        await step("job", () =>
          db.transaction(async (tx) => {
            const { id } = await ensureRepository(tx, means.repository);
            await recordJob(tx, id, job, owner);
          }),
        );
      }),
    used: async (view) => {
      const now = env.now();
      if (now - (noted.get(view) ?? Number.NEGATIVE_INFINITY) < USE_MS) return;
      noted.set(view, now);
      // A hint for tidying up: where the primary is away, locked or full, it is left out.
      const signal = AbortSignal.timeout(NOTING_MS);
      const note = async (tx: Transaction) => {
        await tx.run(`SET LOCAL lock_timeout = ${NOTING_MS}`);
        await noteUse(tx, key, view, await clock(tx));
      };
      await means.noting(db.transaction(note, undefined, signal).catch(() => {}));
    },
    gc: (lease) =>
      writing("collecting garbage", async () => {
        const before = await repositoryBytes(db, key);
        const collected = await held(lease, "gc", async (tx, place) =>
          collectGarbage(tx, { place, now: await clock(tx), pinned: source.pins.pinned() }),
        );
        return { ...collected, bytesFreed: Math.max(0, before - (await repositoryBytes(db, key))) };
      }),
    restore: (lease) => writing("opening the index for writing", () => step("restore", () => beside.restore(lease))),
    forget: (lease, refs) =>
      writing("forgetting views", () =>
        held(lease, "forget", (tx, place) => forgetViews(tx, place, refs, source.pins.pinned())),
      ),
  };
}

async function leaseFor(means: StoreMeans, owner: ProcessIdentity, ttlMs: number): Promise<LeaseAnswer> {
  const { db, step, clock, env, repository } = means;
  await step("migrate", () => migrate(db));
  const { repo, ...taken } = await step("lease", () =>
    db.transaction(async (tx) => {
      const { id } = await ensureRepository(tx, repository);
      const now = await clock(tx);
      const answer = await takeLease(tx, { repo: id, owner, ttlMs, now, env });
      if ("token" in answer) await markInterrupted(tx, id, now, env);
      return { repo: id, ...answer };
    }),
  );
  if ("by" in taken) return { held: true, by: taken.by };
  const { token } = taken;
  const changing = (doing: string, change: (tx: Transaction) => Promise<void>) =>
    refusing(doing, db.address, () => db.transaction(change));
  return {
    lease: {
      token,
      renew: () => changing("renewing the lease", async (tx) => renewLease(tx, repo, token, (await clock(tx)) + ttlMs)),
      release: () => changing("releasing the lease", (tx) => releaseLease(tx, repo, token, owner)),
    },
  };
}

/** What the lease lets its holder write to. `defaultRef`: as the holder knows it now. */
function heldPlace({ db, repository }: StoreMeans, lease: Lease, defaultRef?: string): Promise<Place> {
  return db.transaction(async (tx) => {
    const known = await ensureRepository(tx, repository);
    await requireLease(tx, known.id, lease);
    requireSchema(known);
    if (defaultRef !== undefined) await noteDefault(tx, known.id, defaultRef);
    return placeOf(known);
  });
}
