/** What the system does not report is polled: all files where there is no native watcher, and the identity of the root. */
import { stat } from "node:fs/promises";
import type { Files } from "../../ports/files.ts";

const INTERVAL_MS = 2_000;
/** The maximum share of time spent polling. */
const SHARE = 0.1;

export function poll(
  root: string,
  files: Files,
  onPaths: (paths: readonly string[] | "everything") => void,
): { close(): void } {
  let before: Map<string, string> | undefined;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  const check = async () => {
    const started = performance.now();
    const now = await stamps(root, files).catch(() => undefined);
    if (closed) return;
    if (now !== undefined && before !== undefined) report(changed(before, now));
    before = now ?? before;
    timer = setTimeout(() => void check(), Math.max(INTERVAL_MS, (performance.now() - started) / SHARE)).unref();
  };
  const report = (paths: readonly string[]) => paths.length > 0 && onPaths(paths);
  void check();
  return {
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}

async function stamps(root: string, files: Files): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const batch of files.walk(root)) {
    for (const item of batch) {
      if ("file" in item) found.set(item.file.path, item.file.stamp);
      else found.set(item.skip.path, item.skip.reason);
    }
  }
  return found;
}

function changed(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): string[] {
  const paths = [...now].filter(([path, stamp]) => before.get(path) !== stamp).map(([path]) => path);
  for (const path of before.keys()) if (!now.has(path)) paths.push(path);
  return paths.map((path) => path.replace(/\/$/, ""));
}

const IDENTITY_CHECK_MS = 1_000;

/**
 * Notices that the root is back after it was gone, or is another directory: moved away and put back, deleted and cloned
 * again, or swapped with its parent. The system's reports are bound to the old directory and stop.
 */
export class RootIdentity {
  readonly #root: string;
  readonly #onReplaced: () => void;
  readonly #onCheck: () => void;
  #known: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /** `onCheck` is called after every check, for what else has to be polled. */
  constructor(root: string, onReplaced: () => void, onCheck: () => void) {
    this.#root = root;
    this.#onReplaced = onReplaced;
    this.#onCheck = onCheck;
  }

  /** Remembers which directory is there now, and checks it from time to time. */
  async start(): Promise<void> {
    this.#known = await identity(this.#root);
    this.#schedule();
  }

  /** The directory is known to have gone: whatever is there next is a return. */
  lost(): void {
    this.#known = undefined;
    void this.#check();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  async #check(): Promise<void> {
    const before = this.#known;
    const now = await identity(this.#root);
    this.#known = now;
    if (this.#closed) return;
    this.#schedule();
    if (now !== undefined && now !== before) this.#onReplaced();
    this.#onCheck();
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (!this.#closed) this.#timer = setTimeout(() => void this.#check(), IDENTITY_CHECK_MS).unref();
  }
}

async function identity(root: string): Promise<string | undefined> {
  const stats = await stat(root, { bigint: true }).catch(() => undefined);
  return stats?.isDirectory() ? `${stats.dev} ${stats.ino}` : undefined;
}
