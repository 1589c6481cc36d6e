/** How far an answer about a view can be trusted, computed once per request. */
import { isParseFailure, PARSE_GAVE_UP } from "../../model/code.ts";
import { CompassError } from "../../model/errors.ts";
import type { FreshnessPolicy } from "../../model/status.ts";
import type { Env } from "../../ports/env.ts";
import type { Snapshot } from "../../ports/snapshot.ts";
import type { SchemaReport, Store } from "../../ports/store.ts";
import type { ViewStatus } from "../compass.ts";
import { bootstrapRef } from "../jobs/bootstrap-ref.ts";
import type { CompassPorts } from "../ports.ts";
import type { Tree } from "../projects/tree.ts";
import type { ResolvedRef } from "../refs/resolve-ref.ts";
import { type Drift, driftReason, firstFew, staleWarning } from "./drift.ts";

export interface PinnedAnswer {
  readonly snapshot: Snapshot | undefined;
  readonly target: ResolvedRef;
  readonly status: ViewStatus;
}

export interface PinOptions {
  readonly ref?: string;
  readonly policy: FreshnessPolicy;
  readonly bootstrapWaitMs: number;
  readonly builds?: false;
}

/** Pins the view of a call, builds it first where nothing is indexed, and judges its freshness by the policy. */
export async function pin(tree: Tree, options: PinOptions, ports: CompassPorts): Promise<PinnedAnswer> {
  const target = await tree.resolve(options.ref);
  const store = await tree.store();
  const bootstrap = { target, options, env: ports.env };
  const snapshot = (await latest(tree, store, target)) ?? (await buildFirst(tree, bootstrap));
  if (snapshot === undefined) return { snapshot, target, status: await emptyStatus(tree, target, options.policy) };
  try {
    return { snapshot, target, status: await judgeView(tree, snapshot, target, options.policy) };
  } catch (error) {
    snapshot.release();
    throw error;
  }
}

/** In a state that a job has replaced meanwhile, all that the job has read would seem to differ, and be synced again. */
async function latest(tree: Tree, store: Store, { view, seen }: ResolvedRef): Promise<Snapshot | undefined> {
  const run = tree.activeRun(view);
  const snapshot = await store.snapshot(view, undefined, seen);
  if (run === undefined || tree.activeRun(view) === run) return snapshot;
  snapshot?.release();
  return store.snapshot(view);
}

/** Query tools refuse an index they cannot read; an absent one is not an error. */
export function requireReadable(report: SchemaReport): void {
  if (report.status !== "reindex_required" && report.status !== "corrupt_manifest") return;
  throw new CompassError("index_incompatible", {
    reason: report.damage ?? report.message ?? report.status,
    ...(report.damage !== undefined && { cause: "damaged" }),
    schema_status: report.status,
    current_schema_version: report.currentVersion,
    required_schema_version: report.requiredVersion,
  });
}

interface Bootstrap {
  readonly target: ResolvedRef;
  readonly options: PinOptions;
  readonly env: Env;
}

/** The view's first state: built now where the policy allows, waited for a little. */
async function buildFirst(tree: Tree, { target, options, env }: Bootstrap): Promise<Snapshot | undefined> {
  const store = await tree.store();
  requireReadable(await store.inspect());
  if (target.from === "published") throw new CompassError("index_not_ready", { workspace: tree.row.root });
  const deadline = env.sleep(options.bootstrapWaitMs);
  const policy = options.builds === false ? "best_effort" : options.policy;
  if (target.from === "commit") return bootstrapRef(tree, target, { policy, deadline, env });
  if (options.policy === "best_effort" || options.builds === false) return undefined;
  const run = tree.activeRun(target.view) ?? (await startQuietly(tree));
  if (run === undefined) await waitForOtherBuild(store, target.view, env, deadline);
  else await Promise.race([run.finished, deadline]);
  const snapshot = await store.snapshot(target.view);
  if (snapshot === undefined && options.policy === "strict") {
    const { indexing } = await emptyStatus(tree, target, options.policy);
    throw new CompassError("index_not_ready", { workspace: tree.row.root, indexing_status: indexing });
  }
  return snapshot;
}

const POLL_MS = 100;

/** Another process builds this index: its first state is waited for as one of our own would be. */
async function waitForOtherBuild(store: Store, ref: string, env: Env, deadline: Promise<void>): Promise<void> {
  let waiting = true;
  void deadline.then(() => {
    waiting = false;
  });
  while (waiting && !(await store.views()).some((view) => view.ref === ref)) {
    await Promise.race([env.sleep(POLL_MS), deadline]);
  }
}

