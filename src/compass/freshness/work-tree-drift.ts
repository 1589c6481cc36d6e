/**
 * What differs between a working tree and its view, for one answer: by the watcher's reports where the tree is watched,
 * else by comparing every file. Callers that come at the same time share what is read from disk.
 */
import { OUTSIDE_RULES } from "../../model/paths.ts";
import type { Watch } from "../../ports/files.ts";
import type { Snapshot } from "../../ports/snapshot.ts";
import type { History } from "../../ports/vcs.ts";
import type { ResolvedRef } from "../refs/resolve-ref.ts";
import type { DiskComparison } from "./disk-comparison.ts";
import { type Drift, driftAt } from "./drift.ts";
import {
  type DirtyPaths,
  type FreshnessEvent,
  type FreshnessState,
  isWatched,
  union,
  without,
} from "./freshness-state.ts";

/** A watcher reports a move of HEAD as this path; the commits tell whether it moved. A job for it only notes the commit. */
export const HEAD_PATH = ".git/HEAD";

/** The reports of a checkout come in several parts, each while the part before is checked. */
const MOST_CHECKS = 3;

/** More paths of a checkout than this are not checked one by one before an answer, nor remembered. */
const MOST_MOVED_PATHS = 500;

export interface DriftSource {
  readonly root: string;
  readonly history: History;
  readonly disk: DiskComparison;
  state(): FreshnessState;
  dispatch(event: FreshnessEvent): void;
  /** Once it has started. */
  watch(): Watch | undefined;
}

export class WorkTreeDrift {
  readonly #source: DriftSource;
  #comparison: Promise<void> | undefined;
  readonly #settled = new SharedResult<readonly string[]>();
  readonly #gathered = new SharedResult<readonly string[]>();
  readonly #moved = new SharedResult<readonly string[]>();
  /** By both commits, whichever came first: people switch between few branches, so git compares each pair once. */
  readonly #moves = new Map<string, readonly string[]>();

  constructor(source: DriftSource) {
    this.#source = source;
  }

  /**
   * Undefined: nothing differs. During a `job` the reports are believed: a checkout's reports come while it is indexed,
   * and checking each would take the job's time. By `look` the disk is compared whatever was reported: a report comes
   * some milliseconds after the edit, in a burst 50.
   */
  async find(snapshot: Snapshot, now: ResolvedRef, by?: "job" | "look"): Promise<Drift | undefined> {
    const drift = await this.#findPaths(snapshot, now, by);
    return drift === undefined ? undefined : this.#source.disk.withoutReread(snapshot, drift, by !== "job");
  }

