/**
 * Every event in every state. `others` are all open states that the table does not name; without it, they stay as they
 * are. A closed state that the table does not name always stays as it is.
 */
import { describe, expect, test } from "vitest";
import type { Generation } from "../../model/ids.ts";
import type { Job } from "../../model/jobs.ts";
import type { ResolvedRef } from "../refs/resolve-ref.ts";
import {
  type DirtyPaths,
  type FreshnessEvent,
  type FreshnessState,
  hasOtherRules,
  type JudgedView,
  MANY_PATHS,
  needsSync,
  reduceFreshness,
  UNKNOWN,
} from "./freshness-state.ts";

const WORK_TREE: ResolvedRef = { view: "worktree", ref: "main", commit: "1", from: "directory" };
const FEATURE: ResolvedRef = { view: "refs/heads/feat", ref: "feat", commit: "2", from: "commit" };

function viewState(stateId: string, generation: number): JudgedView {
  return { stateId, ref: "worktree", generation: generation as Generation };
}

const clean: FreshnessState = {
  ...UNKNOWN,
  watch: "native",
  dirty: new Set(),
  reports: 1,
  judged: viewState("s2", 2),
  rules: "r1",
};
const fileJob = { target: WORK_TREE, mode: "incremental", paths: ["a"], taken: new Set(["a"]), rules: "r1" } as const;

const STATES = {
  unwatched: UNKNOWN,
  starting: { ...UNKNOWN, watch: "starting" },
  unwatchable: { ...UNKNOWN, watch: "failed", watchWarning: "not watched: no" },
  clean,
  dirty: { ...clean, dirty: new Set(["a", "b"]) },
  unknown: { ...clean, dirty: "everything" },
  comparing: { ...clean, dirty: "everything", missed: new Set(["m"]) },
  indexing: { ...clean, dirty: new Set(["b"]), job: fileJob },
  indexingAll: { ...clean, job: { ...fileJob, mode: "full", paths: undefined, taken: "everything" } },
  indexingRef: { ...clean, job: { ...fileJob, target: FEATURE, paths: undefined, taken: undefined } },
  failing: { ...clean, dirty: new Set(["a"]), syncWarning: "The last sync failed: full", failure: "full" },
  trusting: { ...UNKNOWN, trusted: "s1" },
  closed: { ...clean, closed: true },
  closing: { ...clean, job: fileJob, closed: true },
} as const satisfies Record<string, FreshnessState>;

type StateName = keyof typeof STATES;

/** What an event changed and caused, as text: `dirty: a b, reports: 2 -> sync`. */
function outcome(before: FreshnessState, event: FreshnessEvent): string {
  const { state, effects } = reduceFreshness(before, event);
  const fields = (Object.keys(state) as (keyof FreshnessState)[])
    .filter((field) => show(state[field]) !== show(before[field]))
    .map((field) => `${field}: ${show(state[field])}`);
  const caused = effects.map(({ type, ...rest }) => [type, ...Object.values(rest).map(show)].join(" "));
  if (fields.length === 0 && caused.length === 0) return "unchanged";
  return [fields.join(", "), ...(caused.length > 0 ? [`-> ${caused.join(", ")}`] : [])].join(" ").trim();
}

function show(value: unknown): string {
  if (value === undefined) return "none";
  if (value instanceof Set) return value.size === 0 ? "nothing" : [...value].sort().join(" ");
  if (value instanceof Map) return [...value].map(([key, one]) => `${key}=${one}`).join(" ");
  if (Array.isArray(value)) return `[${value.join(" ")}]`;
  if (typeof value !== "object" || value === null) return String(value);
  if ("stateId" in value) return String(value.stateId);
  if ("view" in value) return String(value.view);
  const { target, taken } = value as { target: ResolvedRef; taken: DirtyPaths | undefined };
  return `${target.view} (takes ${show(taken)})`;
}

type Outcomes = Partial<Record<StateName | "others", string>>;

function check(name: string, event: FreshnessEvent, { others = "unchanged", ...named }: Outcomes): void {
  describe(name, () => {
    for (const [state, before] of Object.entries(STATES) as [StateName, FreshnessState][]) {
      const expected = named[state] ?? (before.closed ? "unchanged" : others);
      test(state, () => expect(outcome(before, event)).toBe(expected));
    }
  });
}

