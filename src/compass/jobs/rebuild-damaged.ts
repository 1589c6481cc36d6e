/**
 * A question that meets a damaged index notes the damage for every process and starts a new index next to the old one, as
 * for a tree without an index. It waits a little for the new index and runs again.
 */
import { damageReason } from "../../ingest/rebuild-damaged.ts";
import { CompassError, isDamage } from "../../model/errors.ts";
import type { FreshnessPolicy } from "../../model/status.ts";
import type { Env } from "../../ports/env.ts";
import { startQuietly } from "../freshness/view-status.ts";
import type { Tree } from "../projects/tree.ts";

export interface RebuildOptions {
  readonly policy: FreshnessPolicy;
  readonly builds?: false;
  /** How long the question waits for the new index. */
  readonly waitMs: number;
  readonly env: Env;
}

export async function withRebuild<T>(tree: Tree, options: RebuildOptions, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
  try {
    // A state that was replaced while it was read may lack what was collected since; the present one must not.
    return await ask();
  } catch (error) {
    if (!isDamage(error)) throw error;
    await (await tree.store()).noteDamage(String(error.data.reason));
    if (!mayBuild(tree, options)) throw error;
    if (await isRebuilt(tree, options)) return ask();
    throw rebuilding(error);
  }
}

/** Starts the rebuild of an index that is known to be damaged; the questions that it can still answer do not wait for it. */
export async function rebuildSoon(tree: Tree, options: Pick<RebuildOptions, "policy" | "builds">): Promise<void> {
  if (!mayBuild(tree, options) || tree.activeRun() !== undefined) return;
  const store = await tree.store();
  if ((await store.damage()) === undefined) return;
  // The job reports why it fails.
  await startQuietly(tree).catch(() => {});
}

/** Whether no row is missing; what is found is noted for the job that follows. */
export async function isWhole(tree: Tree): Promise<boolean> {
  const store = await tree.store();
  const damage = await damageReason(store);
  if (damage !== undefined) await store.noteDamage(damage);
  return damage === undefined;
}

function mayBuild(tree: Tree, { policy, builds }: Pick<RebuildOptions, "policy" | "builds">): boolean {
  return !tree.readsOnly && builds !== false && policy !== "best_effort";
}

async function isRebuilt(tree: Tree, { waitMs, env }: RebuildOptions): Promise<boolean> {
  const run = tree.activeRun() ?? (await startQuietly(tree));
  // Another process is at it.
  if (run === undefined) return false;
  const job = await Promise.race([run.finished, env.sleep(waitMs)]);
  return job?.status === "published";
}

function rebuilding({ code, data: { remediation: _, ...data } }: CompassError): CompassError {
  const suggestion = "A new index is being built: poll index_status until it is ready, then ask again.";
  return new CompassError(code, { ...data, suggestion });
}
