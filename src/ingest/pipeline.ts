/**
 * The write path, in its order: lease → compare the tree with the view → read what was touched → publish once.
 *
 * Whatever was put stays when a run is cancelled or fails, so the next one continues there. The result does not depend
 * on which worker was faster: how requests are cut, and the order in which they are stored, hang on paths and sizes alone.
 */
import { CompassError } from "../model/errors.ts";
import type { JobId } from "../model/ids.ts";
import type { IndexReport, JobProgress } from "../model/jobs.ts";
import { OUTSIDE_RULES } from "../model/paths.ts";
import type { Build } from "../ports/build.ts";
import type { IndexRequest } from "../ports/indexer.ts";
import type { Store } from "../ports/store.ts";
import type { GitObjects } from "../ports/vcs.ts";
import type { ViewChange, ViewInfo } from "../ports/view.ts";
import { type ChangePlan, Comparison, fileChanges, type PendingChanges } from "./changes.ts";
import { embedMissing } from "./embed.ts";
import { readTouched } from "./read-touched.ts";
import { buildOrRebuild } from "./rebuild-damaged.ts";
import {
  collectWith,
  findView,
  type IndexRun,
  isCollectionDue,
  JobLog,
  type PipelinePorts,
  type RunLog,
  readsCommit,
  rebuildsIndex,
  runStep,
  type ViewBuild,
  withLease,
} from "./run.ts";
import {
  type CommitListing,
  commitSource,
  directorySource,
  listCommit,
  type TreeSource,
  unchangedSource,
} from "./tree-source.ts";

type Tell = (progress: JobProgress) => void;

export function index(
  request: IndexRequest,
  ports: PipelinePorts,
  tell: Tell,
  signal: AbortSignal,
): Promise<IndexReport> {
  const log = new JobLog(request, ports.store, ports.env, tell);
  const listed = listAhead(request, ports, signal);
  return withLease(ports, signal, async (lease, until) => {
    try {
      // The base may take long: whoever started the job hears now that it holds the lease.
      await log.update({});
      const run = { request, ports, log, lease, signal: until, resets: rebuildsIndex(request) };
      const report = await buildOrRebuild(run, (attempt) => buildWithBase(attempt, { listed }));
      if (report.published && isCollectionDue(report.generation)) {
        if (ports.onGarbage === undefined) await collectWith(lease, ports.store);
        else ports.onGarbage();
      }
      return report;
    } catch (error) {
      // The row is for others to read; the caller needs the first error even when the row cannot be written.
      await log.failed(error).catch(() => {});
      throw error;
    }
  });
}

async function buildWithBase(run: IndexRun, known: BuildContext): Promise<IndexReport> {
  const foreknown = await prepareBase(run, known);
  const { read = 0, resets = run.resets } = foreknown;
  const own = await build({ ...run, resets }, foreknown);
  // A bare clone's first view shows what its base has read, and would seem to have done nothing.
  return { ...own, changedFiles: own.changedFiles + read, parsedFiles: own.parsedFiles + read };
}

/** What is known of a tree beside what the store says. */
interface BuildContext {
  /** Of the first commit that is read. */
  readonly listed?: Promise<CommitListing> | undefined;
  /** The view's base was made of the same commit a moment ago. */
  readonly isBase?: true;
  /** Files that were read for the base; `isRead`: all that it shows. */
  readonly read?: number;
  readonly isRead?: boolean;
  /** False: the base has begun the new index already, and the view goes into it. */
  readonly resets?: false;
}

/** While a new store is made, the tree is listed: nothing of it can be known. */
function listAhead(
  request: IndexRequest,
  { objects, isNew }: PipelinePorts,
  signal: AbortSignal,
): BuildContext["listed"] {
  const first = requestNewBase(request) ?? request;
  if (isNew !== true || objects === undefined || !readsCommit(first)) return undefined;
  const listed = listCommit(first, objects, signal);
  // Told to whoever asks for it, if the lease is had.
  listed.catch(() => {});
  return listed;
}

/** The base of a view is built on the way, as a part of its job. */
async function prepareBase(run: IndexRun, foreknown: BuildContext): Promise<BuildContext> {
  const { ports, request } = run;
  const base = run.resets ? requestNewBase(request) : await requestMissingBase(request, ports);
  if (base === undefined) return foreknown;
  const isFirst = run.resets || (await findView(ports.store, base.ref)) === undefined;
  try {
    const made = await build({ ...run, request: base, log: baseLog(run.log) }, foreknown);
    const isBase = isFirst && readsCommit(request) && base.commit === request.commit;
    const isRead = isFirst && made.changedFiles === made.parsedFiles;
    return { read: made.parsedFiles, isRead, ...(isBase && { isBase }), ...(run.resets && { resets: false }) };
  } catch (error) {
    // A view without a base is larger, and as right.
    if (!(error instanceof CompassError && error.code === "ref_not_indexed")) throw error;
    return {};
  }
}

/** To the caller, whose own files come after it, the base is never the end. */
function baseLog(log: RunLog): RunLog {
  return {
    get progress() {
      return log.progress;
    },
    update: (change) => (change.stage === "finalizing" ? Promise.resolve() : log.update(change)),
    published: async () => {},
  };
}

