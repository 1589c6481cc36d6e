/**
 * The write path, in its order: lease → compare the tree with the view → read what was touched → publish once.
 *
 * Whatever was put stays when a run is cancelled or fails, so the next one continues there. The result does not depend
 * on which worker was faster: how requests are cut, and the order in which they are stored, hang on paths and sizes alone.
 */
import { CompassError } from "../model/errors.ts";
import type { Hash, JobId } from "../model/ids.ts";
import type { IndexReport, JobProgress } from "../model/jobs.ts";
import type { Build } from "../ports/build.ts";
import type { Embedders } from "../ports/embedder.ts";
import type { Env, Failpoint } from "../ports/env.ts";
import type { Files } from "../ports/files.ts";
import type { IndexRequest } from "../ports/indexer.ts";
import type { Lease } from "../ports/lease.ts";
import type { Objects } from "../ports/objects.ts";
import type { Parsers, ReadResults, ReadTask } from "../ports/parsers.ts";
import type { Store } from "../ports/store.ts";
import type { ViewInfo } from "../ports/view.ts";
import { baseRequest } from "./base.ts";
import { cutBatches, mostUnderWay } from "./batches.ts";
import { Comparison, type Difference, note, type Plan } from "./changes.ts";
import { embedMissing } from "./embed-missing.ts";
import { JobLog } from "./job-log.ts";
import { recognise } from "./recognise.ts";
import { commitSource, directorySource, type TreeSource } from "./tree-source.ts";
import { asWriter } from "./writer.ts";

export interface PipelinePorts {
  readonly store: Store;
  readonly files: Files;
  /** Needed for requests that speak of a commit. */
  readonly objects?: Objects;
  readonly parsers: Parsers;
  /** Of contents; absent: known ones are recognised by the parsers alone. */
  readonly hash?: Hash;
  /** Runs that share the parsers at this moment, this one included; absent: it is alone. */
  readonly sharers?: () => number;
  /** Absent: only what the parsers embed has vectors. */
  readonly embedders?: Embedders;
  readonly env: Env;
  /** Told when `collect` is due; absent: it is done at once, before the report. */
  readonly onGarbage?: () => void;
  /** Told before and after each step: `walk:before`, `walk:after`, … A test makes the process fail there. */
  readonly failpoint?: Failpoint;
}

type Tell = (progress: JobProgress) => void;

/** Each publish leaves replaced versions behind. Collecting them reads the whole index, so many publishes share it. */
const COLLECT_EVERY = 32;