check(
  "watch requested",
  { type: "watchRequested" },
  {
    unwatched: "watch: starting -> startWatcher",
    trusting: "watch: starting -> startWatcher",
  },
);

check(
  "native watcher started",
  { type: "watchStarted", mode: "native" },
  {
    others: "watch: native, reports: 1 -> sync, waitForFirstAnswers",
    clean: "dirty: everything, reports: 2 -> sync, waitForFirstAnswers",
    dirty: "dirty: everything, reports: 2 -> sync, waitForFirstAnswers",
    unknown: "reports: 2 -> sync, waitForFirstAnswers",
    comparing: "reports: 2, missed: everything -> sync, waitForFirstAnswers",
    indexing: "dirty: everything, reports: 2 -> waitForFirstAnswers",
    indexingAll: "dirty: everything, reports: 2 -> waitForFirstAnswers",
    indexingRef: "dirty: everything, reports: 2 -> waitForFirstAnswers",
    failing: "dirty: everything, reports: 2 -> sync, waitForFirstAnswers",
  },
);

check(
  "polling watcher started",
  { type: "watchStarted", mode: "polling" },
  {
    others: "watch: polling, reports: 1 -> sync, waitForFirstAnswers",
    clean: "watch: polling, dirty: everything, reports: 2 -> sync, waitForFirstAnswers",
    dirty: "watch: polling, dirty: everything, reports: 2 -> sync, waitForFirstAnswers",
    unknown: "watch: polling, reports: 2 -> sync, waitForFirstAnswers",
    comparing: "watch: polling, reports: 2, missed: everything -> sync, waitForFirstAnswers",
    indexing: "watch: polling, dirty: everything, reports: 2 -> waitForFirstAnswers",
    indexingAll: "watch: polling, dirty: everything, reports: 2 -> waitForFirstAnswers",
    indexingRef: "watch: polling, dirty: everything, reports: 2 -> waitForFirstAnswers",
    failing: "watch: polling, dirty: everything, reports: 2 -> sync, waitForFirstAnswers",
  },
);

check(
  "watcher degraded",
  { type: "watchDegraded", reason: "limit" },
  {
    others: "watch: polling, watchWarning: watching by polling: limit",
  },
);

check(
  "watcher failed",
  { type: "watchFailed", reason: "limit" },
  {
    others: "watch: failed, watchWarning: not watched: limit",
    unwatchable: "watchWarning: not watched: limit",
  },
);

check(
  "watched for a moment",
  { type: "watchSettled" },
  {
    others: "-> prepareNextJob",
  },
);

check(
  "paths reported",
  { type: "pathsReported", paths: ["b", "c"] },
  {
    others: "reports: 1",
    clean: "dirty: b c, reports: 2 -> sync",
    dirty: "dirty: a b c, reports: 2 -> sync",
    unknown: "reports: 2 -> sync",
    comparing: "reports: 2, missed: b c m -> sync",
    indexing: "dirty: b c, reports: 2",
    indexingAll: "dirty: b c, reports: 2",
    indexingRef: "dirty: b c, reports: 2",
    failing: "dirty: a b c, reports: 2 -> sync",
  },
);

check(
  "everything reported",
  { type: "pathsReported", paths: "everything" },
  {
    others: "reports: 1",
    clean: "dirty: everything, reports: 2 -> sync",
    dirty: "dirty: everything, reports: 2 -> sync",
    unknown: "reports: 2 -> sync",
    comparing: "reports: 2, missed: everything -> sync",
    indexing: "dirty: everything, reports: 2",
    indexingAll: "dirty: everything, reports: 2",
    indexingRef: "dirty: everything, reports: 2",
    failing: "dirty: everything, reports: 2 -> sync",
  },
);

check(
  "rules reported",
  { type: "pathsReported", paths: [".git/info/exclude"] },
  {
    others: "-> readRules, sync",
  },
);

