/** Starts a job for a tree because somebody asked for it, and waits for it as long as he wants to. */
import type { Job } from "../../model/jobs.ts";
import type { Env } from "../../ports/env.ts";
import type { IndexOptions } from "../compass.ts";
import type { Tree } from "../projects/tree.ts";
import { type JobRun, raceWithAbort } from "./job-run.ts";

export async function indexTree(tree: Tree, options: IndexOptions, env: Env): Promise<Job> {
  tree.watch();
  const { waitMs, signal } = options;
  const deadline = env.sleep(waitMs);
  const run = await startedOrQueued(tree, options, deadline);
  if ("status" in run) return run;
  if (options.onProgress !== undefined) {
    options.onProgress(run.job());
    run.onProgress(options.onProgress);
  }
  if (waitMs === 0) return run.job();
  await raceWithAbort(signal, run, Promise.race([run.finished, deadline]));
  return run.job();
}

/** The job that runs, or, when the time is over before it could begin, its place in the queue. */
function startedOrQueued(tree: Tree, options: IndexOptions, deadline: Promise<void>): Promise<JobRun | Job> {
  const { mode, force, ref, signal, waitMs } = options;
  const queued = Promise.withResolvers<Job>();
  const onQueued = (job: Job) => void deadline.then(() => queued.resolve(job));
  const run = tree.start({
    mode,
    force,
    onQueued,
    ...(ref !== undefined && { ref }),
    // Who does not wait is not there any more when his turn comes.
    ...(signal !== undefined && waitMs > 0 && { signal }),
  });
  return Promise.race([run, queued.promise]);
}
