/** The status of a project and of this process, for people and load balancers. */
import type { Job } from "../../model/jobs.ts";
import type { Snapshot } from "../../ports/snapshot.ts";
import type { SchemaReport, Store } from "../../ports/store.ts";
import type { Health, Project, ProjectStatus, RecoveryReport, ViewContents, ViewStatus } from "../compass.ts";
import type { CompassPorts } from "../ports.ts";
import type { Tree } from "./tree.ts";

const RECENT_JOBS = 10;
const MAX_PROBLEMS = 50;

export async function projectStatus(tree: Tree, project: Project, ref?: string): Promise<ProjectStatus> {
  const store = await tree.store();
  const schema = await store.inspect();
  const target = await tree.resolve(ref);
  const snapshot = schema.status === "compatible" ? await store.snapshot(target.view) : undefined;
  try {
    const drifted = snapshot !== undefined && (await tree.drift(snapshot, target)) !== undefined;
    return await describe({ tree, project, store, schema, snapshot, ref: target.ref, drifted });
  } finally {
    snapshot?.release();
  }
}

export async function viewContents(tree: Tree, ref?: string): Promise<ViewContents> {
  const target = await tree.resolve(ref);
  const views = await (await tree.store()).views();
  const info = views.find((view) => view.ref === target.view);
  return {
    ref: target.ref,
    fileCount: info?.fileCount ?? 0,
    symbolCount: info?.symbolCount ?? 0,
    ...(info !== undefined && { coverage: info.coverage }),
  };
}

interface StatusSource {
  readonly tree: Tree;
  readonly project: Project;
  readonly store: Store;
  readonly schema: SchemaReport;
  readonly snapshot: Snapshot | undefined;
  readonly ref: string;
  readonly drifted: boolean;
}

async function describe(of: StatusSource): Promise<ProjectStatus> {
  const { snapshot, schema } = of;
  const readable = schema.status === "compatible" || schema.status === "not_indexed";
  const jobs = readable ? await of.store.jobs(RECENT_JOBS) : [];
  const active = of.tree.activeRun()?.job() ?? jobs.find((job) => job.status === "running");
  const recent = jobs.filter((job) => job.id !== active?.id);
  const recovery = findRecovery(recent);
  const built = recent.find((job) => job.status === "published" && job.finishedAt !== undefined);
  return {
    project: of.project,
    viewStatus: { ...statusOfView(of, active, recent), warnings: await of.tree.warnings() },
    currentSchemaVersion: schema.currentVersion,
    requiredSchemaVersion: schema.requiredVersion,
    ...(schema.message !== undefined && { schemaMessage: schema.message }),
    ...(snapshot !== undefined && { lastIndexedAt: snapshot.info.publishedAt }),
    ...(snapshot?.info.commit !== undefined && { lastIndexedCommit: snapshot.info.commit }),
    fileCount: snapshot?.info.fileCount ?? 0,
    symbolCount: snapshot?.info.symbolCount ?? 0,
    chunkCount: snapshot?.info.chunkCount ?? 0,
    languages: snapshot?.info.languages.map((row) => row.language) ?? [],
    indexSizeBytes: await of.store.sizeBytes(),
    ...(built?.finishedAt !== undefined && { indexingTimeMs: built.finishedAt - built.startedAt }),
    ...(active !== undefined && { activeJob: active }),
    recentJobs: [...of.tree.queued, ...recent],
    ...(recovery !== undefined && { recovery }),
    ...(of.tree.failure !== undefined && { failure: of.tree.failure }),
    problems: (await snapshot?.problems(MAX_PROBLEMS)) ?? [],
  };
}

function statusOfView(of: StatusSource, active: Job | undefined, recent: readonly Job[]): Omit<ViewStatus, "warnings"> {
  const { snapshot, schema } = of;
  const failed = recent[0]?.status === "failed" && snapshot === undefined;
  const ready = snapshot === undefined ? (failed ? "failed" : "not_indexed") : "ready";
  return {
    ref: of.ref,
    freshness: active !== undefined ? "syncing" : snapshot === undefined || of.drifted ? "stale" : "fresh",
    indexing: active !== undefined && snapshot === undefined ? "indexing" : ready,
    schema: snapshot === undefined && schema.status === "compatible" ? "not_indexed" : schema.status,
    ...(snapshot !== undefined && { coverage: snapshot.info.coverage }),
    complete: snapshot !== undefined,
  };
}

/** Jobs that died since the last one that was published. */
function findRecovery(newestFirst: readonly Job[]): RecoveryReport | undefined {
  const published = newestFirst.findIndex((job) => job.status === "published");
  const since = published === -1 ? newestFirst : newestFirst.slice(0, published);
  const interrupted = since.filter((job) => job.status === "interrupted");
  if (interrupted.length === 0) return undefined;
  const last = Math.max(...interrupted.map((job) => job.finishedAt ?? job.startedAt));
  return { detected: true, interruptedJobs: interrupted.length, lastInterruptedAt: last };
}

export interface ProcessState {
  readonly startedAt: number;
  readonly prewarm: Health["prewarm"];
  readonly prewarmEnabled: boolean;
  readonly capacity: number;
  readonly members: readonly string[];
  readonly watcher: Health["watcher"];
}

export async function health(
  projects: readonly ProjectStatus[],
  state: ProcessState,
  ports: CompassPorts,
): Promise<Health> {
  const unreadable = projects.some(({ viewStatus }) => isUnreadable(viewStatus));
  const store = await ports.stores.shared?.describe();
  return {
    status: overall(projects, state),
    uptimeMs: ports.env.monotonic() - state.startedAt,
    memoryBytes: ports.memoryBytes(),
    storeOk: !unreadable,
    fullText: { engine: "segments", ok: !unreadable },
    ...(store !== undefined && { store }),
    grammars: await ports.grammars(),
    prewarm: state.prewarm,
    warmset: { enabled: state.prewarmEnabled, capacity: state.capacity, members: state.members },
    watcher: state.watcher,
    projects,
  };
}

/** error > warming > indexing > ready. */
function overall(projects: readonly ProjectStatus[], state: ProcessState): Health["status"] {
  if (projects.some(isBroken)) return "error";
  if (state.prewarm === "running") return "warming";
  return projects.some(({ activeJob }) => activeJob !== undefined) ? "indexing" : "ready";
}

function isBroken({ viewStatus, failure }: ProjectStatus): boolean {
  return failure !== undefined || viewStatus.indexing === "failed" || isUnreadable(viewStatus);
}

function isUnreadable(status: ViewStatus): boolean {
  return status.schema === "corrupt_manifest" || status.schema === "reindex_required";
}