check(
  "rules and a path reported",
  { type: "pathsReported", paths: ["c", ".git/info/exclude"] },
  {
    others: "reports: 1 -> readRules, sync",
    clean: "dirty: c, reports: 2 -> readRules, sync",
    dirty: "dirty: a b c, reports: 2 -> readRules, sync",
    unknown: "reports: 2 -> readRules, sync",
    comparing: "reports: 2, missed: c m -> readRules, sync",
    indexing: "dirty: b c, reports: 2 -> readRules, sync",
    indexingAll: "dirty: c, reports: 2 -> readRules, sync",
    indexingRef: "dirty: c, reports: 2 -> readRules, sync",
    failing: "dirty: a c, reports: 2 -> readRules, sync",
  },
);

check(
  "the same rules read",
  { type: "rulesRead", fingerprint: "r1" },
  {
    unwatched: "rules: r1",
    starting: "rules: r1",
    unwatchable: "rules: r1",
    trusting: "rules: r1",
  },
);

check(
  "other rules read",
  { type: "rulesRead", fingerprint: "r2" },
  {
    others: "rules: r2",
    clean: "dirty: .git/info/exclude, reports: 2, rules: r2",
    dirty: "dirty: .git/info/exclude a b, reports: 2, rules: r2",
    unknown: "reports: 2, rules: r2",
    comparing: "reports: 2, missed: .git/info/exclude m, rules: r2",
    indexing: "dirty: .git/info/exclude b, reports: 2, rules: r2",
    indexingAll: "dirty: .git/info/exclude, reports: 2, rules: r2",
    indexingRef: "dirty: .git/info/exclude, reports: 2, rules: r2",
    failing: "dirty: .git/info/exclude a, reports: 2, rules: r2",
  },
);

check(
  "the same view judged",
  { type: "viewJudged", view: viewState("s2", 2) },
  {
    unwatched: "judged: s2",
    starting: "judged: s2",
    unwatchable: "judged: s2",
    trusting: "judged: s2, trusted: none",
  },
);

check(
  "a newer view judged",
  { type: "viewJudged", view: viewState("s3", 3) },
  {
    others: "judged: s3",
    trusting: "judged: s3, trusted: none",
  },
);

check(
  "an older view judged",
  { type: "viewJudged", view: viewState("s1", 1) },
  {
    others: "dirty: everything, reports: 2, judged: s1",
    unwatched: "judged: s1",
    starting: "judged: s1",
    unwatchable: "judged: s1",
    unknown: "reports: 2, judged: s1",
    comparing: "reports: 2, missed: everything, judged: s1",
    trusting: "judged: s1, trusted: none",
  },
);

check(
  "view trusted",
  { type: "viewTrusted", stateId: "s2" },
  {
    others: "trusted: s2",
  },
);

check(
  "ref judged",
  { type: "refJudged", view: FEATURE.view },
  {
    others: "viewRules: refs/heads/feat=r1",
    unwatched: "unchanged",
    starting: "unchanged",
    unwatchable: "unchanged",
    trusting: "unchanged",
  },
);

check(
  "comparison started",
  { type: "comparisonStarted" },
  {
    others: "missed: nothing",
  },
);

check(
  "comparison ended",
  { type: "comparisonEnded", changed: ["x"] },
  {
    others: "dirty: x",
    comparing: "dirty: m x, missed: none",
  },
);

check(
  "comparison failed",
  { type: "comparisonFailed" },
  {
    comparing: "missed: none",
  },
);

check(
  "paths settled",
  { type: "pathsSettled", paths: ["a"], reports: 1 },
  {
    dirty: "dirty: b",
    failing: "dirty: nothing",
  },
);

check("paths settled before the last report", { type: "pathsSettled", paths: ["a"], reports: 0 }, {});

check(
  "job for paths started",
  { type: "jobStarted", target: WORK_TREE, mode: "incremental", paths: ["a"] },
  {
    others: "job: worktree (takes a) -> rememberIgnoreFiles [a]",
    dirty: "dirty: b, job: worktree (takes a) -> rememberIgnoreFiles [a]",
    indexing: "-> rememberIgnoreFiles [a]",
    failing: "dirty: nothing, job: worktree (takes a) -> rememberIgnoreFiles [a]",
  },
);

