/** How far an answer about a view can be trusted, worked out once per request. */
import { CompassError } from "../model/errors.ts";
import type { FreshnessPolicy } from "../model/status.ts";
import type { Env } from "../ports/env.ts";
import type { SchemaReport, Snapshot, Store } from "../ports/store.ts";
import type { Standing } from "./compass.ts";
import { type Drift, driftReason } from "./freshness.ts";
import type { CompassPorts } from "./ports.ts";
import type { CheckedOut } from "./refs.ts";
import type { Tree } from "./tree.ts";

export interface Pinned {
  readonly snapshot: Snapshot | undefined;
  readonly standing: Standing;
}

export interface PinOptions {
  readonly ref?: string;
  readonly policy: FreshnessPolicy;
  readonly bootstrapWaitMs: number;
}

/** Pins the view a call speaks of, builds it first where nothing is indexed, and judges its freshness by the policy. */
export async function pin(tree: Tree, options: PinOptions, ports: CompassPorts): Promise<Pinned> {
  const now = await tree.checkedOut();
  const ref = options.ref ?? now.ref;
  const store = await tree.store();
  if (ref === now.ref) await lookAhead(tree, ref);
  const snapshot = (await store.snapshot(ref)) ?? (await bootstrapped(tree, { ref, now, options, env: ports.env }));
  if (snapshot === undefined) return { snapshot, standing: await emptyStanding(tree, ref, options.policy) };
  try {
    return { snapshot, standing: await judged(tree, snapshot, now, options.policy, ports) };
  } catch (error) {
    snapshot.release();
    throw error;
  }
}

/** The disk is looked at while the view is loaded. */
export async function lookAhead(tree: Tree, ref: string): Promise<void> {
  if (!tree.mustLook()) return;
  const view = (await (await tree.store()).views()).find((one) => one.ref === ref);
  if (view !== undefined) tree.lookAhead(view.fileCount);
}

/** Query tools refuse an index they cannot read; an absent one is not an error. */
export function requireReadable(report: SchemaReport): void {
  if (report.status !== "reindex_required" && report.status !== "corrupt_manifest") return;
  throw new CompassError("index_incompatible", {
    reason: report.message ?? report.status,
    schema_status: report.status,
    current_schema_version: report.currentVersion,
    required_schema_version: report.requiredVersion,
  });
}

interface Bootstrap {
  readonly ref: string;
  readonly now: CheckedOut;
  readonly options: PinOptions;
  readonly env: Env;
}

/** The view's first state: built now where the policy allows, waited for a little. */
async function bootstrapped(tree: Tree, { ref, now, options, env }: Bootstrap): Promise<Snapshot | undefined> {
  const store = await tree.store();
  requireReadable(await store.inspect());
  if (ref !== now.ref) {
    const indexed = (await store.views()).map((view) => view.ref);
    throw new CompassError("ref_not_indexed", { ref, indexed_refs: indexed });
  }
  if (options.policy === "best_effort") return undefined;
  const run = tree.activeRun() ?? (await startQuietly(tree));
  const patience = env.sleep(options.bootstrapWaitMs);
  if (run === undefined) await othersBuild(store, ref, env, patience);
  else await Promise.race([run.finished, patience]);
  const snapshot = await store.snapshot(ref);
  if (snapshot === undefined && options.policy === "strict") {
    throw new CompassError("index_not_ready", { workspace: tree.row.root });
  }
  return snapshot;
}

const POLL_MS = 100;

/** Another process builds this index: its first state is waited for as one of our own would be. */
async function othersBuild(store: Store, ref: string, env: Env, patience: Promise<void>): Promise<void> {
  let waiting = true;
  void patience.then(() => {
    waiting = false;
  });
  while (waiting && !(await store.views()).some((view) => view.ref === ref)) {
    await Promise.race([env.sleep(POLL_MS), patience]);
  }
}

/** Another process may be building this very index: then there is nothing to start. */
async function startQuietly(tree: Tree) {
  try {
    return await tree.start({ mode: "full", force: false });
  } catch (error) {
    if (error instanceof CompassError && /_in_progress$/.test(error.code)) return tree.activeRun();
    throw error;
  }
}

