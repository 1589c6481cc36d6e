/** A reading whose methods run in a reader thread where `read-methods.ts` says so, with a cache of recent answers. */
import { isLongTurn, nextTurn } from "../../model/event-loop.ts";
import type { ProjectId } from "../../model/ids.ts";
import type { SearchAnswer, SearchRequest } from "../../model/search.ts";
import type { Readers, ViewAddress } from "../../ports/readers.ts";
import type { Snapshot } from "../../ports/snapshot.ts";
import type { SearchFindings } from "../../query/build-results.ts";
import type { Reading, SearchStages } from "../compass.ts";
import type { Tree } from "../projects/tree.ts";
import { READ_METHODS, READ_POLICIES, type ReadApi, type ReadMethod } from "./read-methods.ts";

export interface ReaderOffload {
  readonly readers: Readers<ReadApi> | undefined;
  readonly answers: AnswerCache | undefined;
  readonly tree: Tree;
  readonly storeProject: ProjectId;
  readonly snapshot: Snapshot | undefined;
  readonly signal?: AbortSignal | undefined;
}

type AnyMethod = (...args: readonly unknown[]) => Promise<unknown>;

/** The same reading where the view is small or there is no thread to ask. */
export function offloadReading(reading: Reading, by: ReaderOffload): Reading {
  const { readers, answers, snapshot, signal } = by;
  if (snapshot === undefined || !readers?.takes(snapshot.info.chunkCount) || answers === undefined) return reading;
  const at = viewAddress(by.tree, { ...by, snapshot, ref: reading.status.ref });
  const { stateId } = snapshot.info;
  const read = <M extends ReadMethod>(method: M, args: Parameters<ReadApi[M]>) =>
    answers.read(at, method, args, signal);
  const offloaded: Partial<Record<ReadMethod, AnyMethod>> = {};
  for (const method of READ_METHODS) {
    const { runsIn, queued } = READ_POLICIES[method];
    const local = reading[method] as AnyMethod | undefined;
    if (local === undefined) continue;
    if (runsIn === "reader") offloaded[method] = (...args) => read(method, args as Parameters<ReadApi[typeof method]>);
    else if (queued) offloaded[method] = (...args) => answers.turns.take(() => local(...args), signal);
  }
  const find: SearchStages["find"] = (request, caller) => read("find", [request, { ...caller, stateId }]);
  const search = async (request: SearchRequest): Promise<SearchAnswer> => {
    const found = await find(request);
    return "shown" in found ? found.shown : showOnce(found, reading.show!);
  };
  return { ...reading, ...(offloaded as object), find, search };
}

/** By what was found: as long as that is remembered, what is shown of it is. */
const shown = new WeakMap<SearchFindings, Promise<SearchAnswer>>();

function showOnce(found: SearchFindings, show: SearchStages["show"]): Promise<SearchAnswer> {
  const known = shown.get(found);
  // Another request's, which may have been cancelled or have lost its rights meanwhile.
  if (known !== undefined) return known.catch(() => show(found));
  const answer = show(found);
  shown.set(found, answer);
  answer.catch(() => shown.delete(found));
  return answer;
}

export interface PinnedView {
  readonly storeProject: ProjectId;
  readonly snapshot: Snapshot;
  readonly ref: string;
}

export function viewAddress(tree: Tree, { storeProject, snapshot, ref }: PinnedView): ViewAddress {
  const { ref: view, stateId } = snapshot.info;
  return { storeLocation: tree.row.storeLocation, project: storeProject, view, stateId, ref };
}

const MOST_ANSWERS = 256;
/** One question cannot fill the cache. */
const MOST_KEY_CHARS = 2_000;

type MethodResult<M extends ReadMethod> = Awaited<ReturnType<ReadApi[M]>>;

export class AnswerCache {
  /** Least recently used first: a map remembers the order of insertion. */
  readonly #kept = new Map<string, unknown>();
  readonly #readers: Readers<ReadApi>;
  /** What is not remembered waits here. */
  readonly turns = new RequestQueue();

  constructor(readers: Readers<ReadApi>) {
    this.#readers = readers;
  }

  async read<M extends ReadMethod>(
    at: ViewAddress,
    method: M,
    args: Parameters<ReadApi[M]>,
    signal?: AbortSignal,
  ): Promise<MethodResult<M>> {
    const key = JSON.stringify([at, method, args]);
    if (this.#kept.has(key)) return this.#again(key) as MethodResult<M>;
    const read = () => this.#readers.read(at, method, args, signal);
    const { answer, stateId: answered } = await this.turns.take(read, signal);
    // A thread answers from the newest state: an answer from one that was published meanwhile is not cached.
    const lasts = READ_POLICIES[method].cached === true && answered === at.stateId;
    if (lasts && key.length <= MOST_KEY_CHARS) this.#keep(key, answer);
    return answer;
  }

  #again(key: string): unknown {
    const answer = this.#kept.get(key);
    this.#kept.delete(key);
    this.#kept.set(key, answer);
    return answer;
  }

  #keep(key: string, answer: unknown): void {
    this.#kept.set(key, answer);
    if (this.#kept.size > MOST_ANSWERS) this.#kept.delete(this.#kept.keys().next().value!);
  }
}

/** Enough for the reader threads and for this one to be never idle. */
const IN_WORK = 8;

export class RequestQueue {
  readonly #most: number;
  readonly #line = new Set<() => void>();
  #inWork = 0;

  constructor(most = IN_WORK) {
    this.#most = most;
  }

  /** Who gives up while waiting loses the place. */
  async take<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    if (this.#inWork < this.#most) this.#inWork++;
    else await this.#turn(signal);
    try {
      return await work();
    } finally {
      this.#next();
    }
  }

  #turn(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = () => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        if (this.#line.delete(start)) reject(signal!.reason);
      };
      this.#line.add(start);
      signal?.addEventListener("abort", leave, { once: true });
    });
  }

  /** The oldest waiting request starts. In a long turn it starts in the next one, so that new requests are received. */
  #next(): void {
    if (this.#line.size > 0 && isLongTurn()) void nextTurn().then(() => this.#hand());
    else this.#hand();
  }

  #hand(): void {
    const [start] = this.#line;
    if (start === undefined) {
      this.#inWork--;
      return;
    }
    this.#line.delete(start);
    start();
  }
}