async function build(run: IndexRun, foreknown: BuildContext): Promise<IndexReport> {
  const { ports } = run;
  const startedAt = ports.env.monotonic();
  const building: ViewBuild = { ...run, build: await begin(run) };
  try {
    const source = await runStep(run, "entries", () => openSource(building, foreknown));
    // Not earlier: whoever does not get the lease, or finds most files known, has no use for workers.
    if (source.known.entries.size === 0) ports.parsers.warm(run.request.settings);
    const plan = await runStep(run, "walk", () => compare(run, source));
    const parsedFiles = await readTouched(plan, building, source);
    const files = fileChanges(plan.changes, source.known);
    const counts = countChanges(files);
    const { isRead = run.request.base === undefined } = foreknown;
    const published = await publish({ ...plan, stamps: source.stamps(plan) }, building, {
      files: files.length,
      isRead: isRead && counts.changedFiles === parsedFiles,
    });
    return {
      ...reportOf(plan, published),
      ...counts,
      parsedFiles,
      durationMs: Math.round(ports.env.monotonic() - startedAt),
    };
  } catch (error) {
    await building.build.abort().catch(() => {});
    throw error;
  }
}

function begin({ request, ports, lease, resets }: IndexRun): Promise<Build> {
  const options = {
    ...(request.base !== undefined && { base: request.base.ref }),
    ...(request.defaultRef !== undefined && { defaultRef: request.defaultRef }),
  };
  return ports.store.begin(lease, request.ref, resets ? "reset" : "update", options);
}

async function openSource({ request, ports, build }: ViewBuild, foreknown: BuildContext): Promise<TreeSource> {
  if (foreknown.isBase) return unchangedSource;
  if (!readsCommit(request)) return directorySource(request, { build, files: ports.files });
  const [listed, since] = [await foreknown.listed, await shownCommit(request, ports.store)];
  return commitSource(request, { build, objects: ports.objects!, since, listed });
}

/** What the view shows now, or its base; who asks for all to be looked at does not rely on it. */
async function shownCommit(request: IndexRequest, store: Store): Promise<string | undefined> {
  const { mode, ref, base, paths } = request;
  if (mode === "full" || rebuildsIndex(request) || paths?.includes(OUTSIDE_RULES)) return undefined;
  return ((await findView(store, ref)) ?? (base && (await findView(store, base.ref))))?.commit;
}

async function compare({ request, log, signal }: IndexRun, { known, scope, walk }: TreeSource): Promise<ChangePlan> {
  const comparison = new Comparison(known, scope, request.settings);
  const before = log.progress.filesScanned;
  for await (const batch of walk(signal)) {
    signal.throwIfAborted();
    for (const item of batch) comparison.add(item);
    await log.update({ filesScanned: before + comparison.filesSeen });
  }
  return comparison.finish();
}

function countChanges(files: readonly ViewChange[]) {
  const removedFiles = files.filter((change) => "removed" in change).length;
  return { changedFiles: files.length - removedFiles, removedFiles };
}

function reportOf({ tasks }: ChangePlan, { published, info }: PublishResult) {
  return {
    generation: info.generation,
    published,
    hashedFiles: tasks.length,
    coverage: info.coverage,
    symbolCount: info.symbolCount,
  };
}

/** A view that differs in more than this part of the files would rather be a base itself. */
const TOO_DIFFERENT = 0.25;
const FEW_FILES = 400;

/** What has to be indexed before the request, if anything. */
export async function requestMissingBase(
  request: IndexRequest,
  ports: { readonly store: Store; readonly objects?: GitObjects },
): Promise<IndexRequest | undefined> {
  const { base, commit } = request;
  const made = requestNewBase(request);
  if (base === undefined || made === undefined || ports.objects === undefined) return undefined;
  const views = await ports.store.views();
  // An existing view has its base already.
  if (views.some((view) => view.ref === request.ref)) return undefined;
  const present = views.find((view) => view.ref === base.ref);
  if (present === undefined) return made;
  if (present.commit === undefined || commit === undefined) return undefined;
  const changed = await ports.objects.changed(request.root, present.commit, commit);
  const many = Math.max(FEW_FILES, present.fileCount * TOO_DIFFERENT);
  return changed === undefined || changed.length > many ? requestForCommit(request, base.ref, commit) : undefined;
}

/** The same where the store has no view yet. */
function requestNewBase(request: IndexRequest): IndexRequest | undefined {
  const { base } = request;
  return base === undefined || rebuildsIndex(request) ? undefined : requestForCommit(request, base.ref, base.commit);
}

function requestForCommit(request: IndexRequest, ref: string, commit: string): IndexRequest {
  const { base: _, paths: __, ...rest } = request;
  const jobId = `${request.jobId}-base` as JobId;
  const isCheckout = request.from === undefined && { isCheckout: true as const };
  const of = { ref, name: ref, commit, from: "commit", ...isCheckout } as const;
  return { ...rest, ...of, jobId, mode: "incremental", force: false };
}

interface PublishResult {
  /** Whether the view is another now. */
  readonly published: boolean;
  readonly info: ViewInfo;
}

interface ChangeSummary {
  readonly files: number;
  /** Whether the parsers have read in this job whatever a new view shows. */
  readonly isRead: boolean;
}

async function publish(plan: PendingChanges, run: ViewBuild, changed: ChangeSummary): Promise<PublishResult> {
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
