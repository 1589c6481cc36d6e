/** Brings the checked-out view up to date before a one-shot command answers from it. */
import { CompassError } from "../model/errors.ts";
import type { Env } from "../ports/env.ts";
import type { FreshenOptions } from "./compass.ts";
import { requireReadable } from "./standing.ts";
import type { StartOptions, Tree } from "./tree.ts";

const POLL_MS = 100;

export async function freshen(tree: Tree, options: FreshenOptions, env: Env): Promise<void> {
  const work = await neededWork(tree);
  if (work === undefined) return;
  try {
    const run = await tree.start(work);
    if (options.onProgress !== undefined) run.onProgress(options.onProgress);
    options.signal?.addEventListener("abort", () => run.cancel(), { once: true });
    tree.trust((await run.report).generation);
  } catch (error) {
    if (!(error instanceof CompassError && /_in_progress$/.test(error.code))) throw error;
    await othersJob(tree, env, options.signal);
  }
}

async function neededWork(tree: Tree): Promise<StartOptions | undefined> {
  const store = await tree.store();
  const now = await tree.checkedOut();
  const snapshot = await store.snapshot(now.ref);
  if (snapshot === undefined) {
    requireReadable(await store.inspect());
    return { mode: "full", force: false };
  }
  try {
    const drift = await tree.drift(snapshot, now);
    if (drift === undefined) {
      tree.trust(snapshot.info.generation);
      return undefined;
    }
    return { mode: "incremental", force: false, ...(drift.paths.length > 0 && { paths: drift.paths }) };
  } finally {
    snapshot.release();
  }
}

/** A server or another command is at it already: its result is ours. */
async function othersJob(tree: Tree, env: Env, signal: AbortSignal | undefined): Promise<void> {
  while ((await tree.activeJob()) !== undefined) {
    signal?.throwIfAborted();
    await env.sleep(POLL_MS);
  }
}
