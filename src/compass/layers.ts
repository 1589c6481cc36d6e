/**
 * Which files of a ref are its own: those that differ from where it left the default branch are `overlay`, the others
 * `base`. Worked out when asked for and remembered, since both branches move.
 */
import type { SourceLayer } from "../model/search.ts";
import type { CompassPorts } from "./ports.ts";
import type { Wanted } from "./refs.ts";

/** Undefined: the ref is the default one, or outside version control. */
export interface Overlay {
  readonly mergeBase: string | undefined;
  /** Paths that the ref changed, added or removed; `everything` where it has no history in common. */
  readonly paths: ReadonlySet<string> | "everything";
}

type Ports = Pick<CompassPorts, "vcs" | "history">;

const REMEMBERED = 64;

export class Layers {
  readonly #root: string;
  readonly #ports: Ports;
  readonly #known = new Map<string, Promise<Overlay>>();
  /** By both commits, which do not change with the working tree: a checkout is answered one process of git's sooner. */
  readonly #mergeBases = new Map<string, Promise<string | undefined>>();

  constructor(root: string, ports: Ports) {
    this.#root = root;
    this.#ports = ports;
  }

  /** `generation`: of the view, which changes when a working tree does. */
  async overlay(wanted: Wanted, generation: number): Promise<Overlay | undefined> {
    const { vcs } = this.#ports;
    const main = await vcs.defaultBranch(this.#root);
    const { commit } = wanted;
    if (main === undefined || commit === undefined || wanted.ref === main) return undefined;
    const tip =
      (await vcs.tip(this.#root, `refs/heads/${main}`)) ?? (await vcs.tip(this.#root, `refs/remotes/origin/${main}`));
    if (tip === undefined) return undefined;
    const key = `${tip} ${commit} ${wanted.from === "directory" ? `${wanted.view}@${generation}` : ""}`;
    const to = wanted.from === "directory" ? "worktree" : commit;
    return remembered(this.#known, key, () => this.#between(tip, commit, to));
  }

  async #between(main: string, commit: string, to: string): Promise<Overlay> {
    const { history } = this.#ports;
    const pair = `${main} ${commit}`;
    const mergeBase = await remembered(this.#mergeBases, pair, () => history.mergeBase(this.#root, main, commit));
    // None may become one: a shallow clone is deepened.
    if (mergeBase === undefined) this.#mergeBases.delete(pair);
    if (mergeBase === undefined) return { mergeBase, paths: "everything" };
    const changed = await history.changedPaths(this.#root, mergeBase, to);
    return { mergeBase, paths: changed === undefined ? "everything" : new Set(changed.map(({ path }) => path)) };
  }
}

/** The oldest go first; what was used last is put last. */
function remembered<T>(known: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  const made = known.get(key) ?? make();
  known.delete(key);
  known.set(key, made);
  if (known.size > REMEMBERED) known.delete(known.keys().next().value!);
  return made;
}

/** Of a project under version control. */
export function layerOf(overlay: Overlay | undefined, path: string): SourceLayer {
  if (overlay === undefined) return "base";
  return overlay.paths === "everything" || overlay.paths.has(path) ? "overlay" : "base";
}
