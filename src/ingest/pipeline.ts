/**
 * The write path: take the lease → compare the tree with the view → read the changed files → publish once.
 *
 * Stored files stay when a run is cancelled or fails, so the next run continues there. The result depends only on paths
 * and contents, not on the speed of the workers.
 */
import { CompassError } from "../model/errors.ts";
import type { JobId } from "../model/ids.ts";
import type { IndexReport, JobProgress } from "../model/jobs.ts";
import { OUTSIDE_RULES } from "../model/paths.ts";
import type { IndexRequest } from "../ports/indexer.ts";
import type { ViewChange, ViewInfo } from "../ports/snapshot.ts";
import type { Store } from "../ports/store.ts";
import type { GitObjects } from "../ports/vcs.ts";
import { type ChangePlan, Comparison, fileChanges, type PendingChanges } from "./changes.ts";
import { embedMissing } from "./embed.ts";
import { readTouched } from "./read-touched.ts";
import { buildOrRebuild } from "./rebuild-damaged.ts";
import {
  collectWith,
  findView,
  type IndexRun,
  JobLog,
  type PipelinePorts,
  type RunLog,
  readsCommit,
  rebuildsIndex,
  runStep,
  type ViewBuild,
  withLease,
} from "./run.ts";
import { commitSource, directorySource, type TreeSource, unchangedSource } from "./tree-source.ts";

export function index(
  request: IndexRequest,
  ports: PipelinePorts,
  onProgress: (progress: JobProgress) => void,
  signal: AbortSignal,
): Promise<IndexReport> {
  const log = new JobLog(request, ports.store, ports.env, onProgress);
  return withLease(ports, signal, async (lease, until) => {
    try {
      // The base may take long: report now that the job holds the lease.
      await log.update({});
      const run = { request, ports, log, lease, signal: until, resets: rebuildsIndex(request) };
      const report = await buildOrRebuild(run, buildWithBase);
      if (report.published && report.isCollectionDue) {
        if (ports.onGarbage === undefined) await collectWith(lease, ports.store);
        else ports.onGarbage();
      }
      return report;
    } catch (error) {
      // The caller needs this error even if the job's row cannot be written.
      await log.failed(error).catch(() => {});
      throw error;
    }
  });
}

async function buildWithBase(run: IndexRun): Promise<IndexReport> {
  const base = await prepareBase(run);
  const { parsedFiles: read = 0, resets = run.resets } = base;
  const report = await build({ ...run, resets }, base);
  // The first view of a bare clone equals its base and would otherwise report no work.
  return { ...report, changedFiles: report.changedFiles + read, parsedFiles: report.parsedFiles + read };
}

/** What building the base has done for the view. */
interface BaseResult {
  /** The base was created from the same commit. */
  readonly isSameCommit?: true;
  readonly parsedFiles?: number;
  /** Every file of the base was parsed in this job. */
  readonly isRead?: boolean;
  /** False: the base has started the new index already. */
  readonly resets?: false;
}

/** Builds the base of a view as a part of the view's job. */
async function prepareBase(run: IndexRun): Promise<BaseResult> {
  const { ports, request } = run;
  const base = run.resets ? requestNewBase(request) : await requestMissingBase(request, ports);
  if (base === undefined) return {};
  const isFirst = run.resets || (await findView(ports.store, base.ref)) === undefined;
  try {
    const { parsedFiles, changedFiles } = await build({ ...run, request: base, log: baseLog(run.log) }, {});
    const isSameCommit = isFirst && readsCommit(request) && base.commit === request.commit;
    return {
      parsedFiles,
      isRead: isFirst && changedFiles === parsedFiles,
      ...(isSameCommit && { isSameCommit }),
      ...(run.resets && { resets: false }),
    };
  } catch (error) {
    // A view without a base is larger but correct.
    if (!(error instanceof CompassError && error.code === "ref_not_indexed")) throw error;
    return {};
  }
}