/** Another process may be building this very index: then there is nothing to start. */
export async function startQuietly(tree: Tree) {
  try {
    return await tree.start({ mode: "full", force: false });
  } catch (error) {
    if (error instanceof CompassError && /_in_progress$/.test(error.code)) return tree.activeRun();
    throw error;
  }
}

/** Starts the first build of a tree that has none, and does not wait for it. */
export async function bootstrapSoon(tree: Tree): Promise<void> {
  if (tree.activeRun() !== undefined) return;
  const now = await tree.checkedOut();
  if ((await (await tree.store()).views()).some((view) => view.ref === now.view)) return;
  if ((await tree.activeJob()) === undefined) await startQuietly(tree);
}

async function emptyStatus(tree: Tree, { ref }: ResolvedRef, policy: FreshnessPolicy): Promise<ViewStatus> {
  const job = await tree.activeJob();
  const failed = job === undefined && (await (await tree.store()).jobs(1))[0]?.status === "failed";
  return {
    ref,
    freshness: job === undefined ? "stale" : "syncing",
    indexing: job !== undefined ? "indexing" : failed ? "failed" : "not_indexed",
    schema: "not_indexed",
    complete: false,
    warnings: [...(await tree.warnings()), nothingYet(policy)],
  };
}

function nothingYet(policy: FreshnessPolicy): string {
  return policy === "best_effort"
    ? "Nothing is indexed yet: call index_repo first."
    : "The first index is still being built: this answer looked at nothing. Poll index_status and ask again.";
}

async function judgeView(
  tree: Tree,
  snapshot: Snapshot,
  target: ResolvedRef,
  policy: FreshnessPolicy,
): Promise<ViewStatus> {
  // A job that runs has taken the reported paths off the list: until it is published, the view is behind them.
  const syncing = tree.activeRun(target.view) !== undefined;
  if (target.from === "directory" && snapshot.info.commit !== target.commit) void tree.layers.prepare(target);
  const drift = await tree.drift(snapshot, target, policy === "strict" ? "look" : undefined);
  if (policy === "strict" && drift !== undefined) throw staleError(drift, tree);
  if (policy === "strict" && syncing) throw syncingError(snapshot, target);
  // A job that ended during this computation has made another state, and was followed by whatever was left to do.
  if (policy === "balanced" && drift !== undefined && !syncing)
    await tree.syncSoon(drift, target.from === "commit" ? target.view : undefined);
  const { coverage } = snapshot.info;
  const lacking = target.from !== "directory" ? (coverage.skippedReasons.unreadable ?? 0) : 0;
  return {
    ref: target.ref,
    freshness: syncing ? "syncing" : drift === undefined ? "fresh" : "stale",
    indexing: "ready",
    schema: "compatible",
    coverage,
    ...(target.from === "published" && { published: describePublication(snapshot) }),
    complete: lacking === 0,
    warnings: [
      ...(await tree.warnings()),
      ...(drift === undefined ? [] : [staleWarning(drift)]),
      ...(lacking === 0 ? [] : [`${lacking} files of ${target.ref} are not in this clone and were not looked at.`]),
    ],
    ...(coverage.skippedReasons[PARSE_GAVE_UP] && { symbolGaps: [await gapWarning(snapshot)] }),
  };
}

async function gapWarning(snapshot: Snapshot): Promise<string> {
  const all = await snapshot.problems(Number.MAX_SAFE_INTEGER);
  const paths = all.filter(({ problem }) => isParseFailure(problem)).map(({ path }) => path);
  return `Symbols are missing: these files could not be parsed and are indexed as text only: ${firstFew(paths)}. Read them directly; index_repo tries them again.`;
}

function describePublication({ info }: Snapshot): NonNullable<ViewStatus["published"]> {
  return { ...(info.commit !== undefined && { commit: info.commit }), at: info.publishedAt };
}

/** What the job will change is not known yet. */
function syncingError({ info }: Snapshot, now: ResolvedRef): CompassError {
  return new CompassError("index_stale", {
    reason: "a sync is running",
    last_indexed_commit: info.commit ?? null,
    current_head: now.commit ?? null,
    suggestion: "Poll index_status until the running job is published, then ask again.",
  });
}

function staleError(drift: Drift, { readsOnly }: Tree): CompassError {
  const suggestion = "Call sync_repo to update the index before querying.";
  return new CompassError("index_stale", {
    reason: driftReason(drift),
    last_indexed_commit: drift.lastIndexedCommit ?? null,
    current_head: drift.currentHead ?? null,
    changed_files: drift.paths.length,
    ...(readsOnly ? { read_only: true } : { suggestion }),
  });
}