/** Starts the first build of a tree that has none, and does not wait for it. */
export async function bootstrapSoon(tree: Tree): Promise<void> {
  if (tree.activeRun() !== undefined || (await (await tree.store()).views()).length > 0) return;
  if ((await tree.activeJob()) === undefined) await startQuietly(tree);
}

async function emptyStanding(tree: Tree, ref: string, policy: FreshnessPolicy): Promise<Standing> {
  const job = await tree.activeJob();
  const failed = job === undefined && (await (await tree.store()).jobs(1))[0]?.status === "failed";
  return {
    ref,
    freshness: job === undefined ? "stale" : "syncing",
    indexing: job !== undefined ? "indexing" : failed ? "failed" : "not_indexed",
    schema: "not_indexed",
    complete: false,
    warnings: [...tree.warnings, nothingYet(policy)],
  };
}

function nothingYet(policy: FreshnessPolicy): string {
  return policy === "best_effort"
    ? "Nothing is indexed yet: call index_repo first."
    : "The first index is still being built: this answer looked at nothing. Poll index_status and ask again.";
}

async function judged(
  tree: Tree,
  snapshot: Snapshot,
  now: CheckedOut,
  policy: FreshnessPolicy,
  ports: CompassPorts,
): Promise<Standing> {
  const checkedOut = snapshot.info.ref === now.ref;
  // A job that runs has taken the reported paths off the list: until it is published, the view is behind them.
  const syncing = checkedOut && tree.activeRun() !== undefined;
  const drift = await driftOfView(tree, snapshot, now, ports);
  if (policy === "strict" && drift !== undefined) throw staleError(drift);
  if (policy === "strict" && syncing) throw syncingError(snapshot, now);
  if (policy === "balanced" && drift !== undefined && checkedOut) tree.syncSoon(drift);
  return {
    ref: snapshot.info.ref,
    freshness: syncing ? "syncing" : drift === undefined ? "fresh" : "stale",
    indexing: "ready",
    schema: "compatible",
    coverage: snapshot.info.coverage,
    complete: true,
    warnings: [...tree.warnings, ...(drift === undefined ? [] : [staleWarning(drift)])],
  };
}

/** A ref that is not checked out is compared with its commit only: the working tree is another ref's. */
async function driftOfView(
  tree: Tree,
  snapshot: Snapshot,
  now: CheckedOut,
  ports: CompassPorts,
): Promise<Drift | undefined> {
  const { ref, commit } = snapshot.info;
  if (ref === now.ref) return tree.drift(snapshot, now);
  const tip = await ports.vcs.resolve(tree.row.root, ref);
  if (tip === commit) return undefined;
  return {
    paths: [],
    ...(commit !== undefined && { lastIndexedCommit: commit }),
    ...(tip !== undefined && { currentHead: tip }),
  };
}

const NAMED_IN_WARNING = 5;

function staleWarning(drift: Drift): string {
  if (drift.paths.length === 0) return `Stale: ${driftReason(drift)}.`;
  const named = drift.paths.slice(0, NAMED_IN_WARNING).join(", ");
  const more = drift.paths.length > NAMED_IN_WARNING ? ` and ${drift.paths.length - NAMED_IN_WARNING} more` : "";
  return `Stale: read these files directly, they changed after indexing: ${named}${more}.`;
}

/** What the job will change is not known yet. */
function syncingError({ info }: Snapshot, now: CheckedOut): CompassError {
  return new CompassError("index_stale", {
    reason: "a sync is running",
    last_indexed_commit: info.commit ?? null,
    current_head: now.commit ?? null,
    suggestion: "Poll index_status until the running job is published, then ask again.",
  });
}

function staleError(drift: Drift): CompassError {
  return new CompassError("index_stale", {
    reason: driftReason(drift),
    last_indexed_commit: drift.lastIndexedCommit ?? null,
    current_head: drift.currentHead ?? null,
    changed_files: drift.paths.length,
    suggestion: "Call sync_repo to update the index before querying.",
  });
}
