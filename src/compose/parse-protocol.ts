/** What a parse worker and its pool say to each other. */
import type { BatchRequest } from "../ingest/read-batch.ts";
import type { ReadResults } from "../ports/parsers.ts";
import type { VersionKey } from "../ports/versions.ts";

export type ToParser =
  | { readonly type: "read"; readonly id: number; readonly request: BatchRequest }
  /** The answer to `ask`: texts of the keys that the store has. */
  | { readonly type: "known"; readonly id: number; readonly keys: ReadonlySet<string> };

export type FromParser =
  | { readonly type: "ask"; readonly id: number; readonly keys: readonly VersionKey[] }
  | { readonly type: "done"; readonly id: number; readonly results: ReadResults };

/**
 * Where a worker is, in shared memory: read by the pool after a crash, when nothing can be said any more, and watched
 * while it runs. A message per file would cost more than many a file.
 */
export class Whereabouts {
  readonly #cells: Int32Array<SharedArrayBuffer>;

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(12)) {
    this.#cells = new Int32Array(buffer);
  }

  get buffer(): SharedArrayBuffer {
    return this.#cells.buffer;
  }

  /** Says that `request` is at `task`; 0 and -1 mean none. */
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

/** Faults that a test asks for. */
export interface ParserFaults {
  /** The worker ends when it is about to parse this path. */
  readonly failAt?: string;
  /** The worker never comes back from this path. */
  readonly hangAt?: string;
  /** The worker stands still at this path for a second, as if its process were stopped. */
  readonly pauseAt?: string;
}

export interface ParserData extends ParserFaults {
  readonly whereabouts: SharedArrayBuffer;
}

/** The sibling module that a thread runs: source under Node's type stripping, or what the build made of it. */
export function siblingModule(name: string): URL {
  return new URL(`./${name}.${import.meta.url.endsWith(".ts") ? "ts" : "js"}`, import.meta.url);
}
