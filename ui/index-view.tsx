/** The index: what is in it, what is not and why, and the jobs. An unindexed repository is offered to be indexed. */
import { useEffect, useState } from "preact/hooks";
import { type CallError, call, type Fields } from "./api.ts";
import { CopyContext, count, Failure, type Metadata, refName, visible } from "./parts.tsx";
import { scope } from "./scope.ts";
import { useCall } from "./use-call.ts";

interface ActiveJob {
  readonly status: string;
  readonly files_scanned: number;
  readonly files_indexed: number;
  readonly symbols_extracted: number;
  readonly estimated_completion_pct: number;
}

export interface IndexStatus {
  readonly repo_root: string;
  readonly index_status: string;
  readonly schema_status: string;
  readonly ref: string;
  readonly file_count: number;
  readonly symbol_count: number;
  readonly total_chunks: number;
  readonly index_size_bytes: number;
  readonly last_indexed_at: string | null;
  readonly last_indexed_commit?: string;
  readonly model: string;
  readonly languages: readonly string[];
  readonly excluded_files: number;
  readonly problems?: readonly { readonly path: string; readonly problem: string }[];
  readonly active_job: ActiveJob | null;
  readonly recent_jobs: readonly {
    readonly job_id: string;
    readonly ref: string;
    readonly mode: string;
    readonly status: string;
    readonly changed_files: number | null;
    readonly duration_ms: number | null;
    readonly created_at: string;
    readonly error?: string;
  }[];
  readonly metadata: Metadata;
}

function refOf({ ref, last_indexed_commit: commit }: IndexStatus): string {
  return commit === undefined || commit === ref ? refName(ref) : `${refName(ref)} at ${refName(commit)}`;
}

/** An older index answers while a new one is built. */
export function isIndexed({ last_indexed_at: at, schema_status: schema }: IndexStatus): boolean {
  return at !== null && schema === "compatible";
}

const POLL_MS = 500;

/** The status again and again, until no job runs. */
function useLiveStatus(
  params: URLSearchParams,
  started: number,
): { status: IndexStatus | undefined; error: CallError | undefined } {
  const [turn, setTurn] = useState(0);
  const { data, error } = useCall<IndexStatus>("index_status", scope(params), turn + started * 1_000_000);
  const runs = data?.active_job != null;
  useEffect(() => {
    const timer = setTimeout(() => setTurn(turn + 1), runs || started > 0 ? POLL_MS : 5_000);
    return () => clearTimeout(timer);
  }, [data, error]);
  return { status: data, error };
}

export function IndexOffer({
  status,
  params,
  onDone,
}: {
  readonly status: IndexStatus;
  readonly params: URLSearchParams;
  readonly onDone: () => void;
}) {
  const [started, setStarted] = useState(status.active_job === null ? 0 : 1);
  const [failure, setFailure] = useState<CallError>();
  const live = useLiveStatus(params, started).status ?? status;
  useEffect(() => {
    if (isIndexed(live)) onDone();
  }, [live]);
  const start = async () => {
    setFailure(undefined);
    setStarted(started + 1);
    await call("index_repo", scope(params)).catch((error: CallError) => {
      if (error.code !== "index_in_progress") setFailure(error);
    });
  };
  const ref = params.get("ref");
  const failed =
    started > 0 && live.active_job === null ? live.recent_jobs.find(({ status: end }) => end === "failed") : undefined;
  return (
    <section class="offer">
      <h1>{visible(ref ?? live.repo_root.split("/").at(-1) ?? "")} is not indexed yet</h1>
      <p>The index stays on this machine; nothing is written into the repository.</p>
      {failure && <Failure error={failure} />}
      {failed && <p role="alert">The last job failed: {visible(failed.error ?? "")}</p>}
      {live.active_job === null && started > 0 && failed === undefined && failure === undefined ? (
        <p role="status">Starting…</p>
      ) : live.active_job === null ? (
        <button type="button" class="primary" onClick={start}>
          {ref === null ? "Index this repository" : `Index ${visible(ref)}`}
        </button>
      ) : (
        <Progress job={live.active_job} />
      )}
    </section>
  );
}

function Progress({ job }: { readonly job: ActiveJob }) {
  return (
    <div class="progress">
      <progress aria-label="Indexing" max={100} value={job.estimated_completion_pct} />
      <p role="status">
        {job.files_scanned === 0
          ? "Listing files…"
          : `${job.estimated_completion_pct} %: ${count(job.files_indexed, "file")} of ${job.files_scanned.toLocaleString("en")}, ${count(job.symbols_extracted, "symbol")}`}
      </p>
    </div>
  );
}

