/** The end of a run: one publication shows what differs, another the vectors that were missing; none where nothing did. */
import type { JobId } from "../model/ids.ts";
import type { IndexRequest } from "../ports/indexer.ts";
import type { ViewInfo } from "../ports/view.ts";
import type { PendingChanges } from "./changes.ts";
import { embedMissing } from "./embed-missing.ts";
import { findView, readsCommit, runStep, type ViewBuild } from "./run.ts";

export interface PublishResult {
  /** Whether the view is another now. */
  readonly published: boolean;
  readonly info: ViewInfo;
}

export interface ChangeSummary {
  readonly files: number;
  /** Whether the parsers have read in this job whatever a new view shows. */
  readonly isRead: boolean;
}

export async function publish(plan: PendingChanges, run: ViewBuild, changed: ChangeSummary): Promise<PublishResult> {
  const { request, ports, log, build, signal, resets } = run;
  await log.update({ stage: "finalizing" });
  if (plan.stamps.length > 0) await build.restamp(request.tree ?? request.project, plan.stamps);
  // What a reset replaces may be beyond reading.
  const before = resets ? undefined : await findView(ports.store, request.ref);
  const needed =
    resets ||
    plan.changes.length > 0 ||
    before === undefined ||
    before.commit !== request.commit ||
    lacksObjects(before, request);
  signal.throwIfAborted();
  if (needed) await publishChanges(plan, run);
  const embedded = await publishMissingVectors(run, before === undefined && changed.isRead);
  await runStep(run, "finish", () => log.published(changed.files));
  const published = needed || embedded;
  return { published, info: (published ? await findView(ports.store, request.ref) : before)! };
}

/** What a partial clone lacks was looked for once more: the view's time says since when a fetch would make a difference. */
function lacksObjects({ coverage }: ViewInfo, request: IndexRequest): boolean {
  return readsCommit(request) && (coverage.skippedReasons.unreadable ?? 0) > 0;
}

/** The built-in model has embedded what was read; an explicit run looks for what was read before, without it. */
async function publishMissingVectors(run: ViewBuild, isAllRead: boolean): Promise<boolean> {
  const { request, ports, build, signal } = run;
  const { embedders, store } = ports;
  if (embedders === undefined) return false;
  if (embedders.inParsers && (request.mode !== "full" || isAllRead)) return false;
  const files = await runStep(run, "embed", () => embedMissing({ request, store, build, embedders, signal }));
  if (files === 0) return false;
  await publishChanges({ changes: [] }, run, `${request.jobId}-vectors` as JobId);
  return true;
}

async function publishChanges(
  { changes }: Pick<PendingChanges, "changes">,
  run: ViewBuild,
  jobId?: JobId,
): Promise<void> {
  const { request, ports, build } = run;
  await build.publish({
    jobId: jobId ?? request.jobId,
    changes: changes.sort((a, b) => (a.path < b.path ? -1 : 1)),
    ...(request.commit !== undefined && { commit: request.commit }),
    uncounted: {},
    publishedAt: ports.env.now(),
  });
}
