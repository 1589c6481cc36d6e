/** What the caller's thread and a reader thread say to each other. */
import type { EmbeddingSettings } from "../ports/indexer.ts";
import type { TokenOwner } from "../ports/principals.ts";
import type { ReadAnswer, ViewAddress } from "../ports/readers.ts";
import type { WireError } from "./job-protocol.ts";

/** What a reader thread is started with. */
export interface ReaderData {
  readonly embedding: EmbeddingSettings | undefined;
  /** The connection string of a shared store; empty for indexes on this machine. */
  readonly store: string;
  /** Ask with the rights of each question's principal. */
  readonly guarded: boolean;
  /** A replica of it to read from; empty: none. */
  readonly readStore: string;
}

export type ToReader =
  | {
      readonly type: "ask";
      readonly id: number;
      readonly at: ViewAddress;
      readonly method: string;
      readonly args: readonly unknown[];
      readonly stop: SharedArrayBuffer;
      /** Whose rights apply; undefined: none. */
      readonly principal: TokenOwner | undefined;
      /** How far the store must be seen. */
      readonly horizon: number;
    }
  | { readonly type: "forget"; readonly storeLocation: string }
  | { readonly type: "rest" }
  | { readonly type: "close" };

export type FromReader =
  | { readonly type: "done"; readonly id: number; readonly answer: ReadAnswer }
  /** The same as one string: ten results of a search are hundreds of small values, which cross one by one otherwise. */
  | { readonly type: "said"; readonly id: number; readonly json: string }
  | { readonly type: "failed"; readonly id: number; readonly error: WireError };

/**
 * A signal that crosses threads: a busy thread hears no message, but it can look at shared memory. Has what the read
 * path uses of an `AbortSignal`.
 */
export function sharedSignal(stop: SharedArrayBuffer): AbortSignal {
  const cell = new Int32Array(stop);
  const aborted = () => Atomics.load(cell, 0) === 1;
  const reason = () => (aborted() ? new DOMException("The request was cancelled.", "AbortError") : undefined);
  return {
    get aborted() {
      return aborted();
    },
    get reason() {
      return reason();
    },
    throwIfAborted() {
      if (aborted()) throw reason();
    },
    addEventListener() {},
    removeEventListener() {},
  } as unknown as AbortSignal;
}

export function newStop(): SharedArrayBuffer {
  return new SharedArrayBuffer(4);
}

export function setStop(stop: SharedArrayBuffer): void {
  Atomics.store(new Int32Array(stop), 0, 1);
}
