/** Follows a tree by the system's reports, or by polling where the system cannot. */
import { type FSWatcher, watch } from "node:fs";
import { join } from "node:path";
import { errorMessage } from "../../model/errors.ts";
import { OUTSIDE_RULES } from "../../model/paths.ts";
import type { Files, Watch, WatchEvents, Watcher } from "../../ports/files.ts";
import { watchNatively } from "./native.ts";
import { poll, RootIdentity } from "./poll.ts";

export interface WatcherOptions {
  readonly files: Files;
  /** The git directory of a tree's HEAD; absent or undefined: no repository. */
  readonly gitDirectory?: (root: string) => string | undefined;
  readonly native?: typeof watchNatively;
}

export function treeWatcher(options: WatcherOptions): Watcher {
  return {
    async watch(root, events) {
      const watch = new TreeWatch(root, events, options);
      await watch.start();
      return watch;
    },
  };
}

/** A move of HEAD is reported as this path: nothing below it is indexed, so the run it causes only notes the commit. */
const HEAD_PATH = ".git/HEAD";

class TreeWatch implements Watch {
  mode: Watch["mode"] = "native";
  readonly #root: string;
  readonly #events: WatchEvents;
  readonly #options: WatcherOptions;
  readonly #debounce: Debounce;
  readonly #identity: RootIdentity;
  #source: { close(): Promise<void> | void } | undefined;
  #head: { close(): void } | undefined;
  /** Reports on their way. */
  readonly #reports = new Set<readonly string[]>();
  /** One return after the other: each ends what the one before began. */
  #turn: Promise<void> = Promise.resolve();
  #rules: string | undefined;
  #closed = false;

  constructor(root: string, events: WatchEvents, options: WatcherOptions) {
    this.#root = root;
    this.#events = events;
    this.#options = options;
    this.#debounce = new Debounce((paths) => void this.#report(paths));
    const rewatch = () => {
      this.#turn = this.#turn.then(() => this.#rewatch());
    };
    this.#identity = new RootIdentity(root, rewatch, () => this.#compareRules());
  }

  async start(): Promise<void> {
    this.#compareRules();
    await this.#identity.start();
    await this.#follow();
  }

  gathered(): readonly string[] | "everything" {
    const { waiting } = this.#debounce;
    return waiting === "everything" || this.#reports.size === 0 ? waiting : [...this.#reports, waiting].flat();
  }

  outsideIgnored(paths: readonly string[]): Promise<readonly string[]> {
    return outsideIgnored(this.#root, paths, this.#options.files);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#identity.close();
    await this.#turn;
    this.#debounce.close();
    await this.#unfollow();
  }

  async #follow(): Promise<void> {
    const gitDirectory = this.#options.gitDirectory?.(this.#root);
    if (gitDirectory !== undefined) this.#head = watchHead(gitDirectory, () => this.#debounce.add([HEAD_PATH]));
    if (this.mode === "polling") return;
    try {
      this.#source = await (this.#options.native ?? watchNatively)(this.#root, {
        onPaths: (paths) => this.#debounce.add(paths),
        onLost: () => this.#identity.lost(),
        onError: (error) => this.#degrade(error),
      });
    } catch (error) {
      this.#degrade(error);
    }
  }

  /** Rules outside the tree lie in directories of others, which may not exist yet: they are read, not watched. */
  #compareRules(): void {
    const before = this.#rules;
    this.#rules = this.#options.files.outsideRules?.(this.#root, {}).fingerprint;
    if (before !== undefined && before !== this.#rules) this.#handOn([OUTSIDE_RULES]);
  }

  async #unfollow(): Promise<void> {
    this.#head?.close();
    this.#head = undefined;
    const source = this.#source;
    this.#source = undefined;
    await source?.close();
  }

  /** Another directory is there than the one that was watched. Polling goes by name and continues. */
  async #rewatch(): Promise<void> {
    if (this.mode === "native") await this.#unfollow().catch(() => {});
    else this.#head?.close();
    if (this.#closed) return;
    await this.#follow();
    this.#debounce.add("everything");
  }

  #degrade(error: unknown): void {
    if (this.mode === "polling" || this.#closed) return;
    this.mode = "polling";
    // A native watcher that failed is abandoned, not closed: its thread has ended, and unsubscribing waits for that thread
    // on this one, for good. A server in that state answers nothing and outlives its client.
    this.#source = poll(this.#root, this.#options.files, (paths) => this.#debounce.add(paths));
    this.#events.onDegraded(errorMessage(error));
    // Whatever was not reported while the native watcher failed is found by a walk.
    this.#debounce.add("everything");
  }

  async #report(paths: readonly string[] | "everything"): Promise<void> {
    if (paths === "everything") return this.#handOn(paths);
    this.#reports.add(paths);
    this.#handOn(await this.outsideIgnored(paths));
    this.#reports.delete(paths);
  }

  #handOn(paths: readonly string[] | "everything"): void {
    if (!this.#closed && paths.length > 0) this.#events.onChange(paths);
  }
}