export function index(
  request: IndexRequest,
  ports: PipelinePorts,
  tell: Tell,
  signal: AbortSignal,
): Promise<IndexReport> {
  const log = new JobLog(request, ports.store, ports.env, tell);
  return asWriter(ports, signal, async (lease, until) => {
    try {
      const read = await prepareBase(request, ports, lease, until);
      const own = await new Run({ request, ports, log, lease, signal: until }).run();
      // A bare clone's first view shows what its base has read, and would seem to have done nothing.
      const report = { ...own, changedFiles: own.changedFiles + read, parsedFiles: own.parsedFiles + read };
      if (report.published && report.generation % COLLECT_EVERY === 0) {
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

/** The base of a view is built on the way, and is nobody's job. Returns how many files had to be read for it. */
async function prepareBase(
  request: IndexRequest,
  ports: PipelinePorts,
  lease: Lease,
  signal: AbortSignal,
): Promise<number> {
  const base = await baseRequest(request, ports);
  if (base === undefined) return 0;
  const log = new JobLog(base, { recordJob: async () => {} }, ports.env, () => {});
  try {
    return (await new Run({ request: base, ports, log, lease, signal }).run()).parsedFiles;
  } catch (error) {
    // A view without a base is larger, and as right.
    if (!(error instanceof CompassError && error.code === "ref_not_indexed")) throw error;
    return 0;
  }
}

/** Collects garbage when nobody waits for it: a large index takes some tenths of a second. */
export async function collect(
  ports: Pick<PipelinePorts, "store" | "env" | "failpoint">,
  signal: AbortSignal,
): Promise<void> {
  // Somebody who writes now leaves garbage of his own, and will be asked again.
  await asWriter(ports, signal, (lease) => collectWith(lease, ports.store)).catch(() => {});
}

/** What was published stands whatever happens here: garbage that stays is collected the next time. */
async function collectWith(lease: Lease, store: Store): Promise<void> {
  await store.gc(lease).catch(() => {});
}

interface RunContext {
  readonly request: IndexRequest;
  readonly ports: PipelinePorts;
  readonly log: JobLog;
  readonly lease: Lease;
  readonly signal: AbortSignal;
}

class Run {
  readonly #it: RunContext;
  readonly #startedAt: number;
  #parsed = 0;
  #build!: Build;
  #source!: TreeSource;
  /** What is left to be read is not stored: nobody need ask. */
  #unseen: boolean;

  constructor(context: RunContext) {
    this.#it = context;
    this.#startedAt = context.ports.env.monotonic();
    // A commit's files are known by the names of their blobs before they are read.
    this.#unseen = isOfCommit(context.request);
  }

  async run(): Promise<IndexReport> {
    const { request, ports, log, lease } = this.#it;
    await log.update({});
    const options = {
      ...(request.base !== undefined && { base: request.base.ref }),
      ...(request.defaultRef !== undefined && { defaultRef: request.defaultRef }),
    };
    this.#build = await ports.store.begin(lease, request.ref, replacesAll(request) ? "reset" : "update", options);
    try {
      this.#source = await this.#step("entries", () => this.#openSource());
      const plan = await this.#step("walk", () => this.#compare());
      await this.#readTouched(plan);
      return await this.#publish(plan);
    } catch (error) {
      await this.#build.abort().catch(() => {});
      throw error;
    }
  }

  async #openSource(): Promise<TreeSource> {
    const { request, ports } = this.#it;
    const { commit, base } = request;
    if (!isOfCommit(request)) return directorySource(request, { build: this.#build, files: ports.files });
    const shown = (await infoOf(ports.store, request.ref)) ?? (base && (await infoOf(ports.store, base.ref)));
    return commitSource(request, commit!, { build: this.#build, objects: ports.objects!, since: shown?.commit });
  }

  async #compare(): Promise<Plan> {
    const { request, log, signal } = this.#it;
    const { known, scope } = this.#source;
    const comparison = new Comparison(known, scope, request.settings);
    for await (const batch of this.#source.walk(signal)) {
      signal.throwIfAborted();
      for (const item of batch) comparison.add(item);
      await log.update({ filesScanned: comparison.filesSeen });
    }
    return comparison.finish();
  }

  /** Keeps all workers busy, and takes the results in order. */
  async #readTouched(plan: Plan): Promise<void> {
    const { request, ports, log, signal } = this.#it;
    await log.update({ stage: "parsing", filesTotal: plan.tasks.length });
    const capacity = ports.parsers.capacity(request.settings);
    const waiting = cutBatches(await this.#unrecognised(plan), capacity);
    const most = mostUnderWay(waiting, capacity);
    const underWay: Promise<ReadResults>[] = [];
    // Runs beside each other hold no more between them than one alone: batches are what memory goes by.
    const share = () => Math.max(1, Math.ceil(most / (ports.sharers?.() ?? 1)));
    const keepBusy = () => {
      while (waiting.length > 0 && underWay.length < share()) underWay.push(this.#read(waiting.shift()!));
    };
    for (keepBusy(); underWay.length > 0; signal.throwIfAborted()) {
      const results = await this.#step("read", () => underWay.shift()!);
      // Before these are stored: a database takes its time, and the workers need not wait for it.
      keepBusy();
      await this.#take(results, plan);
    }
  }

  /** Of a directory's files, those whose content is not stored yet. */
  async #unrecognised(plan: Plan): Promise<readonly ReadTask[]> {
    const { request, ports } = this.#it;
    const { files, hash } = ports;
    if (hash === undefined || request.mode === "full" || isOfCommit(request)) return plan.tasks;
    const { outcomes, rest, unseen } = await recognise(request, plan.tasks, { files, hash, build: this.#build });
    this.#unseen = unseen === true;
    await this.#take({ outcomes, batches: [] }, plan);
    return rest;
  }

  #read(tasks: Plan["tasks"]): Promise<ReadResults> {
    const { request, ports, signal } = this.#it;
    const { root, project, settings, blobs } = request;
    const known = this.#build.known.bind(this.#build);
    const unseen = this.#unseen ? { unseen: true as const } : {};
    const asked = { root, project, settings, known, signal, ...unseen, ...(blobs !== undefined && { blobs }) };
    const results = this.#source.ready(tasks).then((ready) => ports.parsers.read({ ...asked, tasks: ready }));
    // Awaited in turn; when an earlier one fails, nobody asks for the later ones any more.
    results.catch(() => {});
    return results;
  }

  async #take(results: ReadResults, into: Difference): Promise<void> {
    const { log } = this.#it;
    let symbols = 0;
    for (const outcome of results.outcomes) {
      note(into, outcome, this.#source.known);
      if ("symbols" in outcome) symbols += outcome.symbols;
    }
    for (const batch of results.batches) {
      await this.#build.put(batch);
      this.#parsed += batch.files.length;
    }
    const { filesIndexed, symbolsExtracted } = log.progress;
    await log.update({
      filesIndexed: filesIndexed + results.outcomes.length,
      symbolsExtracted: symbolsExtracted + symbols,
    });
  }

  async #publish(plan: Plan): Promise<IndexReport> {
    const { request, ports, log, signal } = this.#it;
    await log.update({ stage: "finalizing" });
    if (plan.stamps.length > 0 && !isOfCommit(request))
      await this.#build.restamp(request.tree ?? request.project, plan.stamps);
    // A forced run replaces an index that may be beyond reading.
    const before = replacesAll(request) ? undefined : await infoOf(ports.store, request.ref);
    const needed =
      replacesAll(request) || plan.changes.length > 0 || before === undefined || before.commit !== request.commit;
    signal.throwIfAborted();
    if (needed) await this.#commit(plan);
    const embedded = await this.#embedMissing();
    await this.#step("finish", () => log.published(plan.changes.length));
    const published = needed || embedded;
    return this.#report(plan, published, (published ? await infoOf(ports.store, request.ref) : before)!);
  }

  /** The built-in model has embedded what was read; an explicit run looks for what was read without it. */
  async #embedMissing(): Promise<boolean> {
    const { request, ports, signal } = this.#it;
    const { embedders } = ports;
    if (embedders === undefined || (request.mode !== "full" && embedders.inParsers)) return false;
    const { store } = ports;
    const files = await this.#step("embed", () =>
      embedMissing({ request, store, build: this.#build, embedders, signal }),
    );
    if (files === 0) return false;
    await this.#commit({ changes: [] }, `${request.jobId}-vectors` as JobId);
    return true;
  }

  async #commit(plan: Pick<Plan, "changes">, jobId: JobId = this.#it.request.jobId): Promise<void> {
    const { request, ports } = this.#it;
    await this.#build.publish({
      jobId,
      changes: plan.changes.sort((a, b) => (a.path < b.path ? -1 : 1)),
      ...(request.commit !== undefined && { commit: request.commit }),
      uncounted: {},
      publishedAt: ports.env.now(),
    });
  }

  async #step<T>(name: string, run: () => Promise<T>): Promise<T> {
    const { failpoint } = this.#it.ports;
    failpoint?.(`${name}:before`);
    const result = await run();
    failpoint?.(`${name}:after`);
    return result;
  }

  #report(plan: Plan, published: boolean, info: ViewInfo): IndexReport {
    const removed = plan.changes.filter((change) => "removed" in change).length;
    return {
      generation: info.generation,
      published,
      changedFiles: plan.changes.length - removed,
      removedFiles: removed,
      parsedFiles: this.#parsed,
      hashedFiles: plan.tasks.length,
      coverage: info.coverage,
      symbolCount: info.symbolCount,
      durationMs: Math.round(this.#it.ports.env.monotonic() - this.#startedAt),
    };
  }
}

function isOfCommit({ from }: IndexRequest): boolean {
  return from === "commit";
}

/** Only the directory's own view is worth forgetting all others for; a commit's is looked at again as a whole. */
function replacesAll(request: IndexRequest): boolean {
  return request.force && !isOfCommit(request);
}

/** From the view's row: the writer needs no snapshot, which would load every entry. */
async function infoOf(store: Store, ref: string): Promise<ViewInfo | undefined> {
  return (await store.views()).find((view) => view.ref === ref);
}