  async #findPaths(snapshot: Snapshot, now: ResolvedRef, by?: "job" | "look"): Promise<Drift | undefined> {
    const { disk, dispatch, state } = this.#source;
    const { stateId, ref, generation } = snapshot.info;
    const isTrusted = state().trusted === stateId;
    dispatch({ type: "viewJudged", view: { stateId, ref, generation } });
    if (isTrusted && by !== "look") return driftAt(snapshot, now, []);
    if (by === "look" || !isWatched(state())) return driftAt(snapshot, now, await disk.compareAllShared(snapshot));
    if (state().dirty === "everything") await this.#compare(snapshot);
    const reported = by === "job" ? state().dirty : await this.#reported(snapshot, now);
    // Still everything: the tree changes faster than it can be compared, so this answer compares for itself.
    const paths = reported === "everything" ? await disk.compareAll(snapshot) : reported;
    const all = new Set([...paths, ...(await this.#movedPaths(snapshot, now))]);
    all.delete(HEAD_PATH);
    return driftAt(snapshot, now, [...all].sort());
  }

  /** Which paths a move of HEAD changes. Undefined: one of the commits is not there any more. */
  async pathsBetween(from: string, to: string): Promise<readonly string[] | undefined> {
    const { root, history } = this.#source;
    const key = [from, to].sort().join(" ");
    const known = this.#moves.get(key);
    if (known !== undefined) return known;
    const paths = (await history.changedPaths(root, from, to))?.map(({ path }) => path);
    if (paths === undefined || paths.length > MOST_MOVED_PATHS) return paths;
    this.#moves.set(key, paths);
    if (this.#moves.size > MOST_MOVES) this.#moves.delete(this.#moves.keys().next().value!);
    return paths;
  }

  /** Replaces `everything` by what really differs. */
  #compare(snapshot: Snapshot): Promise<void> {
    const { disk, dispatch } = this.#source;
    const compare = async () => {
      dispatch({ type: "comparisonStarted" });
      try {
        dispatch({ type: "comparisonEnded", changed: await disk.compareAll(snapshot) });
      } catch (error) {
        dispatch({ type: "comparisonFailed" });
        throw error;
      } finally {
        this.#comparison = undefined;
      }
    };
    this.#comparison ??= compare();
    return this.#comparison;
  }

  /** Includes what the watcher holds back until a burst is over; where HEAD has moved, there is a drift already. */
  async #reported(snapshot: Snapshot, now: ResolvedRef): Promise<DirtyPaths> {
    const dirty = await this.#unsettled(snapshot, now);
    const { commit, stateId } = snapshot.info;
    if (dirty === "everything" || commit !== now.commit) return dirty;
    const paths = this.#source.watch()?.gathered() ?? [];
    if (paths === "everything" || paths.length === 0) return paths === "everything" ? paths : dirty;
    return union(dirty, await this.#gathered.get([paths, stateId], () => this.#changedAmong(snapshot, paths)));
  }

  async #changedAmong(snapshot: Snapshot, paths: readonly string[]): Promise<readonly string[]> {
    const files = paths.filter((path) => path !== HEAD_PATH);
    const changed = await this.#source.disk.unsettled(snapshot, files);
    return changed.length === 0 ? changed : this.#source.watch()!.outsideIgnored(changed);
  }

  /**
   * What was reported, without what the view shows already: the reports of a checkout come after it was noticed and
   * indexed, and would cause a second job that finds nothing.
   */
  async #unsettled(snapshot: Snapshot, now: ResolvedRef): Promise<DirtyPaths> {
    const { state, disk, dispatch } = this.#source;
    const { stateId, commit } = snapshot.info;
    for (let checks = 0; checks < MOST_CHECKS; checks++) {
      const { dirty, reports } = state();
      if (dirty === "everything" || dirty.size === 0) return dirty;
      const files = [...dirty].filter((path) => path !== HEAD_PATH && path !== OUTSIDE_RULES);
      const settled = await this.#settled.get([stateId, reports], () => disk.settled(snapshot, files));
      const paths = commit === now.commit ? [...settled, HEAD_PATH] : settled;
      const isLatest = state().reports === reports;
      dispatch({ type: "pathsSettled", paths, reports });
      if (isLatest) return without(dirty, paths);
    }
    return state().dirty;
  }

  /** HEAD is read before every answer, so a checkout is noticed before the watcher has reported its files. */
  async #movedPaths(snapshot: Snapshot, now: ResolvedRef): Promise<readonly string[]> {
    const { commit, stateId } = snapshot.info;
    if (commit === undefined || now.commit === undefined || commit === now.commit) return [];
    return this.#moved.get([commit, now.commit, stateId], async () => {
      const changed = await this.pathsBetween(commit, now.commit!);
      // A commit that is not there any more says nothing: the disk does.
      if (changed === undefined) return this.#source.disk.compareAll(snapshot);
      if (changed.length > MOST_MOVED_PATHS) return changed;
      // Git moves HEAD last: a job that came before may have read all of these already.
      return this.#source.disk.unsettled(snapshot, changed);
    });
  }
}

const MOST_MOVES = 32;

/** Shares the latest computation among callers with the same key; a failure is forgotten. */
class SharedResult<T> {
  #latest: { readonly key: readonly unknown[]; readonly value: Promise<T> } | undefined;

  get(key: readonly unknown[], compute: () => Promise<T>): Promise<T> {
    const { key: known, value: shared } = this.#latest ?? {};
    if (shared !== undefined && key.every((part, at) => part === known![at])) return shared;
    const value = compute();
    this.#latest = { key, value };
    value.catch(() => {
      if (this.#latest?.value === value) this.#latest = undefined;
    });
    return value;
  }
}
