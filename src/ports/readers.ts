/** Answers requests about published views in other threads, so that a slow one does not delay the caller's thread. */
import type { ProjectId } from "../model/ids.ts";

/** The view that a request is about, as any thread can open it. */
export interface ViewAddress {
  readonly storeLocation: string;
  /** The project whose ids the answers carry. */
  readonly project: ProjectId;
  readonly view: string;
  /** The newest state that the caller has just read: a thread that has it need not ask for it again. */
  readonly stateId: string;
  /** What its caller calls it, for messages. */
  readonly ref: string;
}

export interface ReadAnswer<T = unknown> {
  readonly answer: T;
  /** The state it was answered from, which was the newest: `ViewInfo.stateId`. */
  readonly stateId: string;
}

/** Arguments and results are plain data. */
export type ReadMethods<Api> = { readonly [M in keyof Api]: (...args: never[]) => Promise<unknown> };

export interface Readers<Api extends ReadMethods<Api>> {
  /** Whether a view of this size is worth a thread. */
  takes(chunkCount: number): boolean;
  /** Calls a method of the view's reading. Errors arrive as they were thrown. */
  read<M extends keyof Api & string>(
    at: ViewAddress,
    method: M,
    args: Parameters<Api[M]>,
    signal?: AbortSignal,
  ): Promise<ReadAnswer<Awaited<ReturnType<Api[M]>>>>;
  /** Every thread opens the view; false where it is too small to be read there. */
  warm(at: ViewAddress, chunkCount: number): Promise<boolean>;
  /** Closes the store in every thread. */
  forget(storeLocation: string): void;
  /** As `Store.rest`, in every thread. */
  rest(): void;
  close(): Promise<void>;
}
