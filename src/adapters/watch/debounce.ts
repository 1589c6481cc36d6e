/** Collects reports until a burst is over, then hands them on at once: an editor's save is three events, a checkout thousands. */

const QUIET_MS = 80;
/** A tree that never rests is reported all the same. */
const LONGEST_MS = 500;
/** From here on a walk is cheaper than a list. */
const MANY = 2_000;

export class Gather {
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
