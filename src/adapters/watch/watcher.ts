/** Follows a tree by the system's reports, or by polling where the system cannot. */
import { OUTSIDE_RULES } from "../../model/paths.ts";
import type { Files, Watch, WatchEvents, Watcher } from "../../ports/files.ts";
import { Gather } from "./debounce.ts";
import { watchHead } from "./head-watch.ts";
import { watchNatively } from "./native.ts";
import { poll } from "./poll.ts";
import { Place } from "./root-identity.ts";

export interface WatcherOptions {
  readonly files: Files;
  /** The git directory of a tree's HEAD; absent or undefined: no repository. */
  readonly gitDirectory?: (root: string) => string | undefined;
  readonly native?: typeof watchNatively;
}

export function treeWatcher(options: WatcherOptions): Watcher {
  return {
    async watch(root, events) {
      const following = new Following(root, events, options);
      await following.start();
      return following;
    },
  };
}

/** A move of HEAD is reported as this path: nothing below it is indexed, so the run it causes only notes the commit. */
const HEAD_PATH = ".git/HEAD";

class Following implements Watch {
  mode: Watch["mode"] = "native";
  readonly #root: string;
  readonly #events: WatchEvents;
  readonly #options: WatcherOptions;
  readonly #gather: Gather;
  readonly #place: Place;
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
    this.#gather = new Gather((paths) => void this.#report(paths));
    const again = () => {
      this.#turn = this.#turn.then(() => this.#again());
    };
    this.#place = new Place(root, again, () => this.#compareRules());
  }

  async start(): Promise<void> {
    this.#compareRules();
    await this.#place.start();
    await this.#follow();
  }

  gathered(): readonly string[] | "everything" {
    const { waiting } = this.#gather;
    return waiting === "everything" || this.#reports.size === 0 ? waiting : [...this.#reports, waiting].flat();
  }

  outsideIgnored(paths: readonly string[]): Promise<readonly string[]> {
    return outsideIgnored(this.#root, paths, this.#options.files);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#place.close();
    await this.#turn;
    this.#gather.close();
    await this.#unfollow();
  }

  async #follow(): Promise<void> {
    const gitDirectory = this.#options.gitDirectory?.(this.#root);
    if (gitDirectory !== undefined) this.#head = watchHead(gitDirectory, () => this.#gather.add([HEAD_PATH]));
    if (this.mode === "polling") return;
    try {
      this.#source = await (this.#options.native ?? watchNatively)(this.#root, {
        onPaths: (paths) => this.#gather.add(paths),
        onLost: () => this.#place.lost(),
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

  /** Another directory is there than the one that was followed. Polling looks by name, and goes on. */
  async #again(): Promise<void> {
    if (this.mode === "native") await this.#unfollow().catch(() => {});
    else this.#head?.close();
    if (this.#closed) return;
    await this.#follow();
    this.#gather.add("everything");
  }

  #degrade(error: unknown): void {
    if (this.mode === "polling" || this.#closed) return;
    this.mode = "polling";
    // A native watcher that failed is abandoned, not closed: its thread has ended, and unsubscribing waits for that thread
    // on this one, for good. A server in that state answers nothing and outlives its client.
    this.#source = poll(this.#root, this.#options.files, (paths) => this.#gather.add(paths));
    this.#events.onDegraded(error instanceof Error ? error.message : String(error));
    // Whatever was not reported while the native watcher failed is found by a walk.
    this.#gather.add("everything");
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
