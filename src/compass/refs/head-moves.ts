/** Which paths a move of HEAD changes: people go back and forth between a few branches, so git is asked once for each. */
import type { History } from "../../ports/vcs.ts";

/** So many files are looked at one by one before an answer; longer lists are not worth remembering either. */
export const MOST_LOOKED_AT = 500;

const MOST_REMEMBERED = 32;

export class HeadMoves {
  readonly #root: string;
  readonly #history: History;
  /** By both commits, whichever came first. */
  readonly #known = new Map<string, readonly string[]>();

  constructor(root: string, history: History) {
    this.#root = root;
    this.#history = history;
  }

  /** Undefined: one of the commits is not there any more. */
  async between(from: string, to: string): Promise<readonly string[] | undefined> {
    const key = [from, to].sort().join(" ");
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const changed = await this.#history.changedPaths(this.#root, from, to);
    const paths = changed?.map(({ path }) => path);
    if (paths === undefined || paths.length > MOST_LOOKED_AT) return paths;
    this.#known.set(key, paths);
    if (this.#known.size > MOST_REMEMBERED) this.#known.delete(this.#known.keys().next().value!);
    return paths;
  }
}
