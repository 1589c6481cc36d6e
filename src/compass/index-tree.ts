/** Starts a job for a tree because somebody asked for it, and waits for it as long as he wants to. */
import type { Job } from "../model/jobs.ts";
import type { Env } from "../ports/env.ts";
import type { IndexOptions } from "./compass.ts";
import type { Tree } from "./tree.ts";

export async function indexTree(tree: Tree, options: IndexOptions, env: Env): Promise<Job> {
  tree.watch();
  const { mode, force, ref } = options;
  const run = await tree.start({ mode, force, ...(ref !== undefined && { ref }) });
  if (options.onProgress !== undefined) {
    options.onProgress(run.job());
    run.onProgress(options.onProgress);
  }
  if (options.waitMs === 0) return run.job();
  options.signal?.addEventListener("abort", () => run.cancel(), { once: true });
  await Promise.race([run.finished, env.sleep(options.waitMs)]);
  return run.job();
}