check(
  "job for the whole tree started",
  { type: "jobStarted", target: WORK_TREE, mode: "full", paths: undefined },
  {
    others: "dirty: nothing, job: worktree (takes everything) -> rememberIgnoreFiles []",
    clean: "job: worktree (takes nothing) -> rememberIgnoreFiles []",
    dirty: "dirty: nothing, job: worktree (takes a b) -> rememberIgnoreFiles []",
    indexing: "dirty: nothing, job: worktree (takes b) -> rememberIgnoreFiles []",
    indexingAll: "job: worktree (takes nothing) -> rememberIgnoreFiles []",
    indexingRef: "job: worktree (takes nothing) -> rememberIgnoreFiles []",
    failing: "dirty: nothing, job: worktree (takes a) -> rememberIgnoreFiles []",
  },
);

check(
  "job for a ref started",
  { type: "jobStarted", target: FEATURE, mode: "incremental", paths: undefined },
  {
    others: "job: refs/heads/feat (takes none)",
    indexingRef: "unchanged",
  },
);

check(
  "job published",
  { type: "jobEnded", job: { status: "published" } as Job },
  {
    indexing: "job: none -> sync",
    indexingAll: "job: none, walked: worktree -> prepareNextJob",
    indexingRef: "viewRules: refs/heads/feat=r1, job: none, walked: refs/heads/feat -> prepareCheckout refs/heads/feat",
    closing: "job: none",
  },
);

check(
  "job refused",
  { type: "jobEnded", job: { status: "failed", error: "ref_not_indexed" } as Job },
  {
    indexing: "dirty: a b, reports: 2, job: none -> forgetIgnoreFiles",
    indexingAll: "dirty: everything, reports: 2, job: none -> forgetIgnoreFiles",
    indexingRef: "job: none",
    closing: "job: none",
  },
);

check(
  "job failed in the store",
  {
    type: "jobEnded",
    job: { status: "failed", error: "internal_error", errorMessage: "full", errorSuggestion: "Free space." } as Job,
  },
  {
    indexing:
      "dirty: a b, reports: 2, job: none, syncWarning: The last sync failed: full, failure: full Free space. -> forgetIgnoreFiles",
    indexingAll:
      "dirty: everything, reports: 2, job: none, syncWarning: The last sync failed: full, failure: full Free space. -> forgetIgnoreFiles",
    indexingRef: "job: none, syncWarning: The last sync failed: full, failure: full Free space.",
    closing: "job: none",
  },
);

check(
  "sync failed",
  { type: "syncFailed", reason: "no commit" },
  {
    others: "syncWarning: The last sync failed: no commit",
  },
);

check(
  "closed",
  { type: "closed" },
  {
    others: "closed: true -> cancelJob",
  },
);

test("more paths than are worth comparing one by one are everything", () => {
  const paths = Array.from({ length: MANY_PATHS + 1 }, (_, at) => `${at}.c`);
  expect(reduceFreshness(clean, { type: "pathsReported", paths }).state.dirty).toBe("everything");
});

test("a view of a commit that was made under other rules is known until a job reads it again", () => {
  const run = (...events: FreshnessEvent[]) =>
    events.reduce((state, event) => reduceFreshness(state, event).state, clean);
  const seen = run({ type: "refJudged", view: FEATURE.view });
  const changed = reduceFreshness(seen, { type: "rulesRead", fingerprint: "r2" }).state;
  const started = reduceFreshness(changed, {
    type: "jobStarted",
    target: FEATURE,
    mode: "incremental",
    paths: undefined,
  });
  const published = reduceFreshness(started.state, { type: "jobEnded", job: { status: "published" } as Job }).state;
  expect([seen, changed, published].map((state) => hasOtherRules(state, FEATURE.view))).toEqual([false, true, false]);
});

test("nothing is synced while nothing reports, while a job runs, or after closing", () => {
  const syncing = Object.entries(STATES).filter(([, state]) => needsSync(state));
  expect(syncing.map(([name]) => name)).toEqual(["dirty", "unknown", "comparing", "failing"]);
});
