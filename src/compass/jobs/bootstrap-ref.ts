/** Indexes a ref from its commit for a question about it, and waits for the job until the deadline. */
import { CompassError } from "../../model/errors.ts";
import type { Job } from "../../model/jobs.ts";
import type { FreshnessPolicy } from "../../model/status.ts";
import type { Env } from "../../ports/env.ts";
import type { Snapshot } from "../../ports/snapshot.ts";
import type { Tree } from "../projects/tree.ts";
import { BASE_VIEW, isWorkingView, type ResolvedRef, refOfView } from "../refs/resolve-ref.ts";
import type { JobRun } from "./job-run.ts";

export interface RefBootstrap {
  readonly policy: FreshnessPolicy;
  readonly deadline: Promise<void>;
  readonly env: Env;
}

const POLL_MS = 100;

/** Throws `overlay_not_ready` when the time is over, and what the job says when the ref cannot be read. */
export async function bootstrapRef(tree: Tree, target: ResolvedRef, options: RefBootstrap): Promise<Snapshot> {
  const store = await tree.store();
  if (options.policy === "best_effort") throw await refNotIndexed(tree, target);
  let inTime = true;
  const deadline = options.deadline.then(() => {
    inTime = false;
  });
  for (;;) {
    const run = tree.activeRun(target.view) ?? (await startQuietly(tree, target, deadline));
    // Another process may be writing: its lease is waited for, and what it made of this ref is as good.
    if (run === undefined) await Promise.race([options.env.sleep(POLL_MS), deadline]);
    else await Promise.race([run.report, deadline]);
    const snapshot = await store.snapshot(target.view);
    if (snapshot !== undefined) return snapshot;
    if (!inTime) throw notReady(target, run?.job());
  }
}

async function startQuietly(
  tree: Tree,
  { view }: ResolvedRef,
  deadline: Promise<unknown>,
): Promise<JobRun | undefined> {
  try {
    return await tree.start({ mode: "incremental", force: false, ref: view, deadline });
  } catch (error) {
    if (error instanceof CompassError && /_in_progress$/.test(error.code)) return undefined;
    throw error;
  }
}

function notReady({ ref }: ResolvedRef, job: Job | undefined): CompassError {
  return new CompassError("overlay_not_ready", {
    ref,
    ...(job !== undefined && { job_id: job.id }),
    suggestion: "Poll index_status with this ref, then ask again.",
  });
}

async function refNotIndexed(tree: Tree, target: ResolvedRef): Promise<CompassError> {
  const { ref, view } = target;
  const job = tree.activeRun(view)?.job() ?? (await tree.activeJob());
  if (job !== undefined && (job.ref === ref || job.ref === view)) return notReady(target, job);
  const all = (await (await tree.store()).views()).map((view) => view.ref);
  const views = all.filter((view) => view !== BASE_VIEW && !isWorkingView(view));
  const reason = "it is not indexed yet";
  const suggestion = "Call index_repo or sync_repo with this ref, or ask about it with the freshness policy balanced.";
  return new CompassError("ref_not_indexed", { ref, reason, indexed_refs: views.map(refOfView), suggestion });
}
