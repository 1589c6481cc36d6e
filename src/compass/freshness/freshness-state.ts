/**
 * What is known about a tree since it was last indexed, as a state machine: (state, event) -> (state, effects).
 * Nothing here reads the disk, waits or starts anything: `tree-follower.ts` reports the events and runs the effects.
 */
import type { Job, JobMode } from "../../model/jobs.ts";
import { OUTSIDE_RULES } from "../../model/paths.ts";
import type { ViewInfo } from "../../ports/snapshot.ts";
import type { ResolvedRef } from "../refs/resolve-ref.ts";

/** Comparing more paths than this one by one takes longer than a walk of the whole tree. */
export const MANY_PATHS = 2_000;

/** Paths that were reported and are not indexed yet. */
export type DirtyPaths = ReadonlySet<string> | "everything";

export type JudgedView = Pick<ViewInfo, "stateId" | "ref" | "generation">;

export interface FreshnessState {
  readonly watch: "none" | "starting" | "native" | "polling" | "failed";
  /** `everything` until the whole tree was compared with a view after the watcher started. */
  readonly dirty: DirtyPaths;
  /** Counts the reports: paths that were checked before the last one may have changed again. */
  readonly reports: number;
  /** What was reported since a comparison of the whole tree began; undefined: none is running. */
  readonly missed: DirtyPaths | undefined;
  /** The state of the working tree's view that was compared last. */
  readonly judged: JudgedView | undefined;
  /** A state that a command has just compared with the disk: its next question need not do so again. */
  readonly trusted: string | undefined;
  /** Fingerprint of the ignore rules outside the tree when they were last read. */
  readonly rules: string | undefined;
  /** The rules under which views of commits were made, or first seen. */
  readonly viewRules: ReadonlyMap<string, string>;
  readonly job: RunningJob | undefined;
  /** Views whose whole tree a job of this process has walked. */
  readonly walked: ReadonlySet<string>;
  readonly watchWarning: string | undefined;
  /** Why the view is behind the tree, until a job succeeds. */
  readonly syncWarning: string | undefined;
  /** Why the store could not be written, until a job succeeds. */
  readonly failure: string | undefined;
  readonly closed: boolean;
}

export interface JobScope {
  readonly target: ResolvedRef;
  readonly mode: JobMode;
  /** Undefined: the whole tree. */
  readonly paths: readonly string[] | undefined;
}

export interface RunningJob extends JobScope {
  /** Reported paths that the job indexes; undefined: it does not read the working tree. */
  readonly taken: DirtyPaths | undefined;
  readonly rules: string | undefined;
}

export type FreshnessEvent =
  | { readonly type: "watchRequested" }
  | { readonly type: "watchStarted"; readonly mode: "native" | "polling" }
  | { readonly type: "watchDegraded"; readonly reason: string }
  | { readonly type: "watchFailed"; readonly reason: string }
  /** The tree has been watched for a moment, and the first answers are out. */
  | { readonly type: "watchSettled" }
  | { readonly type: "pathsReported"; readonly paths: readonly string[] | "everything" }
  | { readonly type: "rulesRead"; readonly fingerprint: string }
  /** An answer is about to compare this state of the working tree's view. */
  | { readonly type: "viewJudged"; readonly view: JudgedView }
  | { readonly type: "viewTrusted"; readonly stateId: string }
  /** An answer is about to use the view of a commit. */
  | { readonly type: "refJudged"; readonly view: string }
  | { readonly type: "comparisonStarted" }
  | { readonly type: "comparisonEnded"; readonly changed: readonly string[] }
  | { readonly type: "comparisonFailed" }
  /** The view shows what is on disk at these paths; `reports` is the count when the check began. */
  | { readonly type: "pathsSettled"; readonly paths: readonly string[]; readonly reports: number }
  | ({ readonly type: "jobStarted" } & JobScope)
  | { readonly type: "jobEnded"; readonly job: Job }
  | { readonly type: "syncFailed"; readonly reason: string }
  | { readonly type: "closed" };

