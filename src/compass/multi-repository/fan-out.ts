/**
 * Runs a request in several workspaces, a few at a time, until all have answered or time is up. Those that are late or
 * fail are reported and do not keep the others from answering.
 */
import { CompassError, type ErrorCode } from "../../model/errors.ts";
import type { AnsweredWorkspace, MultiRepoReport } from "../../model/multi-repository.ts";
import type { Env } from "../../ports/env.ts";
import type { Project, Reading, ReadOptions, ViewStatus } from "../compass.ts";

/** Each holds a view in memory while it answers; more at once would not be quicker. */
const AT_ONCE = 4;

export interface FanOutOptions {
  /** How many workspaces the request is about, whether or not they are opened. */
  readonly selected: number;
  readonly read: <T>(project: Project, options: ReadOptions, use: (reading: Reading) => Promise<T>) => Promise<T>;
  readonly options: ReadOptions;
  /** Aborts when time is up, or when the caller aborts. */
  readonly stop: AbortSignal;
}

interface OpenReading {
  readonly reading: Reading;
  done(): void;
}

export class FanOut {
  readonly #by: FanOutOptions;
  readonly #statuses = new Map<string, ViewStatus>();
  readonly #readings = new Map<string, OpenReading>();
  readonly #failed = new Map<string, { readonly code: ErrorCode; readonly message: string; readonly error: unknown }>();
  readonly #late = new Set<string>();
  readonly #notIndexed = new Set<string>();
  #passedOver = 0;

  constructor(by: FanOutOptions) {
    this.#by = by;
  }

  /**
   * The answers, in the order of the projects. A workspace whose answer `keeps` accepts stays open: what is shown of a
   * hit is read from the view that it was found in.
   */
  async ask<T>(
    projects: readonly Project[],
    request: (reading: Reading) => Promise<T>,
    keeps: (answer: T) => boolean = () => false,
  ): Promise<readonly { readonly workspace: string; readonly answer: T }[]> {
    this.#passedOver = this.#by.selected - projects.length;
    const answers = new Map<string, T>();
    const waiting = [...projects];
    const askNext = async (): Promise<void> => {
      for (let project = waiting.shift(); project !== undefined; project = waiting.shift()) {
        if (this.#by.stop.aborted) this.#late.add(project.root);
        else await this.#one(project, request, { answers, keeps });
      }
    };
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, projects.length) }, askNext));
    this.#requireSense();
    if (answers.size === 0) this.#requireAny();
    return projects.flatMap(({ root }) => (answers.has(root) ? [{ workspace: root, answer: answers.get(root)! }] : []));
  }

  /** The open reading of a workspace that has answered. */
  reading(workspace: string): Reading | undefined {
    return this.#readings.get(workspace)?.reading;
  }

  /** Continues with a workspace that `ask` has kept; undefined where it fails now. */
  async resume<T>(workspace: string, request: (reading: Reading) => Promise<T>): Promise<T | undefined> {
    try {
      return await inTime(request(this.reading(workspace)!), this.#by.stop);
    } catch (error) {
      this.#fail(workspace, error);
      this.#release(workspace);
      return undefined;
    }
  }

  release(): void {
    for (const root of [...this.#readings.keys()]) this.#release(root);
  }

  note(late: readonly string[], passedOver: number): void {
    for (const name of late) this.#late.add(name);
    this.#passedOver = passedOver;
  }

  /** `shown`: workspaces that have a part in the answer. */
  report(shown: ReadonlySet<string>): MultiRepoReport {
    const missing = this.#late.size + this.#failed.size + this.#notIndexed.size;
    const answered = [...shown].sort().flatMap((workspace): AnsweredWorkspace[] => {
      const status = this.#statuses.get(workspace);
      return status === undefined ? [] : [answeredBy(workspace, status)];
    });
    return {
      selected: this.#by.selected,
      searched: this.#by.selected - missing,
      passedOver: this.#passedOver,
      answered,
      late: [...this.#late].sort(),
      failed: [...this.#failed].map(([workspace, { code, message }]) => ({ workspace, code, message })),
      notIndexed: [...this.#notIndexed].sort(),
    };
  }

  get statuses(): readonly ViewStatus[] {
    return [...this.#statuses.values()];
  }

  async #one<T>(
    project: Project,
    request: (reading: Reading) => Promise<T>,
    { answers, keeps }: { readonly answers: Map<string, T>; readonly keeps: (answer: T) => boolean },
  ): Promise<void> {
    const { root } = project;
    let kept = false;
    try {
      const answering = this.#open(project).then(async (reading) => ({ reading, answer: await request(reading) }));
      const { reading, answer } = await inTime(answering, this.#by.stop);
      this.#statuses.set(root, reading.status);
      if (reading.status.schema === "not_indexed") this.#notIndexed.add(root);
      else answers.set(root, answer);
      kept = keeps(answer);
    } catch (error) {
      this.#fail(root, error);
    } finally {
      if (!kept) this.#release(root);
    }
  }

  #release(root: string): void {
    this.#readings.get(root)?.done();
    this.#readings.delete(root);
  }

  /** A reading that opens after the deadline is released at once. */
  #open(project: Project): Promise<Reading> {
    return new Promise((resolve, reject) => {
      const { read, options, stop } = this.#by;
      read(project, { ...options, signal: stop, builds: false }, async (reading) => {
        if (stop.aborted) return;
        const { promise, resolve: done } = Promise.withResolvers<void>();
        this.#readings.set(project.root, { reading, done });
        resolve(reading);
        await promise;
      }).catch(reject);
    });
  }

  #fail(workspace: string, error: unknown): void {
    if (this.#by.stop.aborted && !(error instanceof CompassError)) this.#late.add(workspace);
    else if (error instanceof CompassError && error.code === "index_not_ready") this.#notIndexed.add(workspace);
    else {
      const { code, message } = error instanceof CompassError ? error : BUG;
      this.#failed.set(workspace, { code, message, error });
    }
  }

  /** A fault of the request is not a fault of a workspace. */
  #requireSense(): void {
    for (const { code, error } of this.#failed.values()) if (code === "invalid_input") throw error;
  }

  /** An error is never an empty page: where no workspace could answer, throws the first reason. */
  #requireAny(): void {
    const [first] = this.#failed.values();
    if (first !== undefined && this.#failed.size === this.#by.selected - this.#passedOver) throw first.error;
  }
}

const BUG = { code: "internal_error", message: "unexpected failure, see the server's log" } as const;

function answeredBy(workspace: string, { ref, freshness, published }: ViewStatus): AnsweredWorkspace {
  return { workspace, ref, ...(published?.commit !== undefined && { commit: published.commit }), freshness };
}

/** Does not wait for work that ignores the signal. */
function inTime<T>(work: Promise<T>, stop: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(stop.reason);
    stop.addEventListener("abort", giveUp, { once: true });
    if (stop.aborted) giveUp();
    work.then(resolve, reject).finally(() => stop.removeEventListener("abort", giveUp));
  });
}

export const WIDE_DEADLINE_MS = 5_000;

/** Ends with the caller's own signal, or when the time is over. */
export function timeLimit(env: Env, ms: number, signal: AbortSignal | undefined): AbortSignal {
  const controller = new AbortController();
  const end = () => controller.abort(signal?.aborted ? signal.reason : undefined);
  void env.sleep(ms).then(end);
  signal?.addEventListener("abort", end, { once: true });
  if (signal?.aborted) end();
  return controller.signal;
}
