/** Removes the views of refs that are no longer used, and collects what they alone showed. */
import { withLease } from "../../ingest/run.ts";
import type { ViewInfo } from "../../ports/snapshot.ts";
import type { Lease, Store } from "../../ports/store.ts";
import type { PruneOptions, PruneReport } from "../compass.ts";
import type { CompassPorts } from "../ports.ts";
import type { Tree } from "../projects/tree.ts";
import { BASE_VIEW, FIRST_WORKTREE, LIVE, refOfView, workingView } from "../refs/resolve-ref.ts";

const DAY_MS = 86_400_000;

export async function prune(tree: Tree, options: PruneOptions, ports: CompassPorts): Promise<PruneReport> {
  const { storeLocation, id } = tree.row;
  const store = await ports.stores.open(storeLocation, { create: !options.dryRun, project: id });
  try {
    const verdicts = await judge(store, await refsInUse(tree, ports), options, ports.env.now());
    if (!(await ports.registry.holds(storeLocation))) return keepAll(verdicts, "outside_data_directory");
    if (options.dryRun) return describeVerdicts(verdicts);
    const signal = options.signal ?? new AbortController().signal;
    return await withLease({ store, env: ports.env }, signal, (lease) => carryOut(store, lease, verdicts));
  } finally {
    await store.close();
  }
}

type KeptReason = PruneReport["kept"][number]["reason"];

interface Verdict {
  readonly view: ViewInfo;
  readonly lastUsedAt: number;
  readonly keep?: KeptReason;
}

/** Views that stay whatever their age, with the reason. */
async function refsInUse(tree: Tree, { vcs, registry, files }: CompassPorts): Promise<Map<string, KeptReason>> {
  const { root } = tree.row;
  const inUse = new Map<string, KeptReason>();
  for (const { head } of (await tree.repository()) === undefined ? [] : await vcs.worktrees(root)) {
    if (head.branch !== undefined) inUse.set(`refs/heads/${head.branch}`, "checked_out");
    if (head.commit !== undefined) inUse.set(head.commit, "checked_out");
  }
  for (const row of await registry.list()) {
    if (row.storeLocation !== tree.row.storeLocation || (await files.realDirectory(row.root)) === undefined) continue;
    inUse.set(workingView(row.id, await vcs.repository(row.root)), "checked_out");
  }
  inUse.set(workingView(tree.row.id, await tree.repository()), "checked_out");
  const branch = await vcs.defaultBranch(root);
  if (branch !== undefined) inUse.set(`refs/heads/${branch}`, "default_ref");
  return inUse;
}

async function judge(
  store: Store,
  inUse: ReadonlyMap<string, KeptReason>,
  { olderThanDays }: PruneOptions,
  now: number,
): Promise<Verdict[]> {
  const uses = await store.uses();
  const judged = (await store.views()).map((view): Verdict => {
    const lastUsedAt = Math.max(view.publishedAt, uses.get(view.ref) ?? 0);
    const recent = now - lastUsedAt < olderThanDays * DAY_MS;
    const keep = inUse.get(view.ref) ?? (recent ? "recently_used" : undefined);
    return { view, lastUsedAt, ...(keep !== undefined && { keep }) };
  });
  if (!judged.some(needsBase)) return judged;
  return judged.map((verdict) => (verdict.view.ref === BASE_VIEW ? { ...verdict, keep: "base_of_others" } : verdict));
}

/** The first work tree's view has no base; all others are stored over it. */
function needsBase({ view, keep }: Verdict): boolean {
  return keep !== undefined && ![BASE_VIEW, LIVE, FIRST_WORKTREE].includes(view.ref);
}

async function carryOut(store: Store, lease: Lease, verdicts: readonly Verdict[]): Promise<PruneReport> {
  const forgettable = verdicts.filter(({ keep }) => keep === undefined).map(({ view }) => view.ref);
  // The base itself has no name: it goes when the last view over it has gone.
  const condemned = forgettable.sort((a, b) => Number(a === BASE_VIEW) - Number(b === BASE_VIEW));
  const outcomes = new Map((await store.forget(lease, condemned)).map(({ ref, outcome }) => [ref, outcome]));
  const after = verdicts.map((verdict): Verdict => {
    const outcome = outcomes.get(verdict.view.ref);
    return outcome === "in_use" || outcome === "base_of_others" ? { ...verdict, keep: outcome } : verdict;
  });
  // Also where no view went: syncs leave replaced versions behind.
  const { bytesFreed, versionsRemoved } = await store.gc(lease);
  return { ...describeVerdicts(after), bytesFreed, versionsRemoved };
}

function keepAll(verdicts: readonly Verdict[], keep: KeptReason): PruneReport {
  return describeVerdicts(verdicts.map((verdict) => ({ ...verdict, keep })));
}

function describeVerdicts(verdicts: readonly Verdict[]): PruneReport {
  const shown = verdicts.map(({ view, lastUsedAt, keep }) => ({
    ref: view.ref === LIVE ? FIRST_WORKTREE : refOfView(view.ref),
    lastUsedAt,
    keep,
  }));
  return {
    removed: shown.filter(({ keep }) => keep === undefined).map(({ ref, lastUsedAt }) => ({ ref, lastUsedAt })),
    kept: shown.flatMap(({ ref, lastUsedAt, keep }) => (keep === undefined ? [] : [{ ref, lastUsedAt, reason: keep }])),
    bytesFreed: 0,
    versionsRemoved: 0,
  };
}
