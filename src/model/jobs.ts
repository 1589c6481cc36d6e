/** An indexing run: its progress and its result. */
import type { Coverage } from "./code.ts";
import type { Generation, JobId } from "./ids.ts";

export type JobMode = "full" | "incremental";
export type JobStage = "scanning" | "parsing" | "indexing" | "finalizing";

export interface JobProgress {
  readonly stage: JobStage;
  readonly filesScanned: number;
  /** Files that this run has to index, as far as is known: one that turns out to be skipped is none of them. */
  readonly filesTotal: number;
  /** Those of them that are in the index now. */
  readonly filesIndexed: number;
  readonly symbolsExtracted: number;
}

/** Queued: it runs as soon as the job of another ref has ended. */
export type JobStatus = "queued" | "running" | "published" | "failed" | "interrupted" | "cancelled";

export interface Job {
  readonly id: JobId;
  readonly ref: string;
  readonly mode: JobMode;
  readonly status: JobStatus;
  readonly progress: JobProgress;
  readonly changedFiles?: number;
  readonly startedAt: number;
  readonly finishedAt?: number;
  /** Machine-readable reason of a failure. */
  readonly error?: string;
  /** The same for a person. */
  readonly errorMessage?: string;
  /** What to do about it, if known. */
  readonly errorSuggestion?: string;
  /** The index was damaged in this way and has been rebuilt. */
  readonly rebuilt?: string;
}

/** What a finished run did. */
export interface IndexReport {
  readonly generation: Generation;
  /** Whether anything was published; a run over an unchanged tree publishes nothing. */
  readonly published: boolean;
  readonly changedFiles: number;
  readonly removedFiles: number;
  readonly parsedFiles: number;
  readonly hashedFiles: number;
  readonly coverage: Coverage;
  readonly symbolCount: number;
  /** Whether so many file versions were replaced that garbage is to be collected. */
  readonly isCollectionDue: boolean;
  readonly durationMs: number;
  /** The index was damaged in this way and has been rebuilt. */
  readonly rebuilt?: string;
}

/** S3's scale: discovery 0–10, parsing 10–70, indexing 70–95, finalizing 95–99. */
export function completionPct(progress: JobProgress): number {
  const share = progress.filesTotal === 0 ? 1 : Math.min(1, progress.filesIndexed / progress.filesTotal);
  switch (progress.stage) {
    case "scanning":
      return Math.min(10, Math.floor(progress.filesScanned / 1000));
    case "parsing":
      return 10 + Math.floor(60 * share);
    case "indexing":
      return 70 + Math.floor(25 * share);
    case "finalizing":
      return 97;
  }
}

/** S3's stage messages. */
export function progressMessage(progress: JobProgress): string {
  const pct = progress.filesTotal === 0 ? 100 : Math.floor((100 * progress.filesIndexed) / progress.filesTotal);
  switch (progress.stage) {
    case "scanning":
      return `Scanning files: ${progress.filesScanned} discovered`;
    case "parsing":
      return `Parsing files: ${progress.filesIndexed}/${progress.filesTotal} (${pct}%)`;
    case "indexing":
      return `Indexing: ${progress.filesIndexed}/${progress.filesTotal} files, ${progress.symbolsExtracted} symbols`;
    case "finalizing":
      return "Finalizing index...";
  }
}
