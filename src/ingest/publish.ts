/** The end of a run: one publication shows what differs, another the vectors that were missing; none where nothing did. */
import type { JobId } from "../model/ids.ts";
import type { IndexRequest } from "../ports/indexer.ts";
import type { ViewInfo } from "../ports/view.ts";
import type { Difference } from "./changes.ts";
import { embedMissing } from "./embed-missing.ts";
import { type Building, infoOf, isOfCommit, step } from "./run.ts";

export interface Published {
  /** Whether the view is another now. */
  readonly published: boolean;
  readonly info: ViewInfo;
}

export interface Changed {
  readonly files: number;
  /** Whether the parsers have read in this job whatever a new view shows. */
  readonly isRead: boolean;
}

export async function publish(plan: Difference, run: Building, changed: Changed): Promise<Published> {
  const { request, ports, log, build, signal, resets } = run;
  await log.update({ stage: "finalizing" });
  if (plan.stamps.length > 0) await build.restamp(request.tree ?? request.project, plan.stamps);
  // What a reset replaces may be beyond reading.
  const before = resets ? undefined : await infoOf(ports.store, request.ref);
  const needed =
    resets ||
    plan.changes.length > 0 ||
    before === undefined ||
    before.commit !== request.commit ||
    lacksObjects(before, request);
  signal.throwIfAborted();
  if (needed) await show(plan, run);
  const embedded = await showMissingVectors(run, before === undefined && changed.isRead);
  await step(run, "finish", () => log.published(changed.files));
  const published = needed || embedded;
  return { published, info: (published ? await infoOf(ports.store, request.ref) : before)! };
}

/** What a partial clone lacks was looked for once more: the view's time says since when a fetch would make a difference. */
function lacksObjects({ coverage }: ViewInfo, request: IndexRequest): boolean {
  return isOfCommit(request) && (coverage.skippedReasons.unreadable ?? 0) > 0;
}

/** The built-in model has embedded what was read; an explicit run looks for what was read before, without it. */
async function showMissingVectors(run: Building, isAllRead: boolean): Promise<boolean> {
  const { request, ports, build, signal } = run;
  const { embedders, store } = ports;
  if (embedders === undefined) return false;
  if (embedders.inParsers && (request.mode !== "full" || isAllRead)) return false;
  const files = await step(run, "embed", () => embedMissing({ request, store, build, embedders, signal }));
  if (files === 0) return false;
  await show({ changes: [] }, run, `${request.jobId}-vectors` as JobId);
  return true;
}

async function show({ changes }: Pick<Difference, "changes">, run: Building, jobId?: JobId): Promise<void> {
  const { request, ports, build } = run;
  await build.publish({
    jobId: jobId ?? request.jobId,
    changes: changes.sort((a, b) => (a.path < b.path ? -1 : 1)),
    ...(request.commit !== undefined && { commit: request.commit }),
    uncounted: {},
    publishedAt: ports.env.now(),
  });
}
