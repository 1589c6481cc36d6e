/**
 * What is known of a working tree's files since they were last indexed: the watcher's reports, or a look at the disk
 * where there is no watcher. Nothing here indexes.
 */
import { onePerDirectory } from "../../ingest/warm-up.ts";
import { nextTurn } from "../../model/event-loop.ts";
import { OUTSIDE_RULES } from "../../model/paths.ts";
import type { Watch } from "../../ports/files.ts";
import type { WorkspaceRow } from "../../ports/registry.ts";
import type { Snapshot } from "../../ports/snapshot.ts";
import type { ViewInfo } from "../../ports/view.ts";
import type { CompassOptions, CompassPorts } from "../ports.ts";
import { HeadMoves, MOST_LOOKED_AT } from "../refs/head-moves.ts";
import type { CheckedOut } from "../refs/resolve-ref.ts";
import { type Drift, driftOf } from "./drift.ts";
import { MANY_PATHS, TreeScan } from "./tree-scan.ts";

/** As which a watcher reports a move of HEAD; whether it moved, the commits tell. A run of this path only notes the commit. */
export const HEAD_PATH = ".git/HEAD";

/** A checkout's reports come in several parts, each while the one before is looked at. */
const MOST_LOOKS = 3;

/** So many directories' rules are compiled before they are needed: this thread has others to answer. */
const REHEARSED = 16;

/** How long a look for unreadable files of a repository counts. They only add warnings, and each look takes 0.3 ms. */
const PROBLEMS_MS = 1_000;

/** A server's first answers go first. */
const WARM_AFTER_MS = 2_000;

export interface TreeFollowerEvents {
  /** There may be something to do. */
  onReport(): void;
  /** The tree has been watched for a moment, and the first answers are out. */
  onWatched(): void;
}

/** Paths reported and not yet indexed. */
export type Dirty = Set<string> | "everything";

export class TreeFollower {
  readonly #row: WorkspaceRow;
  readonly #ports: CompassPorts;
  readonly #disk: TreeScan;
  readonly #events: TreeFollowerEvents;
  #watch: Promise<Watch | undefined> | undefined;
  /** Once it has started. */
  #watching: Watch | undefined;
  #mode: Watch["mode"] | "off" = "off";
  /** `everything` until the watcher has been seen to agree with the view. */
  #dirty: Dirty = "everything";
  #warning: string | undefined;
  #compared: string | undefined;
  /** The state that was judged last. */
  #shown: Pick<ViewInfo, "stateId" | "ref" | "generation"> | undefined;
  /** A comparison under way, and what the watcher reports meanwhile. */
  #comparison: { readonly done: Promise<void>; missed: Dirty } | undefined;
  /** What the watcher gathers was looked at for this state; a build that writes much is not looked at for each answer. */
  #gathered:
    | { readonly paths: object; readonly stateId: string; readonly open: Promise<readonly string[]> }
    | undefined;
  /** The state with whose stamps all that was reported has been compared. */
  #settled: { readonly stateId: string; readonly done: Promise<void> } | undefined;
  /** How often something was reported. */
  #reports = 0;
  readonly #moves: HeadMoves;
  /** What the last one changed and was not shown then, as long as nothing is published. What comes later is reported. */
  #moved: { readonly key: string; readonly paths: Promise<readonly string[]> } | undefined;
  /** The rules outside the tree when they were last looked at: what the view was made under, or a report says otherwise. */
  #rules: string | undefined;
  #problems: { readonly at: number; readonly found: Promise<readonly string[]> } | undefined;
  #closed = false;

  constructor(row: WorkspaceRow, ports: CompassPorts, options: CompassOptions, events: TreeFollowerEvents) {
    this.#row = row;
    this.#ports = ports;
    this.#disk = new TreeScan(row, ports.files, () => options.indexing);
    this.#events = events;
    this.#moves = new HeadMoves(row.root, ports.history);
  }

  get mode(): Watch["mode"] | "off" {
    return this.#mode;
  }

  get warning(): string | undefined {
    return this.#warning;
  }

  get isDirty(): boolean {
    return this.#dirty === "everything" || this.#dirty.size > 0;
  }

