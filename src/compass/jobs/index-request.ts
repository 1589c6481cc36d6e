/** The request of a job: which view of a tree it makes, from which commit or directory, and over which base. */
import type { JobId } from "../../model/ids.ts";
import type { Job, JobMode } from "../../model/jobs.ts";
import { OUTSIDE_RULES } from "../../model/paths.ts";
import type { Env } from "../../ports/env.ts";
import type { IndexRequest, IndexSettings } from "../../ports/indexer.ts";
import type { RepositoryInfo } from "../../ports/vcs.ts";
import type { IndexOptions } from "../compass.ts";
import type { Tree } from "../projects/tree.ts";
import { BASE_VIEW, type ResolvedRef } from "../refs/resolve-ref.ts";
import { type JobRun, raceWithAbort } from "./job-run.ts";

export interface StartOptions {
  readonly mode: JobMode;
  readonly force: boolean;
  /** Absent: what is checked out. */
  readonly ref?: string;
  readonly paths?: readonly string[];
  /** Stop waiting for the job of another ref when this resolves; absent: wait until it ends. */
  readonly deadline?: Promise<unknown>;
  /** Called when the job waits for that of another ref. It then has a place in the queue, and a second one of its ref is refused. */
  readonly onQueued?: (job: Job) => void;
  /** Leave the queue. */
  readonly signal?: AbortSignal;
}

interface RequestedJob {
  readonly target: ResolvedRef;
  readonly options: StartOptions;
  /** Absent: the whole tree. */
  readonly paths: readonly string[] | undefined;
}

export async function buildIndexRequest(
  tree: Tree,
  { target, options, paths }: RequestedJob,
  env: Env,
  settings: IndexSettings,
): Promise<IndexRequest> {
  const repository = await tree.repository();
  const base = await baseCommit(tree, target, repository);
  const main = repository?.bare === true ? await tree.checkedOut() : undefined;
  return {
    jobId: env.uniqueWord() as JobId,
    project: await tree.idsProject(),
    tree: tree.row.id,
    root: tree.row.root,
    storeLocation: tree.row.storeLocation,
    ref: target.view,
    name: target.ref,
    ...(target.commit !== undefined && { commit: target.commit }),
    ...(target.from === "commit" && { from: "commit" }),
    ...(base !== undefined && { base: { ref: BASE_VIEW, commit: base } }),
    ...(repository !== undefined && { blobs: repository.blobs }),
    // The HEAD of a bare clone names the default branch of its origin; in a work tree it may name any branch.
    ...(main?.view.startsWith("refs/heads/") && { defaultRef: main.view }),
    mode: options.mode,
    force: options.force,
    // A commit is read as a whole or by what changed since another; rules that changed may concern all of it.
    ...(paths !== undefined && (target.from === "directory" || paths.includes(OUTSIDE_RULES)) && { paths }),
    settings,
  };
}

/** Views of commits and of further work trees are stored over a base; the first work tree's view has none. */
async function baseCommit(
  tree: Tree,
  target: ResolvedRef,
  repository: RepositoryInfo | undefined,
): Promise<string | undefined> {
  if (target.from === "directory" && repository?.linked !== true) return undefined;
  return (await tree.checkedOut()).commit ?? target.commit;
}

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