/** Hides the end of the base from the caller, whose own files follow. */
function baseLog(log: RunLog): RunLog {
  return {
    get progress() {
      return log.progress;
    },
    update: (change) => (change.stage === "finalizing" ? Promise.resolve() : log.update(change)),
    published: async () => {},
  };
}

async function build(run: IndexRun, base: BaseResult): Promise<IndexReport> {
  const { request, ports, lease, resets } = run;
  const startedAt = ports.env.monotonic();
  const options = {
    ...(request.base !== undefined && { base: request.base.ref }),
    ...(request.defaultRef !== undefined && { defaultRef: request.defaultRef }),
  };
  const begun = await ports.store.begin(lease, request.ref, resets ? "reset" : "update", options);
  const building: ViewBuild = { ...run, build: begun };
  try {
    const source = await runStep(run, "entries", () => openSource(building, base));
    // Not earlier: a run that does not get the lease or finds most files stored needs no workers.
    const isNew = source.known.entries.size === 0;
    const warm = (files: number) => (isNew ? ports.parsers.warm(request.settings, files) : undefined);
    warm(1);
    const plan = await runStep(run, "walk", () => compare(run, source, warm));
    const parsedFiles = await readTouched(plan, building, source);
    const files = fileChanges(plan.changes, source.known);
    const removedFiles = files.filter((change) => "removed" in change).length;
    const changedFiles = files.length - removedFiles;
    const { isRead = request.base === undefined } = base;
    const { published, info } = await publish({ ...plan, stamps: source.stamps(plan) }, building, {
      files: files.length,
      isRead: isRead && changedFiles === parsedFiles,
    });
    const { generation, coverage, symbolCount } = info;
    return {
      ...{ generation, coverage, symbolCount, published, changedFiles, removedFiles, parsedFiles },
      isCollectionDue: begun.isCollectionDue(),
      hashedFiles: plan.tasks.length,
      durationMs: Math.round(ports.env.monotonic() - startedAt),
    };
  } catch (error) {
    await begun.abort().catch(() => {});
    throw error;
  }
}

async function openSource({ request, ports, build }: ViewBuild, base: BaseResult): Promise<TreeSource> {
  if (base.isSameCommit) return unchangedSource;
  if (!readsCommit(request)) return directorySource(request, { build, files: ports.files });
  const since = await shownCommit(request, ports.store);
  return commitSource(request, { build, objects: ports.objects!, since });
}

/** The commit of the view or its base; undefined when the whole tree must be compared. */
async function shownCommit(request: IndexRequest, store: Store): Promise<string | undefined> {
  const { mode, ref, base, paths } = request;
  if (mode === "full" || rebuildsIndex(request) || paths?.includes(OUTSIDE_RULES)) return undefined;
  return ((await findView(store, ref)) ?? (base && (await findView(store, base.ref))))?.commit;
}

async function compare(
  { request, log, signal }: IndexRun,
  { known, scope, walk }: TreeSource,
  onSeen: (files: number) => void,
): Promise<ChangePlan> {
  const comparison = new Comparison(known, scope, request.settings);
  const before = log.progress.filesScanned;
  for await (const batch of walk(signal)) {
    signal.throwIfAborted();
    for (const item of batch) comparison.add(item);
    onSeen(comparison.filesSeen);
    await log.update({ filesScanned: before + comparison.filesSeen });
  }
  return comparison.finish();
}

/** A view with more changed files than this share becomes a new base. */
const TOO_DIFFERENT = 0.25;
const FEW_FILES = 400;

/**
 * The request for a missing base. A base is the complete view of a commit that other views are stored as differences to.
 * It is created with the first other view and replaced when a new view has little in common with it; existing views keep
 * using the generation that they were created with.
 */
