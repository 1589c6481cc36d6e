/**
 * Asks several workspaces, a few at a time, until all have answered or time is up. Who is late or fails is written down
 * and does not keep the others from answering.
 */
import { CompassError, type ErrorCode } from "../../model/errors.ts";
import type { AnsweredWorkspace, MultiRepoReport } from "../../model/multi-repository.ts";
import type { Env } from "../../ports/env.ts";
import type { Project, Reading, ReadOptions, ViewStatus } from "../compass.ts";

/** Each holds a view in memory while it is asked; more at once would not be quicker. */
const AT_ONCE = 4;

export interface FanOutOptions {
  /** How many workspaces the question is about, whether or not they are asked. */
  readonly selected: number;
  readonly read: <T>(project: Project, options: ReadOptions, use: (reading: Reading) => Promise<T>) => Promise<T>;
  readonly options: ReadOptions;
  /** Ends when time is up, or when nobody wants the answer any more. */
  readonly stop: AbortSignal;
}

interface Held {
  readonly reading: Reading;
  done(): void;
}

export class FanOut {
  readonly #by: FanOutOptions;
  readonly #standings = new Map<string, ViewStatus>();
  readonly #held = new Map<string, Held>();
  readonly #failed = new Map<string, { readonly code: ErrorCode; readonly message: string; readonly error: unknown }>();
  readonly #late = new Set<string>();
  readonly #notIndexed = new Set<string>();
  #passedOver = 0;

  constructor(by: FanOutOptions) {
    this.#by = by;
  }

  /**
   * The answers of those that gave one, in the order of the projects. Who has an answer worth keeping stays open: what is
   * shown of a hit is read from the view that it was found in.
   */
  async ask<T>(
    projects: readonly Project[],
    question: (reading: Reading) => Promise<T>,
    keeps: (answer: T) => boolean = () => false,
  ): Promise<readonly { readonly workspace: string; readonly answer: T }[]> {
    this.#passedOver = this.#by.selected - projects.length;
    const answers = new Map<string, T>();
    const waiting = [...projects];
    const askNext = async (): Promise<void> => {
      for (let project = waiting.shift(); project !== undefined; project = waiting.shift()) {
        if (this.#by.stop.aborted) this.#late.add(project.root);
        else await this.#one(project, question, { answers, keeps });
      }
    };
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, projects.length) }, askNext));
    this.#requireSense();
    if (answers.size === 0) this.#requireAny();
    return projects.flatMap(({ root }) => (answers.has(root) ? [{ workspace: root, answer: answers.get(root)! }] : []));
  }

  /** The open reading of a workspace that has answered. */
  reading(workspace: string): Reading | undefined {
    return this.#held.get(workspace)?.reading;
  }

  release(): void {
    for (const root of [...this.#held.keys()]) this.#letGo(root);
  }

  note(late: readonly string[], passedOver: number): void {
    for (const name of late) this.#late.add(name);
    this.#passedOver = passedOver;
  }

  /** `shown`: workspaces that have a part in the answer. */
  report(shown: ReadonlySet<string>): MultiRepoReport {
    const missing = this.#late.size + this.#failed.size + this.#notIndexed.size;
    const answered = [...shown].sort().flatMap((workspace): AnsweredWorkspace[] => {
      const standing = this.#standings.get(workspace);
      return standing === undefined ? [] : [answeredBy(workspace, standing)];
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

  get standings(): readonly ViewStatus[] {
    return [...this.#standings.values()];
  }

  async #one<T>(
    project: Project,
    question: (reading: Reading) => Promise<T>,
    { answers, keeps }: { readonly answers: Map<string, T>; readonly keeps: (answer: T) => boolean },
  ): Promise<void> {
    const { root } = project;
    let kept = false;
    try {
      const asked = this.#open(project).then(async (reading) => ({ reading, answer: await question(reading) }));
      const { reading, answer } = await inTime(asked, this.#by.stop);
      this.#standings.set(root, reading.status);
      if (reading.status.schema === "not_indexed") this.#notIndexed.add(root);
      else answers.set(root, answer);
      kept = keeps(answer);
    } catch (error) {
      this.#fail(root, error);
    } finally {
      if (!kept) this.#letGo(root);
    }
  }

  #letGo(root: string): void {
    this.#held.get(root)?.done();
    this.#held.delete(root);
  }

  /** Whoever comes after time is up finds nobody to wait for it. */
  #open(project: Project): Promise<Reading> {
    return new Promise((resolve, reject) => {
      const { read, options, stop } = this.#by;
      read(project, { ...options, signal: stop, builds: false }, async (reading) => {
        if (stop.aborted) return;
        const { promise, resolve: done } = Promise.withResolvers<void>();
        this.#held.set(project.root, { reading, done });
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

  /** What is wrong with the question is not wrong with a workspace. */
  #requireSense(): void {
    for (const { code, error } of this.#failed.values()) if (code === "invalid_input") throw error;
  }

  /** An error is never an empty page: where nobody could answer, the first reason is the answer. */
  #requireAny(): void {
    const [first] = this.#failed.values();
    if (first !== undefined && this.#failed.size === this.#by.selected - this.#passedOver) throw first.error;
  }
}

const BUG = { code: "internal_error", message: "unexpected failure, see the server's log" } as const;

function answeredBy(workspace: string, { ref, freshness, published }: ViewStatus): AnsweredWorkspace {
  return { workspace, ref, ...(published?.commit !== undefined && { commit: published.commit }), freshness };
}

/** Whoever does not hear the signal is not waited for. */
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