export type FreshnessEffect =
  | { readonly type: "startWatcher" }
  /** Report `watchSettled` in a moment. */
  | { readonly type: "waitForFirstAnswers" }
  /** Read the rules outside the tree and report `rulesRead`. */
  | { readonly type: "readRules" }
  /** Index what was reported. */
  | { readonly type: "sync" }
  /** Load what the next small job needs. */
  | { readonly type: "prepareNextJob" }
  /** Ask git now what a checkout of this ref would change. */
  | { readonly type: "prepareCheckout"; readonly target: ResolvedRef }
  /** Remember the stamps of the ignore files among these paths: the job is about to read them. */
  | { readonly type: "rememberIgnoreFiles"; readonly paths: readonly string[] }
  | { readonly type: "forgetIgnoreFiles" }
  | { readonly type: "cancelJob" };

export interface FreshnessStep {
  readonly state: FreshnessState;
  readonly effects: readonly FreshnessEffect[];
}

export const UNKNOWN: FreshnessState = {
  watch: "none",
  dirty: "everything",
  reports: 0,
  missed: undefined,
  judged: undefined,
  trusted: undefined,
  rules: undefined,
  viewRules: new Map(),
  job: undefined,
  walked: new Set(),
  watchWarning: undefined,
  syncWarning: undefined,
  failure: undefined,
  closed: false,
};

export function reduceFreshness(state: FreshnessState, event: FreshnessEvent): FreshnessStep {
  if (state.closed && event.type !== "jobEnded") return step(state);
  switch (event.type) {
    case "watchRequested":
      return state.watch === "none" ? step({ ...state, watch: "starting" }, { type: "startWatcher" }) : step(state);
    case "watchStarted":
      // What changed before the first report is only known by comparing.
      return stepAndSync(markDirty({ ...state, watch: event.mode }, "everything"), { type: "waitForFirstAnswers" });
    case "watchDegraded":
      return step({ ...state, watch: "polling", watchWarning: `watching by polling: ${event.reason}` });
    case "watchFailed":
      return step({ ...state, watch: "failed", watchWarning: `not watched: ${event.reason}` });
    case "watchSettled":
      return step(state, { type: "prepareNextJob" });
    case "pathsReported":
      return pathsReported(state, event.paths);
    case "rulesRead":
      return step(rulesRead(state, event.fingerprint));
    case "viewJudged": {
      const next = isStepBack(state.judged, event.view) ? markDirty(state, "everything") : state;
      return step({ ...next, judged: event.view, trusted: undefined });
    }
    case "viewTrusted":
      return step({ ...state, trusted: event.stateId });
    case "refJudged":
      if (state.rules === undefined || state.viewRules.has(event.view)) return step(state);
      return step({ ...state, viewRules: new Map(state.viewRules).set(event.view, state.rules) });
    case "comparisonStarted":
      return step({ ...state, missed: new Set() });
    case "comparisonEnded":
      return step({ ...state, dirty: union(new Set(event.changed), state.missed ?? []), missed: undefined });
    case "comparisonFailed":
      return step({ ...state, missed: undefined });
    case "pathsSettled":
      // A path that was reported meanwhile may have changed after it was checked.
      if (event.reports !== state.reports) return step(state);
      return step({ ...state, dirty: without(state.dirty, event.paths) });
    case "jobStarted":
      return jobStarted(state, event);
    case "jobEnded":
      return jobEnded(state, event.job);
    case "syncFailed":
      return step({ ...state, syncWarning: `The last sync failed: ${event.reason}` });
    case "closed":
      return step({ ...state, closed: true }, { type: "cancelJob" });
  }
}

export function isWatched({ watch }: FreshnessState): boolean {
  return watch === "native" || watch === "polling";
}

/** Whether something was reported that no job is indexing. Without a watcher, every answer compares for itself. */
export function needsSync(state: FreshnessState): boolean {
  const isDirty = state.dirty === "everything" || state.dirty.size > 0;
  return isDirty && isWatched(state) && state.job === undefined && !state.closed;
}

/** Whether the view of a commit was made under other ignore rules outside the tree than those of now. */
export function hasOtherRules({ rules, viewRules }: FreshnessState, view: string): boolean {
  const before = viewRules.get(view);
  return before !== undefined && before !== rules;
}

export function union(paths: DirtyPaths, more: Iterable<string> | "everything"): DirtyPaths {
  if (paths === "everything" || more === "everything") return "everything";
  const all = new Set([...paths, ...more]);
  return all.size > MANY_PATHS ? "everything" : all;
}

