/**
 * The write path, in its order: lease → compare the tree with the view → read what was touched → publish once.
 *
 * Whatever was put stays when a run is cancelled or fails, so the next one continues there. The result does not depend
 * on which worker was faster: requests are cut and stored in the order of paths.
 */
import type { IndexReport, JobProgress } from "../model/jobs.ts";
import type { Env, Failpoint } from "../ports/env.ts";
import type { Files, WalkOptions } from "../ports/files.ts";
import type { IndexRequest } from "../ports/indexer.ts";
import type { Parsers, ReadResults } from "../ports/parsers.ts";
import type { Build, Lease, Store, ViewInfo } from "../ports/store.ts";
import { cutBatches } from "./batches.ts";
import { Comparison, type Difference, type Known, note, type Plan, scopeOf } from "./changes.ts";
import { JobLog } from "./job-log.ts";
import { asWriter } from "./writer.ts";

export interface PipelinePorts {
  readonly store: Store;
  readonly files: Files;
  readonly parsers: Parsers;
  readonly env: Env;
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
      const report = await new Run({ request, ports, log, lease, signal: until }).run();
      if (report.published && report.generation % COLLECT_EVERY === 0) await collect(ports.store, lease);
      return report;
    } catch (error) {
      // The row is for others to read; the caller needs the first error even when the row cannot be written.
      await log.failed(error).catch(() => {});
      throw error;
    }
  });
}

/** What was published stands whatever happens here: garbage that stays is collected the next time. */
async function collect(store: Store, lease: Lease): Promise<void> {
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
  #known!: Known;

  constructor(context: RunContext) {
    this.#it = context;
    this.#startedAt = context.ports.env.monotonic();
  }

  async run(): Promise<IndexReport> {
    const { request, ports, log, lease } = this.#it;
    await log.update({});
    this.#build = await ports.store.begin(lease, request.ref, request.force ? "reset" : "update");
    try {
      this.#known = await this.#step("entries", () => this.#whatIsKnown());
      const plan = await this.#step("walk", () => this.#compare());
      await this.#readTouched(plan);
      return await this.#publish(plan);
    } catch (error) {
      await this.#build.abort().catch(() => {});
      throw error;
    }
  }

  async #whatIsKnown(): Promise<Known> {
    const [entries, stamps] = [await this.#build.entries(), await this.#build.stamps(this.#it.request.project)];
    return { entries, stamps };
  }

  async #compare(): Promise<Plan> {
    const { request, ports, log, signal } = this.#it;
    // Without a state to compare with, a few paths would be published as if they were the whole tree.
    const scope = scopeOf(request.force || this.#known.entries.size === 0 ? undefined : request.paths);
    const comparison = new Comparison(this.#known, scope, request.settings);
    for await (const batch of ports.files.walk(request.root, walkOptions(request, scope.paths, signal))) {
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
    const waiting = cutBatches(plan.tasks, capacity);
    const underWay: Promise<ReadResults>[] = [];
    while (waiting.length > 0 || underWay.length > 0) {
      while (waiting.length > 0 && underWay.length < capacity) underWay.push(this.#read(waiting.shift()!));
      await this.#take(await this.#step("read", () => underWay.shift()!), plan);
      signal.throwIfAborted();
    }
  }

  #read(tasks: Plan["tasks"]): Promise<ReadResults> {
    const { request, ports, signal } = this.#it;
    const { root, project, settings } = request;
    const known = this.#build.known.bind(this.#build);
    const results = ports.parsers.read({ root, project, settings, tasks, known, signal });
    // Awaited in turn; when an earlier one fails, nobody asks for the later ones any more.
    results.catch(() => {});
    return results;
  }

  async #take(results: ReadResults, into: Difference): Promise<void> {
    const { log } = this.#it;
    let symbols = 0;
    for (const outcome of results.outcomes) {
      note(into, outcome, this.#known);
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
    if (plan.stamps.length > 0) await this.#build.restamp(request.project, plan.stamps);
    // A forced run replaces an index that may be beyond reading.
    const before = request.force ? undefined : await infoOf(ports.store, request.ref);
    const needed = request.force || plan.changes.length > 0 || before === undefined || before.commit !== request.commit;
    signal.throwIfAborted();
    if (needed) await this.#commit(plan);
    await this.#step("finish", () => log.published(plan.changes.length));
    return this.#report(plan, needed, (needed ? await infoOf(ports.store, request.ref) : before)!);
  }

  async #commit(plan: Plan): Promise<void> {
    const { request, ports } = this.#it;
    await this.#build.publish({
      jobId: request.jobId,
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

function walkOptions(
  { settings }: IndexRequest,
  only: readonly string[] | undefined,
  signal: AbortSignal,
): WalkOptions {
  return { hidden: settings.hidden, ignoreFiles: settings.ignoreFiles, signal, ...(only !== undefined && { only }) };
}

/** From the view's row: the writer needs no snapshot, which would load every entry. */
async function infoOf(store: Store, ref: string): Promise<ViewInfo | undefined> {
  return (await store.views()).find((view) => view.ref === ref);
}
