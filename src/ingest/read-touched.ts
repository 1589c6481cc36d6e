/**
 * Reads the changed files and stores them. Keeps all workers busy and stores results in order, so that the index does not
 * depend on their speed. Stored batches stay when the run ends early.
 */
import type { Hash } from "../model/ids.ts";
import type { Build } from "../ports/build.ts";
import type { Files } from "../ports/files.ts";
import type { IndexRequest } from "../ports/indexer.ts";
import type { ReadOutcome, ReadResults, ReadTask } from "../ports/parsers.ts";
import { chooseBatchLimits, cutBatches, maxInFlight, OrderedQueue } from "./batches.ts";
import { type ChangePlan, type LocalOutcome, recordOutcome } from "./changes.ts";
import { fetchBatch } from "./read-batch.ts";
import { readsCommit, runStep, type ViewBuild } from "./run.ts";
import type { TreeSource } from "./tree-source.ts";

/** Completes the plan. Returns the number of files that were parsed and stored. */
export async function readTouched(plan: ChangePlan, run: ViewBuild, source: TreeSource): Promise<number> {
  const { request, ports, log, signal, build } = run;
  const { root, project, settings, blobs } = request;
  await log.update({ stage: "parsing", filesTotal: log.progress.filesIndexed + plan.tasks.length });
  const { tasks, unseen } = await skipKnownContents(plan, run, source);
  const capacity = ports.parsers.capacity(settings);
  const limits = chooseBatchLimits(ports.parsers);
  const cut = (some: readonly ReadTask[]) => cutBatches(some, capacity, limits, ports.sharers?.());
  const batches = cut(tasks);
  const most = maxInFlight(batches, capacity, limits);
  // Concurrent runs share the memory for batches.
  const atOnce = () => Math.max(1, Math.ceil(most / (ports.sharers?.() ?? 1)));
  const common = {
    ...{ root, project, settings, signal },
    known: build.known.bind(build),
    ...(unseen && { unseen }),
    ...(most === batches.length && { isAll: true as const }),
    ...(blobs !== undefined && { blobs }),
  };
  const read = (batch: readonly ReadTask[]) => {
    const results = source.ready(batch).then((tasks) => ports.parsers.read({ ...common, tasks }));
    // After the failure of an earlier batch no caller awaits this one.
    results.catch(() => {});
    return results;
  };
  const queue = new OrderedQueue(batches, read, { atOnce, ahead: limits.ahead });
  let parsed = 0;
  try {
    for (; !queue.isDone; signal.throwIfAborted()) {
      const results = await runStep(run, "read", () => queue.next());
      queue.add(cut(findMissed(results, tasks, source)));
      parsed += await storeResults(results, plan, run, source);
    }
  } finally {
    queue.stop();
  }
  return parsed;
}

/** Tasks whose file on disk does not have the content of the commit. */
function findMissed({ outcomes }: ReadResults, tasks: readonly ReadTask[], source: TreeSource): ReadTask[] {
  const paths = new Set(outcomes.flatMap((outcome) => ("elsewhere" in outcome ? [outcome.path] : [])));
  for (const path of paths) source.missed(path);
  return paths.size === 0 ? [] : tasks.filter(({ path }) => paths.has(path));
}

interface PendingTasks {
  readonly tasks: readonly ReadTask[];
  /** None of the tasks' contents is stored, so workers need not check. */
  readonly unseen?: true;
}

/** The tasks whose content is not stored yet. */
async function skipKnownContents(plan: ChangePlan, run: ViewBuild, source: TreeSource): Promise<PendingTasks> {
  const { request, ports, build } = run;
  const { files, hash } = ports;
  // Files of a commit are recognised by their blob ids before they are read.
  if (readsCommit(request)) return { tasks: plan.tasks, unseen: true };
  if (hash === undefined || request.mode === "full") return { tasks: plan.tasks };
  const { outcomes, rest, unseen } = await findKnownContents(request, plan.tasks, { files, hash, build });
  await storeResults({ outcomes, batches: [] }, plan, run, source);
  return { tasks: rest, ...(unseen && { unseen }) };
}

/** Records the outcomes in the plan and stores the batches. Returns the number of stored files. */
async function storeResults(
  { outcomes: all, batches }: ReadResults,
  plan: ChangePlan,
  { build, log, request }: ViewBuild,
  source: TreeSource,
): Promise<number> {
  const outcomes = all.filter((outcome): outcome is LocalOutcome => !("elsewhere" in outcome));
  let [symbols, parsed, skipped] = [0, 0, 0];
  for (const outcome of outcomes) {
    recordOutcome(plan, outcome, source.known, request.settings);
    if ("symbols" in outcome) symbols += outcome.symbols;
    if ("skip" in outcome || "gone" in outcome) skipped++;
  }
  for (const batch of batches) {
    await build.put(batch);
    parsed += batch.files.length;
  }
  const { filesTotal, filesIndexed, symbolsExtracted } = log.progress;
  await log.update({
    filesTotal: filesTotal - skipped,
    filesIndexed: filesIndexed + outcomes.length - skipped,
    symbolsExtracted: symbolsExtracted + symbols,
  });
  return parsed;
}

/** More files are left to the workers, which run in parallel. */
const MAX_CHECKED_FILES = 256;
const MAX_CHECKED_BYTES = 8_000_000;

interface KnownContents {
  /** Set if the contents of `rest` were checked. */
  readonly unseen?: true;
  readonly outcomes: readonly ReadOutcome[];
  /** Tasks that must be read by the workers. */
  readonly rest: readonly ReadTask[];
}

/**
 * Finds files whose content is stored already, as after a checkout of a branch that was indexed before. Hashing them here
 * avoids waking a parse worker, which takes a tenth of a second when it sleeps.
 */
export async function findKnownContents(
  { root, project, settings }: Pick<IndexRequest, "root" | "project" | "settings">,
  tasks: readonly ReadTask[],
  { files, hash, build }: { readonly files: Files; readonly hash: Hash; readonly build: Pick<Build, "known"> },
): Promise<KnownContents> {
  const bytes = tasks.reduce((sum, task) => sum + task.size, 0);
  if (tasks.length === 0 || tasks.length > MAX_CHECKED_FILES || bytes > MAX_CHECKED_BYTES)
    return { outcomes: [], rest: tasks };
  const { outcomes, fetched } = await fetchBatch({ root, project, settings, tasks }, { files, hash });
  // Each path occurs once, and a version's key text ends in its path.
  const texts = await build.known(fetched.map(({ key }) => key));
  const known = new Set(Array.from(texts, (text) => text.slice(text.lastIndexOf("\0") + 1)));
  const rest: ReadTask[] = [];
  for (const { task, stamp, key } of fetched) {
    if (known.has(key.path)) outcomes[task] = { path: key.path, stamp, version: key, symbols: 0 };
    else rest.push(tasks[task]!);
  }
  return { outcomes: outcomes.filter((outcome) => outcome !== undefined), rest, unseen: true };
}
