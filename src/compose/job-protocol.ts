/** What the caller and the thread or process that runs its jobs say to each other. Errors cross as their code and data. */
import { CompassError, ERRORS, type ErrorCode } from "../model/errors.ts";
import type { IndexReport, JobProgress } from "../model/jobs.ts";
import type { IndexRequest, Rehearsal } from "../ports/indexer.ts";

/** What a job loop is started with. */
export interface JobData {
  /** The connection string of a shared store; empty for indexes on this machine. */
  readonly store: string;
  /** How many jobs run at once. */
  readonly jobs: number;
  /** What parse workers may take for their speed. */
  readonly memory: "little" | "brief" | "plenty";
}

export type ToJobs =
  | { readonly type: "run"; readonly id: number; readonly request: IndexRequest }
  | { readonly type: "cancel"; readonly id: number }
  | { readonly type: "rehearse"; readonly rehearsal: Rehearsal }
  | { readonly type: "close" };

export type FromJobs =
  | { readonly type: "progress"; readonly id: number; readonly progress: JobProgress }
  | { readonly type: "done"; readonly id: number; readonly report: IndexReport }
  | { readonly type: "failed"; readonly id: number; readonly error: WireError };

export type WireError =
  | { readonly code: ErrorCode; readonly data: Readonly<Record<string, unknown>> }
  | { readonly cancelled: true };

export function toWire(error: unknown): WireError {
  if (error instanceof CompassError) return { code: error.code, data: plain(error.data) };
  if (error instanceof Error && error.name === "AbortError") return { cancelled: true };
  return { code: "internal_error", data: { reason: error instanceof Error ? error.message : String(error) } };
}

export function fromWire(error: WireError): Error {
  if ("cancelled" in error) return new DOMException("The job was cancelled.", "AbortError");
  return new CompassError(error.code in ERRORS ? error.code : "internal_error", error.data);
}

/** Data of an error is JSON; anything else in it could not cross. */
function plain(data: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return JSON.parse(JSON.stringify(data)) as Readonly<Record<string, unknown>>;
}
