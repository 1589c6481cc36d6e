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

/** The hash that a repository's object ids are made with. */
export type BlobNames = "sha1" | "sha256";

export interface IndexRequest {
  readonly jobId: JobId;
  readonly project: ProjectId;
  /** Whose stamps the files of the root have; absent: the project. */
  readonly tree?: ProjectId;
  readonly root: string;
  readonly storeLocation: string;
  /** The view's name in the store. */
  readonly ref: string;
  /** What people call it, for the job's row; absent: as the store does. */
  readonly name?: string;
  readonly commit?: string;
  /** `commit`: the tree is that of the commit and not the directory's. */
  readonly from?: "commit";
  /** The directory is a checkout of about this commit: most of its files need not be asked of git. */
  readonly isCheckout?: true;
  /** The view that a new one is kept as a difference to, and the commit it is made of where there is none. */
  readonly base?: { readonly ref: string; readonly commit: string };
  /** The view of the default branch, where it is known and not guessed. */
  readonly defaultRef?: string;
  /** How git names blobs, where the tree belongs to a repository. */
  readonly blobs?: BlobNames;
  readonly mode: JobMode;
  /** Forget stored content and parse everything again. */
  readonly force: boolean;
  /** Look only at these paths (a watcher's report); absent: walk the whole tree. */
  readonly paths?: readonly string[];
  readonly settings: IndexSettings;
}

/** A small run to come: whatever it would be about. */
export interface WarmUpRequest extends Pick<IndexRequest, "project" | "root" | "storeLocation" | "ref" | "settings"> {
  readonly tree: ProjectId;
}

export interface Indexer {
  /** Refuses with `index_in_progress` when another process holds the lease. */
  run(request: IndexRequest, onProgress: (progress: JobProgress) => void, signal: AbortSignal): Promise<IndexReport>;
  /** Does now what the next small run of this tree would have to wait for. */
  warm?(rehearsal?: WarmUpRequest): void;
  close(): Promise<void>;
}
