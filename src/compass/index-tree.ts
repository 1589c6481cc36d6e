/** Starts a job for a tree because somebody asked for it, and waits for it as long as he wants to. */
import type { Job } from "../model/jobs.ts";
import type { Env } from "../ports/env.ts";
import type { IndexOptions } from "./compass.ts";
import type { Tree } from "./tree.ts";

/** Whoever does not want to wait waits this long for the job of another ref: most are over by then. */
const TURN_MS = 1_000;

export async function indexTree(tree: Tree, options: IndexOptions, env: Env): Promise<Job> {
  tree.watch();
  const { mode, force, ref, waitMs } = options;
  const patience = env.sleep(Math.max(waitMs, TURN_MS));
  const run = await tree.start({ mode, force, patience, ...(ref !== undefined && { ref }) });
  if (options.onProgress !== undefined) {
    options.onProgress(run.job());
    run.onProgress(options.onProgress);
  }
  if (waitMs === 0) return run.job();
  options.signal?.addEventListener("abort", () => run.cancel(), { once: true });
  await Promise.race([run.finished, patience]);
  return run.job();
}
