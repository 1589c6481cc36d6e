/** Runs the write path away from the caller's thread. */

import type { JobId, ProjectId } from "../model/ids.ts";
import type { IndexReport, JobMode, JobProgress } from "../model/jobs.ts";

/** How files are chosen and read; the same for every run and for the freshness check. */
export interface IndexSettings {
  readonly maxFileBytes: number;
  readonly includeSecrets: boolean;
  readonly hidden: boolean;
  readonly ignoreFiles: "all" | "none";
  /** Parse workers; 0 means one per core. */
  readonly workers: number;
  /** The embedding model; absent: the built-in one. */
  readonly embedding?: EmbeddingSettings;
}

export interface EmbeddingSettings {
  /** `default`, `none`, a folder, a Hugging Face name, or the endpoint's name of a model. */
  readonly model: string;
  /** Base address of an OpenAI-compatible server. */
  readonly endpoint?: string;
  /** Environment variable that holds the server's key. */
  readonly apiKeyEnv?: string;
}

export interface IndexRequest {
  readonly jobId: JobId;
  readonly project: ProjectId;
  readonly root: string;
  readonly storeLocation: string;
  readonly ref: string;
  readonly commit?: string;
  readonly mode: JobMode;
  /** Forget stored content and parse everything again. */
  readonly force: boolean;
  /** Look only at these paths (a watcher's report); absent: walk the whole tree. */
  readonly paths?: readonly string[];
  readonly settings: IndexSettings;
}

export interface Indexer {
  /** Refuses with `index_in_progress` when another process holds the lease. */
  run(request: IndexRequest, onProgress: (progress: JobProgress) => void, signal: AbortSignal): Promise<IndexReport>;
  close(): Promise<void>;
}
