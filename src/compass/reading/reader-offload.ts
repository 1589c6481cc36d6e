/** A reading whose questions are answered by another thread. What it knows of itself stays here. */

import { isLongTurn, nextTurn } from "../../model/event-loop.ts";
import type { ProjectId } from "../../model/ids.ts";
import type { SearchAnswer, SearchRequest } from "../../model/search.ts";
import type { Readers, ViewAddress } from "../../ports/readers.ts";
import type { Snapshot } from "../../ports/snapshot.ts";
import type { SearchFindings } from "../../query/show.ts";
import type { Reading } from "../compass.ts";
import type { Tree } from "../projects/tree.ts";
import { READ_METHODS, READ_POLICIES, type ReadApi, type ReadMethod } from "./read-methods.ts";
import type { SearchHalves } from "./reading.ts";

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
export function offloadReading(reading: Reading & Partial<SearchHalves>, by: ReaderOffload): Reading {
  const { readers, answers, snapshot, signal } = by;
  if (snapshot === undefined || !readers?.takes(snapshot.info.chunkCount) || answers === undefined) return reading;
  const at = viewAddress(by.tree, { ...by, snapshot, ref: reading.status.ref });
  const { stateId } = snapshot.info;
  const read = <M extends ReadMethod>(method: M, args: Parameters<ReadApi[M]>) =>
    answers.read(at, stateId, method, args, signal);
  const offloaded: Partial<Record<ReadMethod, AnyMethod>> = {};
  for (const method of READ_METHODS) {
    const { runsIn, queued } = READ_POLICIES[method];
    const local = reading[method] as AnyMethod | undefined;
    if (local === undefined) continue;
    if (runsIn === "reader") offloaded[method] = (...args) => read(method, args as Parameters<ReadApi[typeof method]>);
    else if (queued) offloaded[method] = (...args) => answers.turns.take(() => local(...args), signal);
  }
  const search = async (request: SearchRequest): Promise<SearchAnswer> => {
    const found = await read("find", [request, stateId]);
    return "shown" in found ? found.shown : showOnce(found, reading.show!);
  };
  return { ...reading, ...(offloaded as object), search };
}

/** By what was found: as long as that is remembered, what is shown of it is. */
const shown = new WeakMap<SearchFindings, Promise<SearchAnswer>>();

function showOnce(found: SearchFindings, show: SearchHalves["show"]): Promise<SearchAnswer> {
  const known = shown.get(found);
  // Another request's, which may have been cancelled or have lost its rights meanwhile.
  if (known !== undefined) return known.catch(() => show(found));
  const answer = show(found);
  shown.set(found, answer);
  answer.catch(() => shown.delete(found));
  return answer;
}

export interface Addressed {
  readonly storeProject: ProjectId;
  readonly snapshot: Snapshot;
  readonly ref: string;
}

export function viewAddress(tree: Tree, { storeProject, snapshot, ref }: Addressed): ViewAddress {
  return { storeLocation: tree.row.storeLocation, project: storeProject, view: snapshot.info.ref, ref };
}

const MOST_ANSWERS = 256;
/** One question cannot fill the cache. */
const MOST_KEY_CHARS = 2_000;

type ReadResult<M extends ReadMethod> = Awaited<ReturnType<ReadApi[M]>>;

export class AnswerCache {
  /** A map remembers the order of insertion: the first was not asked for longest. */
  readonly #kept = new Map<string, unknown>();
  readonly #readers: Readers<ReadApi>;
  /** What is not remembered waits here. */
  readonly turns = new RequestQueue();

  constructor(readers: Readers<ReadApi>) {
    this.#readers = readers;
  }

  async read<M extends ReadMethod>(
    at: ViewAddress,
    stateId: string,
    method: M,
    args: Parameters<ReadApi[M]>,
    signal?: AbortSignal,
  ): Promise<ReadResult<M>> {
    const key = JSON.stringify([at, stateId, method, args]);
    if (this.#kept.has(key)) return this.#again(key) as ReadResult<M>;
    const read = () => this.#readers.read(at, method, args, signal);
    const { answer, stateId: answered } = await this.turns.take(read, signal);
    // A thread answers from the newest state; one that was published meanwhile is not what was asked about.
    const lasts = READ_POLICIES[method].cached === true && answered === stateId;
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

  /** Whoever waits longest takes over the place. One after the other would keep everybody else from being heard. */
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