export function IndexView({ params }: { readonly params: URLSearchParams }) {
  const [started, setStarted] = useState(0);
  const [failure, setFailure] = useState<CallError>();
  const { status, error } = useLiveStatus(params, started);
  const { data: health } = useCall<{
    readonly memory_usage_mb: number;
    readonly watcher: string;
    readonly version: string;
  }>("health_check", {});
  const { data: refs } = useCall<{ readonly published: boolean }>("page_refs", {
    workspace: params.get("ws") ?? undefined,
  });
  if (error) return <Failure error={error} />;
  if (status === undefined) return <p role="status">Loading…</p>;
  const run = async (tool: string, input: Fields = {}) => {
    setFailure(undefined);
    setStarted(started + 1);
    await call(tool, { ...scope(params), ...input }).catch(setFailure);
  };
  const { coverage } = status.metadata;
  const facts: Readonly<Record<string, string>> = {
    Repository: status.repo_root,
    Ref: refOf(status),
    State: `${status.index_status}, ${status.metadata.freshness_status}`,
    Files: status.file_count.toLocaleString("en"),
    Symbols: status.symbol_count.toLocaleString("en"),
    Chunks: status.total_chunks.toLocaleString("en"),
    Languages: status.languages.join(", "),
    "Size on disk": `${(status.index_size_bytes / 1e6).toFixed(1)} MB`,
    Memory: health ? `${health.memory_usage_mb} MB` : "",
    Watcher: health?.watcher ?? "",
    "Embedding model": status.model,
    "Last indexed": status.last_indexed_at ?? "never",
    Version: health?.version ?? "",
  };
  return (
    <>
      <div class="bar">
        <h1>Index</h1>
        {refs?.published === false && (
          <>
            <button type="button" onClick={() => run("sync_repo")}>
              Update
            </button>
            <button type="button" onClick={() => run("index_repo", { force: true })}>
              Rebuild
            </button>
          </>
        )}
        <CopyContext tool="index_status" input={scope(params)} budget="" />
      </div>
      {failure && <Failure error={failure} />}
      {status.active_job !== null && <Progress job={status.active_job} />}
      <div class="columns">
        <section>
          <h2>Contents</h2>
          <dl class="facts">
            {Object.entries(facts).map(([name, value]) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{visible(value)}</dd>
              </div>
            ))}
          </dl>
        </section>
        <section>
          <h2>Not indexed</h2>
          <Reasons reasons={coverage?.skipped_reasons ?? {}} />
          {(coverage?.without_references ?? []).length > 0 && (
            <p>
              Without references:{" "}
              {coverage!
                .without_references!.map(({ language, files }) => `${language} (${count(files, "file")})`)
                .join(", ")}
            </p>
          )}
          {(status.problems ?? []).length > 0 && <h2>Problems</h2>}
          <ul class="plain">
            {status.problems?.map(({ path, problem }) => (
              <li key={path}>
                <code>{visible(path)}</code> <span class="badge">{problem}</span>
              </li>
            ))}
          </ul>
        </section>
        <section>
          <h2>Jobs</h2>
          <section class="scroll" tabIndex={0} aria-label="Recent jobs">
            <table>
              <thead>
                <tr>
                  <th scope="col">When</th>
                  <th scope="col">Ref</th>
                  <th scope="col">Mode</th>
                  <th scope="col">Result</th>
                  <th scope="col">Files</th>
                  <th scope="col">Time</th>
                </tr>
              </thead>
              <tbody>
                {status.recent_jobs.map((job) => (
                  <tr key={job.job_id}>
                    <td>{job.created_at.replace("T", " ").slice(0, 16)}</td>
                    <td>{visible(job.ref)}</td>
                    <td>{job.mode}</td>
                    <td>{job.error ?? job.status}</td>
                    <td>{job.changed_files ?? ""}</td>
                    <td>{job.duration_ms === null ? "" : `${(job.duration_ms / 1000).toFixed(1)} s`}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        </section>
      </div>
    </>
  );
}

function Reasons({ reasons }: { readonly reasons: Readonly<Record<string, number>> }) {
  const rows = Object.entries(reasons).toSorted(([, a], [, b]) => b - a);
  if (rows.length === 0) return <p>Every file is indexed.</p>;
  return (
    <dl class="facts">
      {rows.map(([reason, files]) => (
        <div key={reason}>
          <dt>{reason.replaceAll("_", " ")}</dt>
          <dd>{count(files, "file")}</dd>
        </div>
      ))}
    </dl>
  );
}
