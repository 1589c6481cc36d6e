/** What a job is told: which view of a tree it makes, of which commit or directory, and what it may build on. */
import type { JobId, ProjectId } from "../../model/ids.ts";
import type { Job, JobMode } from "../../model/jobs.ts";
import type { Env } from "../../ports/env.ts";
import type { IndexRequest, IndexSettings } from "../../ports/indexer.ts";
import type { WorkspaceRow } from "../../ports/registry.ts";
import type { RepositoryInfo } from "../../ports/vcs.ts";
import { BASE_VIEW, type CheckedOut, type ResolvedRef } from "../refs/resolve-ref.ts";

export interface StartOptions {
  readonly mode: JobMode;
  readonly force: boolean;
  /** Absent: what is checked out. */
  readonly ref?: string;
  readonly paths?: readonly string[];
  /** How long the job of another ref is waited for; absent: until it ends. */
  readonly patience?: Promise<unknown>;
  /** Told that the job of another ref is waited for. Who listens has a place in the queue, and `sync_in_progress` is told to the next. */
  readonly onQueued?: (job: Job) => void;
  /** Whoever waits in the queue leaves it. */
  readonly signal?: AbortSignal;
}

interface Asked {
  readonly wanted: ResolvedRef;
  readonly options: StartOptions;
  /** Absent: the whole tree. */
  readonly paths: readonly string[] | undefined;
}

interface Place {
  readonly row: WorkspaceRow;
  repository(): Promise<RepositoryInfo | undefined>;
  checkedOut(): Promise<CheckedOut>;
  idsProject(): Promise<ProjectId>;
}

export async function buildIndexRequest(
  tree: Place,
  { wanted, options, paths }: Asked,
  env: Env,
  settings: IndexSettings,
): Promise<IndexRequest> {
  const repository = await tree.repository();
  const base = await baseCommit(tree, wanted, repository);
  const main = repository?.bare === true ? await tree.checkedOut() : undefined;
  return {
    jobId: env.uniqueWord() as JobId,
    project: await tree.idsProject(),
    tree: tree.row.id,
    root: tree.row.root,
    storeLocation: tree.row.storeLocation,
    ref: wanted.view,
    name: wanted.ref,
    ...(wanted.commit !== undefined && { commit: wanted.commit }),
    ...(wanted.from === "commit" && { from: "commit" }),
    ...(base !== undefined && { base: { ref: BASE_VIEW, commit: base } }),
    ...(repository !== undefined && { blobs: repository.blobs }),
    // What a bare clone has checked out is the default branch of what it was cloned from; elsewhere it is anybody's guess.
    ...(main?.view.startsWith("refs/heads/") && { defaultRef: main.view }),
    mode: options.mode,
    force: options.force,
    ...(paths !== undefined && wanted.from === "directory" && { paths }),
    settings,
  };
}

/** Views of commits and of further work trees are kept over a base; the first work tree's view stands by itself. */
async function baseCommit(
  tree: Place,
  wanted: ResolvedRef,
  repository: RepositoryInfo | undefined,
): Promise<string | undefined> {
  if (wanted.from === "directory" && repository?.linked !== true) return undefined;
  return (await tree.checkedOut()).commit ?? wanted.commit;
}
