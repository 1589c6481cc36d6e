/**
 * Splits the files to be read into batches: large enough for efficient segments, small enough for all workers and for
 * memory. Work that fits into memory starts with the longest batch, so that no worker is left alone with it at the end.
 */
import { detectLanguage } from "../languages/index.ts";
import type { Parsers, ReadTask } from "../ports/parsers.ts";

export interface BatchLimits {
  readonly bytes: number;
  readonly files: number;
  readonly inFlightBytes: number;
  /** Finished batches that may wait for an earlier, slower one. */
  readonly ahead: number;
}

/** About 4,000 chunks: a segment of this size is built in a second or two. */
const SMALL_LIMITS: BatchLimits = { bytes: 3_000_000, files: 500, inFlightBytes: 16_000_000, ahead: 0 };
/**
 * With memory to spare: half as many segments repeat half as many words and are not merged at once (3.5 million lines into
 * PostgreSQL: 6 % less CPU, 14 MB more memory).
 */
const LARGE_LIMITS: BatchLimits = { bytes: 6_000_000, files: 1_200, inFlightBytes: 24_000_000, ahead: 4 };
const MIN_BATCH_BYTES = 250_000;
/**
 * The rest is divided by this and the number of workers: large batches first, because large segments are cheaper, and
 * small ones last, so that all workers finish at about the same time.
 */
const SHARES_OF_REST = 0.75;
/** Lower bound: no batch is smaller than this fraction of all work. Two cores split a small tree into seven; stores merge eight. */
const SHARES = 3;
/** Upper limit of that bound: the last batch of a large tree should be short, because the other workers wait for it. */
const MAX_LAST_BATCH_BYTES = 400_000;

export function chooseBatchLimits({ isRoomy }: Pick<Parsers, "isRoomy">): BatchLimits {
  return isRoomy ? LARGE_LIMITS : SMALL_LIMITS;
}

/** Batches that may be in progress or wait for an earlier one. */
export function maxInFlight(batches: readonly ReadTask[][], capacity: number, limits: BatchLimits): number {
  return totalBytes(batches.flat()) > limits.inFlightBytes ? capacity : batches.length;
}

/** `sharers`: trees that are read concurrently, including this one. */
export function cutBatches(
  tasks: readonly ReadTask[],
  capacity: number,
  limits: BatchLimits,
  sharers = 1,
): ReadTask[][] {
  const total = totalBytes(tasks);
  const isLarge = total > limits.inFlightBytes;
  const maxBytes = Math.min(limits.bytes, limits.inFlightBytes / capacity);
  // Other trees keep the workers busy, so a small tree needs fewer, larger segments. A large one may be the last.
  const workers = isLarge ? capacity : Math.ceil(capacity / sharers);
  const least = Math.min(MAX_LAST_BATCH_BYTES, total / (workers * SHARES));
  const batches: ReadTask[][] = [];
  let [rest, limit, bytes] = [total, 0, Number.POSITIVE_INFINITY];
  for (const task of tasks) {
    if (bytes + task.size > limit || batches.at(-1)!.length >= limits.files) {
      const fair = Math.max(least, rest / (workers * SHARES_OF_REST));
      limit = Math.max(MIN_BATCH_BYTES, Math.min(maxBytes, fair));
      batches.push([]);
      bytes = 0;
    }
    batches.at(-1)!.push(task);
    bytes += task.size;
    rest -= task.size;
  }
  if (isLarge) return batches;
  const rated = batches.map((batch) => ({ batch, work: estimateWork(batch) }));
  return rated.sort((a, b) => b.work - a.work).map(({ batch }) => batch);
}

/** A file that is not parsed takes as long as a parsed one of a third of its size. */
const TEXT_WORK = 1 / 3;

/** Relative duration of reading the files. */
export function estimateWork(tasks: readonly ReadTask[]): number {
  return tasks.reduce((sum, { path, size }) => sum + size * (detectLanguage(path).grammar ? 1 : TEXT_WORK), 0);
}

function totalBytes(tasks: readonly ReadTask[]): number {
  return tasks.reduce((sum, task) => sum + task.size, 0);
}

export interface QueueLimits {
  /** Maximum concurrency; called again for each start. */
  readonly atOnce: () => number;
  /** Finished items that may wait for an earlier one. */
  readonly ahead: number;
}

/** Works on several items concurrently and returns the results in the order of the items. */
export class OrderedQueue<T, R> {
  readonly #waiting: T[];
  readonly #work: (item: T) => Promise<R>;
  readonly #limits: QueueLimits;
  readonly #started: Promise<R>[] = [];
  #running = 0;
  #isStopped = false;

  constructor(items: readonly T[], work: (item: T) => Promise<R>, limits: QueueLimits) {
    this.#waiting = [...items];
    this.#work = work;
    this.#limits = limits;
  }

  get isDone(): boolean {
    return this.#waiting.length === 0 && this.#started.length === 0;
  }

  /** Appends items. */
  add(items: readonly T[]): void {
    this.#waiting.push(...items);
  }

  /** The next result. The following item is started before the caller handles it. */
  async next(): Promise<R> {
    this.#start();
    const result = await this.#started[0]!;
    this.#started.shift();
    this.#start();
    return result;
  }

  /** Starts no further item. */
  stop(): void {
    this.#isStopped = true;
  }

  #start(): void {
    const { atOnce, ahead } = this.#limits;
    while (!this.#isStopped && this.#waiting.length > 0 && this.#running < atOnce()) {
      if (this.#started.length >= atOnce() + ahead) return;
      const result = this.#work(this.#waiting.shift()!);
      this.#started.push(result);
      this.#running++;
      const done = () => {
        this.#running--;
        this.#start();
      };
      // `next` reports a failure.
      result.then(done, done);
    }
  }
}