  /**
   * What differs between the view and the disk; undefined when nothing does. During a `job` what was reported is taken
   * at its word: a checkout's reports come in while it is indexed, and a look at each would take the job's time. By
   * `look` the disk is asked whatever was reported: a report comes some milliseconds after the edit, in a burst 50.
   */
  async drift(snapshot: Snapshot, now: CheckedOut, by?: "job" | "look"): Promise<Drift | undefined> {
    this.noticeRules();
    const compared = this.#compared;
    this.#compared = undefined;
    if (compared === snapshot.info.stateId) return driftOf(snapshot, now, []);
    if (this.#mode === "off" || by === "look") return driftOf(snapshot, now, await this.#disk.scanTogether(snapshot));
    this.#noticeStepBack(snapshot);
    if (this.#dirty === "everything") await this.#compare(snapshot);
    // Still everything: the tree changes faster than it can be compared, so this answer looks for itself.
    const reported = by === "job" ? this.#dirty : await this.#reported(snapshot, now);
    const paths = reported === "everything" ? await this.#disk.scan(snapshot) : reported;
    const moved = await this.#movedPaths(snapshot, now);
    const all = new Set([...paths, ...moved]);
    all.delete(HEAD_PATH);
    return driftOf(snapshot, now, [...all].sort());
  }

  /** Looks at the disk whatever the watcher has said: every path that differs or was reported. Undefined: too many. */
  async look(snapshot: Snapshot): Promise<readonly string[] | undefined> {
    this.noticeRules();
    const found = await this.#disk.scan(snapshot);
    const all = union(new Set(found), this.#dirty === "everything" ? [] : this.#dirty);
    return all === "everything" ? undefined : [...all].sort();
  }

  /** What a first checkout would be looked at with is read and compiled before, as far as this thread does it. */
  async rehearse(snapshot: Snapshot): Promise<void> {
    // Nobody waits for this; whoever asks meanwhile goes first.
    await nextTurn();
    const stamps = await snapshot.stamps(this.#row.id);
    await nextTurn();
    const paths = onePerDirectory(stamps.keys(), REHEARSED);
    await this.#disk.settled(snapshot, paths);
    await nextTurn();
    await this.#disk.walk(paths);
  }

  /** Whether HEAD comes to mean that commit or not, git is asked now what the move would change. */
  async expect(from: string, to: string): Promise<void> {
    await this.#moves.between(from, to);
  }

  /** Ignore rules outside the tree are watched by nobody: they are compared before every answer and every job. */
  noticeRules(): void {
    const rules = this.#disk.rules();
    if (rules === undefined || rules.fingerprint === this.#rules) return;
    const isFirst = this.#rules === undefined;
    this.#rules = rules.fingerprint;
    // Without a watcher every file is looked at under the rules of the moment.
    if (!isFirst && this.#mode !== "off") this.#mark([OUTSIDE_RULES]);
  }

  /** Why files that say what belongs to the tree cannot be read, one sentence each. */
  problems(): Promise<readonly string[]> {
    const now = this.#ports.env.monotonic();
    if (this.#problems === undefined || now - this.#problems.at > PROBLEMS_MS)
      this.#problems = { at: now, found: this.#findProblems() };
    return this.#problems.found;
  }

  async #findProblems(): Promise<readonly string[]> {
    const rules = this.#disk.rules()?.problems ?? [];
    return [...rules, ...((await this.#ports.vcs.problems?.(this.#row.root)) ?? [])];
  }

  /** A command that has just compared this state with the disk need not walk the tree again for its next question. */
  trust(stateId: string): void {
    this.#compared = stateId;
  }

  /** Takes the reports that a job will answer off the list; `giveBack` when it fails. */
  take(paths: readonly string[] | undefined): Dirty {
    const before = this.#dirty;
    this.#disk.readBy(paths ?? []);
    if (paths === undefined) {
      this.#dirty = new Set();
      return before;
    }
    if (before !== "everything") for (const path of paths) before.delete(path);
    return new Set(paths);
  }

  giveBack(taken: Dirty): void {
    this.#reports++;
    this.#settled = undefined;
    this.#disk.unread();
    this.#dirty = union(this.#dirty, taken);
  }

  /** Starts watching once; a tree that cannot be watched is checked at every read. */
  watch(): void {
    if (this.#watch !== undefined || this.#ports.watcher === undefined || this.#closed) return;
    this.#watch = this.#ports.watcher
      .watch(this.#row.root, {
        onChange: (paths) => {
          // Whether they differ from those of the view is known here.
          if (paths === "everything" || !paths.includes(OUTSIDE_RULES)) this.#changed(paths);
          else this.#rulesReported();
        },
        onDegraded: (reason) => {
          this.#mode = "polling";
          this.#warning = `watching by polling: ${reason}`;
        },
      })
      .then((watch) => {
        this.#mode = watch.mode;
        this.#watching = watch;
        // What happened before the first event is only known by looking.
        this.#changed("everything");
        void this.#tellLater();
        return watch;
      })
      .catch((error: unknown) => {
        this.#warning = `not watched: ${error instanceof Error ? error.message : String(error)}`;
        return undefined;
      });
  }

  async #tellLater(): Promise<void> {
    await this.#ports.env.sleep(WARM_AFTER_MS);
    if (!this.#closed) this.#events.onWatched();
  }

  async close(): Promise<void> {
    this.#closed = true;
    const watch = await this.#watch;
    await watch?.close();
  }

  /** An index that was deleted, perhaps made anew, or lost its log, shows less than the watcher's reports have led to. */
  #noticeStepBack({ info: { stateId, ref, generation } }: Snapshot): void {
    const before = this.#shown;
    const isAnother = before?.ref === ref && before.stateId !== stateId && generation <= before.generation;
    if (isAnother) this.#dirty = "everything";
    this.#shown = { stateId, ref, generation };
  }

  /** HEAD is read before every answer, so a checkout is noticed before the watcher has reported its files. */
  async #movedPaths(snapshot: Snapshot, now: CheckedOut): Promise<readonly string[]> {
    const { commit, stateId } = snapshot.info;
    if (commit === undefined || now.commit === undefined || commit === now.commit) return [];
    const key = `${commit} ${now.commit} ${stateId}`;
    if (this.#moved?.key !== key) this.#moved = { key, paths: this.#openPaths(snapshot, commit, now.commit) };
    try {
      return await this.#moved.paths;
    } catch (error) {
      this.#moved = undefined;
      throw error;
    }
  }

  async #openPaths(snapshot: Snapshot, from: string, to: string): Promise<readonly string[]> {
    const changed = await this.#moves.between(from, to);
    // A commit that is not there any more says nothing: the disk does.
    if (changed === undefined) return this.#disk.scan(snapshot);
    if (changed.length > MOST_LOOKED_AT) return changed;
    // Git moves HEAD last: a run that came before may have read all of these already.
    return this.#disk.unsettled(snapshot, changed);
  }

  /** Also what the watcher has heard of and keeps until a burst is over; where HEAD has moved there is a drift already. */
  async #reported(snapshot: Snapshot, now: CheckedOut): Promise<Dirty> {
    const dirty = await this.#unsettled(snapshot, now);
    const { commit, stateId } = snapshot.info;
    if (dirty === "everything" || commit !== now.commit) return dirty;
    const paths = this.#watching?.gathered() ?? [];
    if (paths === "everything" || paths.length === 0) return paths === "everything" ? paths : dirty;
    if (this.#gathered?.paths !== paths || this.#gathered.stateId !== stateId)
      this.#gathered = { paths, stateId, open: this.#openAmong(snapshot, paths) };
    return union(new Set(dirty), await this.#gathered.open);
  }

  async #openAmong(snapshot: Snapshot, paths: readonly string[]): Promise<readonly string[]> {
    const files = paths.filter((path) => path !== HEAD_PATH);
    const open = await this.#disk.unsettled(snapshot, files);
    return open.length === 0 ? open : this.#watching!.outsideIgnored(open);
  }

  /**
   * What was reported, without what the view shows already: the reports of a checkout come when it has long been
   * noticed and indexed, and would cause a second run that finds nothing.
   */
  async #unsettled(snapshot: Snapshot, now: CheckedOut): Promise<Dirty> {
    const { stateId, commit } = snapshot.info;
    for (let looks = 0; looks < MOST_LOOKS; looks++) {
      const dirty = this.#dirty;
      if (dirty === "everything" || dirty.size === 0) return dirty;
      if (this.#settled?.stateId !== stateId) this.#settled = { stateId, done: this.#settle(snapshot, dirty) };
      // Whoever began this look may be somebody else: until it is over, all of them seem to differ.
      const look = this.#settled;
      await look.done.catch((error: unknown) => {
        if (this.#settled === look) this.#settled = undefined;
        throw error;
      });
      if (commit === now.commit) dirty.delete(HEAD_PATH);
      if (this.#settled === look) return dirty;
    }
    return this.#dirty;
  }

  async #settle(snapshot: Snapshot, dirty: Set<string>): Promise<void> {
    const reported = [...dirty].filter((path) => path !== HEAD_PATH && path !== OUTSIDE_RULES);
    const before = this.#reports;
    const settled = await this.#disk.settled(snapshot, reported);
    // A path that is reported from now on was touched after it was looked at: it must stay.
    if (this.#reports === before) for (const path of settled) dirty.delete(path);
  }

  /** Replaces "everything" by what really differs; an event that comes meanwhile is not lost. */
  #compare(snapshot: Snapshot): Promise<void> {
    if (this.#comparison !== undefined) return this.#comparison.done;
    const compare = async () => {
      try {
        const found = await this.#disk.scan(snapshot);
        this.#dirty = union(new Set(found), this.#comparison!.missed);
      } finally {
        this.#comparison = undefined;
      }
    };
    // The scan starts with an await, so the field is set before anything can be missed.
    this.#comparison = { done: compare(), missed: new Set() };
    return this.#comparison.done;
  }

  #rulesReported(): void {
    this.noticeRules();
    if (!this.#closed && this.isDirty) this.#events.onReport();
  }

  #changed(paths: readonly string[] | "everything"): void {
    this.#mark(paths);
    if (!this.#closed) this.#events.onReport();
  }

  #mark(paths: readonly string[] | "everything"): void {
    if (this.#comparison !== undefined) this.#comparison.missed = union(this.#comparison.missed, paths);
    this.#dirty = union(this.#dirty, paths);
    this.#reports++;
    this.#settled = undefined;
  }
}

function union(dirty: Dirty, more: Iterable<string> | "everything"): Dirty {
  if (dirty === "everything" || more === "everything") return "everything";
  for (const path of more) dirty.add(path);
  return dirty.size > MANY_PATHS ? "everything" : dirty;
}
