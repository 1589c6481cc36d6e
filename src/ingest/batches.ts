/**
 * Cuts the files to be read into requests: large enough that a segment pays, small enough for all workers and for memory.
 * Work that fits into memory as a whole begins with the request that takes longest, so that no worker is left alone with it.
 */
import { languageOf } from "../languages/index.ts";
import type { Parsers, ReadTask } from "../ports/parsers.ts";

/** How large requests may be, and what all that are under way may hold together. */
interface BatchLimits {
  readonly bytes: number;
  readonly files: number;
  readonly inFlightBytes: number;
  /** How many more than are read at once may be held: those that were read wait for an earlier one that takes longer. */
  readonly ahead: number;
}

/** About 4,000 chunks: a segment of this size is built in a second or two. */
const SMALL_LIMITS: BatchLimits = { bytes: 3_000_000, files: 500, inFlightBytes: 16_000_000, ahead: 0 };
/**
 * Where there is memory to spare: half as many segments hold half as many words twice, and are not merged at once
 * (3.5 million lines into PostgreSQL: 6 % less CPU, 14 MB more memory).
 */
const LARGE_LIMITS: BatchLimits = { bytes: 6_000_000, files: 1_200, inFlightBytes: 24_000_000, ahead: 4 };
const MIN_BATCH_BYTES = 250_000;
/**
 * Shares that what is left is cut into, by capacity: large ones first, since a segment costs less the more it holds, and
 * small ones last, so that all workers end at about the same time.
 */
const SHARES_OF_REST = 0.75;
/** Shares of all, of which no request takes less. On two cores a small tree becomes seven: stores merge eight (`engine/tiers`). */
const SHARES = 3;
/** Of a large tree less is taken at the end: its last request is one that the other workers wait for. */
const MAX_LAST_BATCH_BYTES = 400_000;
/**
 * Less than this is little: optimising code for it costs what it gains. A branch of 3.5 MB took 7 % less CPU without most
 * of it, all of django 6 % more.
 */
const SMALL_WORK_BYTES = 8_000_000;

export function isSmallWork(tasks: readonly ReadTask[]): boolean {
  return totalBytes(tasks) <= SMALL_WORK_BYTES;
}

export function chooseBatchLimits({ isRoomy }: Pick<Parsers, "isRoomy">): BatchLimits {
  return isRoomy ? LARGE_LIMITS : SMALL_LIMITS;
}

/** How many requests may be under way or wait to be taken in their order. */
export function maxInFlight(batches: readonly ReadTask[][], capacity: number, room: BatchLimits): number {
  return totalBytes(batches.flat()) > room.inFlightBytes ? capacity : batches.length;
}

/** `sharers`: trees that are read at once, this one included. */
export function cutBatches(tasks: readonly ReadTask[], capacity: number, room: BatchLimits, sharers = 1): ReadTask[][] {
  const total = totalBytes(tasks);
  const most = Math.min(room.bytes, room.inFlightBytes / capacity);
  // Others keep the workers busy that a small tree need not be cut for: fewer segments are asked in less time. A large
  // one may be the last.
  const workers = total > room.inFlightBytes ? capacity : Math.ceil(capacity / sharers);
  const nextLimit = (rest: number) => {
    const least = Math.min(MAX_LAST_BATCH_BYTES, total / (workers * SHARES));
    const fair = Math.max(least, rest / (workers * SHARES_OF_REST));
    return Math.max(MIN_BATCH_BYTES, Math.min(most, fair));
  };
  const batches: ReadTask[][] = [];
  let [rest, limit, bytes] = [total, 0, Number.POSITIVE_INFINITY];
  for (const task of tasks) {
    if (bytes + task.size > limit || batches.at(-1)!.length >= room.files) {
      batches.push([]);
      limit = nextLimit(rest);
      bytes = 0;
    }
    batches.at(-1)!.push(task);
    bytes += task.size;
    rest -= task.size;
  }
  return total > room.inFlightBytes ? batches : largestFirst(batches);
}

/** Equal ones stay in the order of their paths. */
function largestFirst(batches: readonly ReadTask[][]): ReadTask[][] {
  const sized = batches.map((batch) => ({ batch, work: estimateWork(batch) }));
  return sized.sort((a, b) => b.work - a.work).map(({ batch }) => batch);
}

/** Of a file that is not parsed, as much as of one a third its size that is. */
const TEXT_WORK = 1 / 3;

/** How long files take to be read, beside others. */
export function estimateWork(tasks: readonly ReadTask[]): number {
  return tasks.reduce((sum, { path, size }) => sum + size * (languageOf(path).grammar ? 1 : TEXT_WORK), 0);
}

function totalBytes(tasks: readonly ReadTask[]): number {
  return tasks.reduce((sum, task) => sum + task.size, 0);
}

interface QueueLimits {
  /** Worked on at once; asked again each time. */
  readonly atOnce: () => number;
  /** How many more may be begun and not taken: those that are done wait for an earlier one. */
  readonly ahead: number;
}

export class OrderedQueue<T, R> {
  readonly #waiting: T[];
  readonly #work: (one: T) => Promise<R>;
  readonly #pace: QueueLimits;
  readonly #begun: Promise<R>[] = [];
  #atWork = 0;
  #isOver = false;

  constructor(waiting: readonly T[], work: (one: T) => Promise<R>, pace: QueueLimits) {
    this.#waiting = [...waiting];
    this.#work = work;
    this.#pace = pace;
  }

  get isDone(): boolean {
    return this.#waiting.length === 0 && this.#begun.length === 0;
  }

  /** Behind all others. */
  add(more: readonly T[]): void {
    this.#waiting.push(...more);
  }

  /** What came of the next one; the one after it is begun before whoever asked has done anything with it. */
  async next(): Promise<R> {
    this.#begin();
    const result = await this.#begun[0]!;
    this.#begun.shift();
    this.#begin();
    return result;
  }

  /** Nothing more is begun. */
  stop(): void {
    this.#isOver = true;
  }

  #begin(): void {
    const { atOnce, ahead } = this.#pace;
    while (!this.#isOver && this.#waiting.length > 0 && this.#atWork < atOnce()) {
      if (this.#begun.length >= atOnce() + ahead) return;
      const result = this.#work(this.#waiting.shift()!);
      this.#begun.push(result);
      this.#atWork++;
      const done = () => {
        this.#atWork--;
        this.#begin();
      };
      // A failure is told to whoever asks for it.
      result.then(done, done);
    }
  }
}
