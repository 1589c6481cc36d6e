/** A new epoch filled beside the present one, which stays readable until the new one takes its place: rebuilds and imports. */
import type { Build } from "../../ports/build.ts";
import type { Restoring } from "../../ports/dump.ts";
import type { Lease } from "../../ports/lease.ts";
import type { BuildOptions } from "./build.ts";
import { removeEpoch } from "./gc.ts";
import { requireLease } from "./lease.ts";
import type { Transaction } from "./query-interface.ts";
import {
  discardEpoch,
  ensureRepository,
  findRepository,
  newEpoch,
  noteDefault,
  type Place,
  turnTo,
} from "./repository.ts";
import type { StoreMeans } from "./store-means.ts";
import { readView } from "./view-state.ts";

interface BesideMeans extends StoreMeans {
  readonly build: (rest: Omit<BuildOptions, "db" | "clock" | "step">) => Build;
  readonly writing: <T>(doing: string, write: () => Promise<T>) => Promise<T>;
}

export function besides(means: BesideMeans) {
  const { db, step, build, writing } = means;
  const { key } = means.repository;
  /** The generations of a rebuilt view go on from where the old one was. */
  const lastGeneration = async (repo: number, ref: string): Promise<number> => {
    const repository = await findRepository(db, key);
    const row = repository && (await readView(db, { repo, epoch: repository.epoch }, ref));
    return row?.generation ?? 0;
  };
  return {
    rebuild: async (lease: Lease, ref: string, defaultRef?: string): Promise<Build> => {
      const { place, turn, discard } = await besideOf(means, lease);
      const onPublishing = async (tx: Transaction) => {
        if (defaultRef !== undefined) await noteDefault(tx, place.repo, defaultRef);
        await turn(tx);
      };
      const after = await lastGeneration(place.repo, ref);
      return build({ place, lease, ref, after, trust: "distrust", onPublishing, onAbort: discard });
    },
    restore: async (lease: Lease): Promise<Restoring> => {
      const { place, turn, discard } = await besideOf(means, lease);
      const quietly = { onPublishing: async () => {}, onAbort: async () => {} };
      let committed = false;
      return {
        begin: async (ref, options = {}) => {
          const after = await lastGeneration(place.repo, ref);
          return build({ place, lease, ref, after, trust: "distrust", ...options, ...quietly });
        },
        commit: () =>
          writing("replacing the index", async () => {
            await step("swap", () =>
              db.transaction(async (tx) => {
                await requireLease(tx, place.repo, lease);
                await turn(tx);
              }),
            );
            committed = true;
          }),
        abort: async () => {
          if (!committed) await writing("discarding an import", discard);
        },
      };
    },
  };
}

async function besideOf({ db, clock, repository }: StoreMeans, lease: Lease) {
  const place = await db.transaction(async (tx): Promise<Place> => {
    const { id: repo } = await ensureRepository(tx, repository);
    await requireLease(tx, repo, lease);
    return { repo, epoch: await newEpoch(tx, repo) };
  });
  return {
    place,
    turn: async (tx: Transaction) => turnTo(tx, place, await clock(tx)),
    discard: () =>
      db.transaction(async (tx) => {
        const { epoch } = (await findRepository(tx, repository.key)) ?? {};
        if (epoch === place.epoch) return;
        await discardEpoch(tx, place);
        await removeEpoch(tx, place);
      }),
  };
}
