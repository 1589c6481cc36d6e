/** What a parse worker and its pool share: the worker's API, its start data, and the position it is at. */
import type { BatchRequest } from "../ingest/read-batch.ts";
import type { ReadResults } from "../ports/parsers.ts";
import type { VersionKey } from "../ports/versions.ts";

export interface ParseApi {
  /** `id`: what the worker's position calls the request. */
  read(id: number, request: BatchRequest): ReadResults;
}

/** What a worker requests from its pool. */
export interface ParserClient {
  /** Texts of those keys that the store has. */
  known(keys: readonly VersionKey[]): ReadonlySet<string>;
}

/** Faults that a test wants. */
export interface ParserFaults {
  /** The worker ends when it is about to parse this path. */
  readonly failAt?: string;
  /** The worker never comes back from this path. */
  readonly hangAt?: string;
  /** The worker pauses at this path for a second, as if its process were stopped. */
  readonly pauseAt?: string;
}

export interface ParserData extends ParserFaults {
  readonly position: SharedArrayBuffer;
}

/**
 * The file that a worker is at, in shared memory: the pool reads it after a crash, when the worker can send nothing any
 * more, and watches it meanwhile. A message for each file would cost more than reading a small file.
 */
export class ParsePosition {
  readonly #cells: Int32Array<SharedArrayBuffer>;

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(12)) {
    this.#cells = new Int32Array(buffer);
  }

  get buffer(): SharedArrayBuffer {
    return this.#cells.buffer;
  }

  /** 0 and -1 mean none. */
  set(request: number, task: number): void {
    Atomics.store(this.#cells, 0, request);
    Atomics.store(this.#cells, 1, task);
    Atomics.add(this.#cells, 2, 1);
  }

  get(): { readonly request: number; readonly task: number; readonly steps: number } {
    const [request, task, steps] = [0, 1, 2].map((cell) => Atomics.load(this.#cells, cell)) as [number, number, number];
    return { request, task, steps };
  }
}