export async function requestMissingBase(
  request: IndexRequest,
  ports: { readonly store: Store; readonly objects?: GitObjects },
): Promise<IndexRequest | undefined> {
  const { base, commit } = request;
  const created = requestNewBase(request);
  if (base === undefined || created === undefined || ports.objects === undefined) return undefined;
  const views = await ports.store.views();
  // An existing view has its base already.
  if (views.some((view) => view.ref === request.ref)) return undefined;
  const present = views.find((view) => view.ref === base.ref);
  if (present === undefined) return created;
  if (present.commit === undefined || commit === undefined) return undefined;
  const changed = await ports.objects.changed(request.root, present.commit, commit);
  const many = Math.max(FEW_FILES, present.fileCount * TOO_DIFFERENT);
  return changed === undefined || changed.length > many ? requestForCommit(request, base.ref, commit) : undefined;
}

/** The request for the base in a store without views. */
function requestNewBase(request: IndexRequest): IndexRequest | undefined {
  const { base } = request;
  return base === undefined || rebuildsIndex(request) ? undefined : requestForCommit(request, base.ref, base.commit);
}

function requestForCommit(request: IndexRequest, ref: string, commit: string): IndexRequest {
  const { base: _, paths: __, ...rest } = request;
  const isCheckout = request.from === undefined && { isCheckout: true as const };
  return {
    ...{ ...rest, ref, name: ref, commit, ...isCheckout },
    jobId: `${request.jobId}-base` as JobId,
    from: "commit",
    mode: "incremental",
    force: false,
  };
}

interface PublishResult {
  /** Whether the view has changed. */
  readonly published: boolean;
  readonly info: ViewInfo;
}

/** Publishes the changes, then missing vectors; nothing if there are none. */
async function publish(
  plan: PendingChanges,
  run: ViewBuild,
  changed: { readonly files: number; readonly isRead: boolean },
): Promise<PublishResult> {
  const { request, ports, log, build, signal, resets } = run;
  await log.update({ stage: "finalizing" });
  if (plan.stamps.length > 0) await build.restamp(request.tree ?? request.project, plan.stamps);
  // An index that is being replaced may be unreadable.
  const before = resets ? undefined : await findView(ports.store, request.ref);
  const needed =
    resets ||
    plan.changes.length > 0 ||
    before === undefined ||
    before.commit !== request.commit ||
    lacksObjects(before, request);
  signal.throwIfAborted();
  if (needed) await publishChanges(plan.changes, run, request.jobId);
  const embedded = await publishMissingVectors(run, before === undefined && changed.isRead);
  await runStep(run, "finish", () => log.published(changed.files));
  const published = needed || embedded;
  return { published, info: (published ? await findView(ports.store, request.ref) : before)! };
}

/** Publishing records when missing blobs of a partial clone were last checked; later fetches are newer than that. */
function lacksObjects({ coverage }: ViewInfo, request: IndexRequest): boolean {
  return readsCommit(request) && (coverage.skippedReasons.unreadable ?? 0) > 0;
}

/** The built-in model embeds files as they are parsed; an explicit run also embeds files that were parsed without it. */
async function publishMissingVectors(run: ViewBuild, isAllRead: boolean): Promise<boolean> {
  const { request, ports, build, signal } = run;
  const { embedders, store } = ports;
  if (embedders === undefined) return false;
  if (embedders.inParsers && (request.mode !== "full" || isAllRead)) return false;
  const files = await runStep(run, "embed", () => embedMissing({ request, store, build, embedders, signal }));
  if (files > 0) await publishChanges([], run, `${request.jobId}-vectors` as JobId);
  return files > 0;
}

async function publishChanges(
  changes: readonly ViewChange[],
  { request, ports, build }: ViewBuild,
  jobId: JobId,
): Promise<void> {
  await build.publish({
    jobId,
    changes: changes.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
    ...(request.commit !== undefined && { commit: request.commit }),
    uncounted: {},
    publishedAt: ports.env.now(),
  });
}
