/**
 * Which files of a ref are its own: those that differ from where it left the default branch are `overlay`, the others
 * `base`. Computed on demand and cached, since both branches move.
 *
 * Of a working tree, git would have to compare every file with its index for each state: two processes that an answer
 * after a checkout waited 40-200 ms for. A file that is as the one commit or the other has it needs none of that.
 */
import type { SourceLayer } from "../../model/search.ts";
import type { Snapshot } from "../../ports/snapshot.ts";
import type { CompassPorts } from "../ports.ts";
import type { ResolvedRef } from "./resolve-ref.ts";

/** Undefined: the ref is the default one, or outside version control. */
export interface Overlay {
  readonly mergeBase: string | undefined;
  /** Paths that the ref changed, added or removed; `everything` where it has no history in common. */
  readonly paths: ReadonlySet<string> | "everything";
}

type LayerPorts = Pick<CompassPorts, "vcs" | "history" | "hash">;

type Named = Pick<ResolvedRef, "ref" | "commit">;

const REMEMBERED = 64;
const REMEMBERED_PATHS = 2_000;
/** A larger file is left to git. */
const MOST_BYTES = 4 << 20;

/** Where a ref left the default branch. */
interface Fork {
  readonly mergeBase: string | undefined;
  readonly main: string;
  readonly commit: string;
}

export class SourceLayers {
  readonly #root: string;
  readonly #ports: LayerPorts;
  readonly #known = new Map<string, Promise<Overlay>>();
  /** By both commits, which do not change with the working tree: a checkout is answered one process of git's sooner. */
  readonly #mergeBases = new Map<string, Promise<string | undefined>>();
  /** By the commits, the path and its content. */
  readonly #paths = new Map<string, Promise<SourceLayer | undefined>>();

  constructor(root: string, ports: LayerPorts) {
    this.#root = root;
    this.#ports = ports;
  }

  /** For one answer about a project under version control: where the ref left the default branch is read once. */
  at(target: ResolvedRef, snapshot: Snapshot | undefined): (path: string) => Promise<SourceLayer> {
    let looked: Promise<Fork | undefined> | undefined;
    return async (path) => {
      looked ??= this.#fork(target);
      const fork = await looked;
      if (fork === undefined) return "base";
      const known = target.from === "directory" ? await this.#ofContent(fork, snapshot, path) : undefined;
      return known ?? layerInOverlay(await this.#overlay(target, fork, snapshot?.info.stateId ?? ""), path);
    };
  }

  /** Runs git now for where the ref left the default branch: after a checkout, while git also lists what changed. */
  async prepare(target: Named): Promise<void> {
    await this.#fork(target).catch(() => {});
  }

  /** `stateId`: of the view, which changes when a working tree does. */
  async overlay(target: ResolvedRef, stateId: string): Promise<Overlay | undefined> {
    const fork = await this.#fork(target);
    return fork && this.#overlay(target, fork, stateId);
  }

  /** Undefined: the ref is the default one, or outside version control. */
  async #fork({ ref, commit }: Named): Promise<Fork | undefined> {
    const { vcs, history } = this.#ports;
    const name = await vcs.defaultBranch(this.#root);
    if (name === undefined || commit === undefined || ref === name) return undefined;
    const main =
      (await vcs.tip(this.#root, `refs/heads/${name}`)) ?? (await vcs.tip(this.#root, `refs/remotes/origin/${name}`));
    if (main === undefined) return undefined;
    const pair = `${main} ${commit}`;
    const mergeBase = await cached(this.#mergeBases, pair, () => history.mergeBase(this.#root, main, commit));
    // None may become one: a shallow clone is deepened.
    if (mergeBase === undefined) this.#mergeBases.delete(pair);
    return { mergeBase, main, commit };
  }

  #overlay(target: ResolvedRef, { mergeBase, main, commit }: Fork, stateId: string): Promise<Overlay> {
    const isTree = target.from === "directory";
    const key = `${main} ${commit} ${mergeBase} ${isTree ? `${target.view}@${stateId}` : ""}`;
    return cached(this.#known, key, async () => {
      if (mergeBase === undefined) return { mergeBase, paths: "everything" };
      const changed = await this.#ports.history.changedPaths(this.#root, mergeBase, isTree ? "worktree" : commit);
      return { mergeBase, paths: changed === undefined ? "everything" : new Set(changed.map(({ path }) => path)) };
    });
  }

  /** Undefined: it was edited since, or a filter changes files between git and the disk; only git can tell. */
  async #ofContent(fork: Fork, snapshot: Snapshot | undefined, path: string): Promise<SourceLayer | undefined> {
    const shown = (await snapshot?.file(path))?.contentHash;
    const { mergeBase, commit } = fork;
    if (shown === undefined || mergeBase === undefined) return undefined;
    const isAt = async (at: string | undefined) => {
      const content = at && (await this.#ports.history.contentAt(this.#root, at, path, MOST_BYTES));
      return content instanceof Uint8Array && this.#ports.hash(content) === shown;
    };
    // A view that is a checkout behind shows another commit's files.
    const before = snapshot?.info.commit === commit ? undefined : snapshot?.info.commit;
    const look = async () =>
      (await isAt(mergeBase)) ? "base" : (await isAt(commit)) || (await isAt(before)) ? "overlay" : undefined;
    return cached(this.#paths, `${mergeBase} ${commit} ${before} ${shown} ${path}`, look, REMEMBERED_PATHS);
  }
}

/** The oldest go first; what was used last is put last. */
function cached<T>(known: Map<string, Promise<T>>, key: string, make: () => Promise<T>, most = REMEMBERED): Promise<T> {
  const made = known.get(key) ?? make();
  known.delete(key);
  known.set(key, made);
  if (known.size > most) known.delete(known.keys().next().value!);
  return made;
}

function layerInOverlay(overlay: Overlay, path: string): SourceLayer {
  return overlay.paths === "everything" || overlay.paths.has(path) ? "overlay" : "base";
}