/** Without what lies in ignored directories: a build that writes there must not wake the indexer. */
async function outsideIgnored(root: string, paths: readonly string[], files: Files): Promise<readonly string[]> {
  const ignored: string[] = [];
  try {
    for await (const batch of files.walk(root, { only: paths })) {
      for (const item of batch) if ("skip" in item && item.skip.path.endsWith("/")) ignored.push(item.skip.path);
    }
  } catch {
    return paths;
  }
  return paths.filter((path) => !ignored.some((directory) => path.startsWith(directory)));
}

const QUIET_MS = 80;
/** A tree that changes all the time is reported, too. */
const LONGEST_MS = 500;
/** More paths than this are cheaper to find by a walk. */
const MANY = 2_000;

/** Collects reports until a burst is over: the save of an editor is three events, a checkout thousands. */
class Debounce {
  readonly #flush: (paths: readonly string[] | "everything") => void;
  #paths: Set<string> | "everything" = new Set();
  #list: readonly string[] | undefined;
  #quiet: NodeJS.Timeout | undefined;
  #longest: NodeJS.Timeout | undefined;

  constructor(flush: (paths: readonly string[] | "everything") => void) {
    this.#flush = flush;
  }

  add(paths: readonly string[] | "everything"): void {
    if (paths === "everything") this.#paths = paths;
    else if (this.#paths !== "everything") for (const path of paths) this.#paths.add(path);
    if (this.#paths !== "everything" && this.#paths.size > MANY) this.#paths = "everything";
    this.#list = undefined;
    clearTimeout(this.#quiet);
    this.#quiet = setTimeout(() => this.#send(), QUIET_MS).unref();
    this.#longest ??= setTimeout(() => this.#send(), LONGEST_MS).unref();
  }

  /** What waits for the end of its burst. Another list whenever something was added. */
  get waiting(): readonly string[] | "everything" {
    if (this.#paths === "everything") return this.#paths;
    this.#list ??= [...this.#paths].sort();
    return this.#list;
  }

  close(): void {
    clearTimeout(this.#quiet);
    clearTimeout(this.#longest);
  }

  #send(): void {
    this.close();
    this.#longest = undefined;
    const paths = this.waiting;
    this.#paths = new Set();
    this.#list = undefined;
    this.#flush(paths);
  }
}

/**
 * Notices commits and checkouts, which may change no file of the tree. Git writes HEAD when another branch is checked
 * out, and logs/HEAD whenever HEAD comes to mean another commit; `git status` writes neither.
 */
function watchHead(gitDirectory: string, onMove: () => void): { close(): void } {
  const watchers = [gitDirectory, join(gitDirectory, "logs")].flatMap((directory) =>
    watchName(directory, "HEAD", onMove),
  );
  return {
    close() {
      for (const watcher of watchers) watcher.close();
    },
  };
}

/** The directory is watched, not the file: git replaces files by renaming. */
function watchName(directory: string, name: string, onMove: () => void): FSWatcher[] {
  try {
    const watcher = watch(directory, { persistent: false }, (_, changed) => {
      if (changed === name) onMove();
    });
    // HEAD is read before every answer anyway; a watcher that fails only delays the background sync.
    watcher.on("error", () => watcher.close());
    return [watcher];
  } catch {
    return [];
  }
}