export function without(paths: DirtyPaths, settled: Iterable<string>): DirtyPaths {
  if (paths === "everything") return paths;
  const left = new Set(paths);
  for (const path of settled) left.delete(path);
  return left;
}

function step(state: FreshnessState, ...effects: readonly FreshnessEffect[]): FreshnessStep {
  return { state, effects };
}

function stepAndSync(state: FreshnessState, ...effects: readonly FreshnessEffect[]): FreshnessStep {
  return needsSync(state) ? step(state, { type: "sync" }, ...effects) : step(state, ...effects);
}

function markDirty(state: FreshnessState, paths: Iterable<string> | "everything"): FreshnessState {
  return {
    ...state,
    dirty: union(state.dirty, paths),
    missed: state.missed && union(state.missed, paths),
    reports: state.reports + 1,
  };
}

function pathsReported(state: FreshnessState, paths: readonly string[] | "everything"): FreshnessStep {
  if (paths === "everything" || !paths.includes(OUTSIDE_RULES)) return stepAndSync(markDirty(state, paths));
  // Whether the rules differ from those of the view is known once they are read.
  const others = paths.filter((path) => path !== OUTSIDE_RULES);
  return step(others.length > 0 ? markDirty(state, others) : state, { type: "readRules" }, { type: "sync" });
}

function rulesRead(state: FreshnessState, rules: string): FreshnessState {
  if (rules === state.rules) return state;
  const next = { ...state, rules };
  // Without a watcher every file is compared under the rules of the moment.
  return state.rules !== undefined && isWatched(state) ? markDirty(next, [OUTSIDE_RULES]) : next;
}

/** An index that was deleted, perhaps rebuilt, or lost its log shows less than what the reports have led to. */
function isStepBack(before: JudgedView | undefined, now: JudgedView): boolean {
  return before?.ref === now.ref && before.stateId !== now.stateId && now.generation <= before.generation;
}

function jobStarted(state: FreshnessState, { target, mode, paths }: JobScope): FreshnessStep {
  const { dirty, rules } = state;
  const job = { target, mode, paths, rules, taken: undefined };
  if (target.from !== "directory") return step({ ...state, job });
  const remember = { type: "rememberIgnoreFiles", paths: paths ?? [] } as const;
  if (paths === undefined) return step({ ...state, job: { ...job, taken: dirty }, dirty: new Set() }, remember);
  return step({ ...state, job: { ...job, taken: new Set(paths) }, dirty: without(dirty, paths) }, remember);
}

function jobEnded(state: FreshnessState, ended: Job): FreshnessStep {
  const { job, closed } = state;
  if (job === undefined || closed) return step({ ...state, job: undefined });
  if (ended.status === "published") return jobPublished({ ...state, job: undefined }, job);
  const failed = { ...state, job: undefined, ...storeFailure(ended) };
  // Not followed by a sync, which would fail in the same way: the next report or answer starts one.
  if (job.taken !== undefined) return step(markDirty(failed, job.taken), { type: "forgetIgnoreFiles" });
  return stepAndSync(failed);
}

function jobPublished(state: FreshnessState, { target, mode, paths, rules }: RunningJob): FreshnessStep {
  const isOfCommit = target.from === "commit";
  const next = {
    ...state,
    syncWarning: undefined,
    failure: undefined,
    walked: paths === undefined ? new Set(state.walked).add(target.view) : state.walked,
    viewRules: isOfCommit && rules !== undefined ? new Map(state.viewRules).set(target.view, rules) : state.viewRules,
  };
  return stepAndSync(
    next,
    // The first index was built in another process; the next job is a small one, and runs here.
    ...(mode === "full" && isWatched(state) ? [{ type: "prepareNextJob" } as const] : []),
    ...(isOfCommit ? [{ type: "prepareCheckout", target } as const] : []),
  );
}

/** A store that fails, on a full disk for example, concerns every answer that is behind because of it. */
function storeFailure({ error, errorMessage, errorSuggestion }: Job): Partial<FreshnessState> {
  if (error !== "internal_error") return {};
  return {
    syncWarning: `The last sync failed: ${errorMessage}`,
    failure: [errorMessage, errorSuggestion].filter((part) => part !== undefined).join(" "),
  };
}
