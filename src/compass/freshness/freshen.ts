/** Brings the checked-out view up to date before a one-shot command answers from it. */
import { PARSE_GAVE_UP } from "../../model/code.ts";
import { CompassError, isDamage } from "../../model/errors.ts";
import type { Env } from "../../ports/env.ts";
import type { FreshenOptions } from "../compass.ts";
import type { StartOptions } from "../jobs/index-request.ts";
import { raceWithAbort } from "../jobs/job-run.ts";
import type { Tree } from "../projects/tree.ts";
import { requireReadable } from "./view-status.ts";

const POLL_MS = 100;

export async function freshen(tree: Tree, options: FreshenOptions, env: Env): Promise<void> {
  for (;;) {
    const work = await neededWork(tree, options.ref);
    if (work === undefined || (await isDone(tree, work, options))) return;
    await waitForOtherJob(tree, env, options.signal);
  }
}

/** False: a server or another command is at it already, and its result will be ours. */
async function isDone(tree: Tree, work: StartOptions, options: FreshenOptions): Promise<boolean> {
  try {
    const run = await tree.start(work);
    if (options.onProgress !== undefined) run.onProgress(options.onProgress);
    await raceWithAbort(options.signal, run, run.report);
    return true;
  } catch (error) {
    if (error instanceof CompassError && /_in_progress$/.test(error.code)) return false;
    if (options.orStale !== true || !(await isReadable(tree, error, options.ref))) throw error;
    return true;
  }
}

/** Whether the store failed, and not the tree, and there is an older state to answer from. */
async function isReadable(tree: Tree, error: unknown, ref: string | undefined): Promise<boolean> {
  if (!(error instanceof CompassError && error.code === "internal_error")) return false;
  const { view } = await tree.resolve(ref);
  return (await (await tree.store()).views()).some((shown) => shown.ref === view);
}

/** The job sees for itself that the index is damaged, and builds another. */
const REBUILD: StartOptions = { mode: "full", force: false };

/**
 * What a job would have to do; undefined when the view shows what is on disk, or its commit. An explicit `index` also
 * tries files again that their parser gave up; an answer does not wait for that.
 */
export async function neededWork(tree: Tree, ref?: string, by?: "index"): Promise<StartOptions | undefined> {
  try {
    return await workFor(tree, ref, by);
  } catch (error) {
    if (!isDamage(error) || tree.readsOnly) throw error;
    return REBUILD;
  }
}

async function workFor(tree: Tree, ref: string | undefined, by?: "index"): Promise<StartOptions | undefined> {
  const store = await tree.store();
  const target = await tree.resolve(ref);
  const named = target.from === "commit" ? { ref: target.view } : {};
  if ((await store.damage()) !== undefined) return REBUILD;
  const snapshot = await store.snapshot(target.view);
  if (snapshot === undefined) {
    requireReadable(await store.inspect());
    return { mode: target.from === "commit" ? "incremental" : "full", force: false, ...named };
  }
  try {
    // Not by trust: in a daemon, the command that gave it may have ended before it read anything.
    const drift = await tree.drift(snapshot, target, "look");
    const isRetried = by === "index" && snapshot.info.coverage.skippedReasons[PARSE_GAVE_UP] !== undefined;
    if (drift === undefined && isRetried) return { mode: "incremental", force: false, ...named };
    if (drift === undefined) {
      if (target.from === "directory") tree.trust(snapshot.info.stateId);
      return undefined;
    }
    return { mode: "incremental", force: false, ...named, ...(drift.paths.length > 0 && { paths: drift.paths }) };
  } finally {
    snapshot.release();
  }
}

/** A writer takes the lease before it records its job, so finding no job once proves nothing: the caller checks again. */
async function waitForOtherJob(tree: Tree, env: Env, signal: AbortSignal | undefined): Promise<void> {
  do {
    await env.sleep(POLL_MS);
    signal?.throwIfAborted();
  } while ((await tree.activeJob()) !== undefined);
}
