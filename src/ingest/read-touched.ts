/**
 * Reads what was touched and puts it into the store: keeps all workers busy, and takes their results in order, so that
 * the index does not depend on which of them was faster. What was put stays when the run ends early.
 */

import type { Hash } from "../model/ids.ts";
import type { Build } from "../ports/build.ts";
import type { Files } from "../ports/files.ts";
import type { IndexRequest } from "../ports/indexer.ts";
import type { ReadOutcome, ReadRequest, ReadResults, ReadTask } from "../ports/parsers.ts";
import { chooseBatchLimits, cutBatches, isSmallWork, maxInFlight, OrderedQueue } from "./batches.ts";
import { type ChangePlan, type LocalOutcome, recordOutcome } from "./changes.ts";
import { extractorId } from "./extractor.ts";
import { fetchBatch } from "./read-batch.ts";
import { readsCommit, runStep, type ViewBuild } from "./run.ts";
import type { TreeSource } from "./tree-source.ts";

/** Completes the plan with what was read. Returns how many files were parsed and stored. */
export async function readTouched(plan: ChangePlan, run: ViewBuild, source: TreeSource): Promise<number> {
  const { request, ports, log, signal } = run;
  await log.update({ stage: "parsing", filesTotal: log.progress.filesIndexed + plan.tasks.length });
  const capacity = ports.parsers.capacity(request.settings);
  const { tasks, unseen } = await skipKnownContents(plan, run, source);
  const room = chooseBatchLimits(ports.parsers);
  const cut = (some: readonly ReadTask[]) => cutBatches(some, capacity, room, ports.sharers?.());
  const batches = cut(tasks);
  const most = maxInFlight(batches, capacity, room);
  // Runs beside each other hold no more between them than one alone: batches are what memory goes by.
  const atOnce = () => Math.max(1, Math.ceil(most / (ports.sharers?.() ?? 1)));
  const isAll = most === batches.length;
  const little = isSmallWork(tasks) && { isLittle: true as const };
  const read = reader(run, source, { ...(unseen && { unseen }), ...(isAll && { isAll }), ...little });
  const turns = new OrderedQueue(batches, read, { atOnce, ahead: room.ahead });
  let parsed = 0;
  try {
    for (; !turns.isDone; signal.throwIfAborted()) {
      const results = await runStep(run, "read", () => turns.next());
      turns.add(cut(missing(results, tasks, source)));
      parsed += await storeResults(results, { plan, run, source });
    }
  } finally {
    turns.stop();
  }
  return parsed;
}

/** What was not on disk as it was wanted. */
function missing({ outcomes }: ReadResults, tasks: readonly ReadTask[], source: TreeSource): ReadTask[] {
  const paths = new Set(outcomes.flatMap((outcome) => ("elsewhere" in outcome ? [outcome.path] : [])));
  for (const path of paths) source.missed(path);
  return paths.size === 0 ? [] : tasks.filter(({ path }) => paths.has(path));
}

interface PendingTasks {
  readonly tasks: readonly ReadTask[];
  /** What is left to be read is not stored: nobody need ask. */
  readonly unseen?: true;
}

/** Of a directory's files, those whose content is not stored yet. */
async function skipKnownContents(plan: ChangePlan, run: ViewBuild, source: TreeSource): Promise<PendingTasks> {
  const { request, ports, build } = run;
  const { files, hash } = ports;
  // A commit's files are known by the names of their blobs before they are read.
  if (readsCommit(request)) return { tasks: plan.tasks, unseen: true };
  if (hash === undefined || request.mode === "full") return { tasks: plan.tasks };
  const { outcomes, rest, ...looked } = await findKnownContents(request, plan.tasks, { files, hash, build });
  await storeResults({ outcomes, batches: [] }, { plan, run, source });
  return { tasks: rest, ...looked };
}

