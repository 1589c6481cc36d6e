/** Answers questions about published views away from the caller's thread, so that a heavy one delays nobody's ping. */
import type { ProjectId } from "../model/ids.ts";

/** The view that a question is about, as any thread can open it. */
export interface ViewAddress {
  readonly storeLocation: string;
  /** Whose ids the answers carry. */
  readonly project: ProjectId;
  readonly view: string;
  /** What its caller calls it, for messages. */
  readonly ref: string;
}

export interface ReadAnswer {
  readonly answer: unknown;
  /** The state that it was answered from, which was the newest: `ViewInfo.stateId`. */
  readonly stateId: string;
}

export interface Readers {
  /** Whether a view of this size is worth a thread. */
  takes(chunkCount: number): boolean;
  /** Calls a method of the view's reading. Arguments and answer are plain data; refusals arrive as they were thrown. */
  ask(at: ViewAddress, method: string, args: readonly unknown[], signal?: AbortSignal): Promise<ReadAnswer>;
  /** Every thread opens the view; false where it is too small to be asked there. */
  warm(at: ViewAddress, chunkCount: number): Promise<boolean>;
  /** Nobody needs this store any more. */
  forget(storeLocation: string): void;
  /** As `Store.rest`, in every thread. */
  rest(): void;
  close(): Promise<void>;
}