function reader(
  { request, ports, build, signal }: ViewBuild,
  source: TreeSource,
  how: Pick<ReadRequest, "unseen" | "isAll" | "isLittle">,
): (tasks: readonly ReadTask[]) => Promise<ReadResults> {
  const { root, project, settings, blobs } = request;
  const known = build.known.bind(build);
  const asked = { root, project, settings, known, signal, ...how, ...(blobs !== undefined && { blobs }) };
  // Of much, they would lie in memory beside it.
  const prepared = how.isLittle
    ? withEarlier(build, extractorId(settings))
    : async (tasks: readonly ReadTask[]) => tasks;
  return (tasks) => {
    const ready = source.ready(tasks).then(prepared);
    const results = ready.then((tasks) => ports.parsers.read({ ...asked, tasks }));
    // Awaited in turn; when an earlier one fails, nobody asks for the later ones any more.
    results.catch(() => {});
    return results;
  };
}

type Prepare = (tasks: readonly ReadTask[]) => Promise<readonly ReadTask[]>;

function withEarlier(build: Build, extractor: string): Prepare {
  return async (tasks) => {
    const keys = tasks.flatMap(({ path, indexedAs }) =>
      indexedAs === undefined ? [] : [{ path, contentHash: indexedAs, extractor }],
    );
    const earlier = await build.earlier?.(keys);
    return tasks.map((task) => ({ ...task, ...(earlier?.has(task.path) && { earlier: earlier.get(task.path)! }) }));
  };
}

interface ResultTarget {
  readonly plan: ChangePlan;
  readonly run: ViewBuild;
  readonly source: TreeSource;
}

async function storeResults(
  { outcomes: all, batches }: ReadResults,
  { plan, run, source }: ResultTarget,
): Promise<number> {
  const { build, log } = run;
  const outcomes = all.filter((outcome): outcome is LocalOutcome => !("elsewhere" in outcome));
  let [symbols, parsed, left] = [0, 0, 0];
  for (const outcome of outcomes) {
    recordOutcome(plan, outcome, source.known, run.request.settings);
    if ("symbols" in outcome) symbols += outcome.symbols;
    if ("skip" in outcome || "gone" in outcome) left++;
  }
  for (const batch of batches) {
    await build.put(batch);
    parsed += batch.files.length;
  }
  const { filesTotal, filesIndexed, symbolsExtracted } = log.progress;
  await log.update({
    filesTotal: filesTotal - left,
    filesIndexed: filesIndexed + outcomes.length - left,
    symbolsExtracted: symbolsExtracted + symbols,
  });
  return parsed;
}

/** More is read by the workers alone, which are several. */
const MOST_FILES = 256;
const MOST_BYTES = 8_000_000;

interface KnownContentsPorts {
  readonly files: Files;
  readonly hash: Hash;
  readonly build: Pick<Build, "known">;
}

interface KnownContents {
  /** Whether the rest was looked at, too. */
  readonly unseen?: true;
  readonly outcomes: readonly ReadOutcome[];
  /** What has to be parsed, or looked at more closely. */
  readonly rest: readonly ReadTask[];
}

export async function findKnownContents(
  { root, project, settings }: Pick<IndexRequest, "root" | "project" | "settings">,
  tasks: readonly ReadTask[],
  { files, hash, build }: KnownContentsPorts,
): Promise<KnownContents> {
  const bytes = tasks.reduce((sum, task) => sum + task.size, 0);
  if (tasks.length === 0 || tasks.length > MOST_FILES || bytes > MOST_BYTES) return { outcomes: [], rest: tasks };
  const { outcomes, fetched } = await fetchBatch({ root, project, settings, tasks }, { files, hash });
  // Each path is asked about once, and stands at the end of a version's text.
  const texts = await build.known(fetched.map(({ key }) => key));
  const known = new Set(Array.from(texts, (text) => text.slice(text.lastIndexOf("\0") + 1)));
  const rest: ReadTask[] = [];
  for (const { task, stamp, key } of fetched) {
    if (known.has(key.path)) outcomes[task] = { path: key.path, stamp, version: key, symbols: 0 };
    else rest.push(tasks[task]!);
  }
  return { outcomes: outcomes.filter((outcome) => outcome !== undefined), rest, unseen: true };
}
