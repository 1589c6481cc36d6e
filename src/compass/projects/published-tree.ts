/**
 * A repository of a shared store that is not checked out here: its only state is what others have published. Nothing is
 * compared with a work tree, nothing is watched, and what needs a work tree is refused.
 */
import { CompassError } from "../../model/errors.ts";
import type { ViewInfo } from "../../ports/snapshot.ts";
import type { RefStatus } from "../compass.ts";
import { BASE_VIEW, isWorkingView, LIVE, type ResolvedRef, refOfView } from "../refs/resolve-ref.ts";
import { Tree } from "./tree.ts";

/** Caches of an open repository, and postings and vectors of a chunk. */
const OPEN_BYTES = 16 << 20;
const CHUNK_BYTES = 450;

export class PublishedTree extends Tree {
  #chunks = 0;

  override get heldBytes(): number {
    return OPEN_BYTES + CHUNK_BYTES * this.#chunks;
  }

  override async repository(): Promise<undefined> {
    return undefined;
  }

  override checkedOut(): Promise<ResolvedRef> {
    return this.resolve();
  }

  override async resolve(ref?: string): Promise<ResolvedRef> {
    const resolved = publishedRef(await (await this.store()).views(), ref);
    this.#chunks = Math.max(this.#chunks, resolved.seen?.chunkCount ?? 0);
    return resolved;
  }

  protected override async problems(): Promise<readonly string[]> {
    return [];
  }

  override async start(): Promise<never> {
    throw needsCheckout(this.row.root, "indexing");
  }

  override watch(): void {}
}

/** `doing` is the subject of the sentence: "indexing", "comparing refs". */
export function needsCheckout(name: string, doing: string): CompassError {
  return new CompassError("invalid_input", {
    parameter: "workspace",
    reason: `${doing} needs a checkout, and ${name} is not checked out on this machine`,
    suggestion: `Do it where ${name} is cloned, with the same --store; servers without a clone answer from what is published.`,
  });
}

/** The published view that a name for a ref means; without a name, the default branch's view. */
export function publishedRef(views: readonly ViewInfo[], ref: string | undefined): ResolvedRef {
  const shared = views.filter((view) => !isWorkingView(view.ref));
  const found = ref === undefined || ref === "HEAD" || ref === "@" ? defaultView(shared) : namedView(shared, ref);
  if (found !== undefined) return resolvedView(found);
  // Nothing is published yet: both answers and the status say so.
  if (ref === undefined) return { view: BASE_VIEW, ref: LIVE, from: "published" };
  throw new CompassError("ref_not_indexed", {
    ref,
    reason: "nothing of that name is published",
    indexed_refs: shared.map((view) => resolvedView(view).ref),
  });
}

/** The names git gives a default branch; where neither is published, the view that was published last. */
const DEFAULTS = ["refs/heads/main", "refs/heads/master"];

/** The same order as the shared store's own: `adapters/postgres/default-view.ts`. */
export function defaultView(views: readonly ViewInfo[]): ViewInfo | undefined {
  const rank = ({ ref, isDefault }: ViewInfo) => {
    if (isDefault === true) return -1;
    if (DEFAULTS.includes(ref)) return DEFAULTS.indexOf(ref);
    return ref === BASE_VIEW ? 4 : ref.startsWith("refs/heads/") ? 2 : 3;
  };
  return [...views].sort((a, b) => rank(a) - rank(b) || b.publishedAt - a.publishedAt || (a.ref < b.ref ? -1 : 1))[0];
}

const SHORTEST_COMMIT = 7;

function namedView(views: readonly ViewInfo[], ref: string): ViewInfo | undefined {
  const names = [ref, `refs/heads/${ref}`, `refs/tags/${ref}`, `refs/remotes/${ref}`];
  const named = names.map((name) => views.find((view) => view.ref === name && name !== BASE_VIEW));
  const isCommit = ref.length >= SHORTEST_COMMIT && /^[0-9a-f]+$/.test(ref);
  return (
    named.find((view) => view !== undefined) ?? views.find((view) => isCommit && view.commit?.startsWith(ref) === true)
  );
}

/** A base follows no branch: its name is its commit. */
function resolvedView(seen: ViewInfo): ResolvedRef {
  const { ref: view, commit } = seen;
  const ref = view === BASE_VIEW ? (commit ?? LIVE) : refOfView(view);
  return { view, ref, from: "published", seen, ...(commit !== undefined && { commit }) };
}

/** Every published ref as its publication left it. */
export function publishedRefs(views: readonly ViewInfo[], uses: ReadonlyMap<string, number>): readonly RefStatus[] {
  const shared = views.filter((view) => !isWorkingView(view.ref));
  const main = defaultView(shared);
  const rows = shared
    .filter((view) => view.ref !== BASE_VIEW || view === main)
    .map((view) => ({
      ref: resolvedView(view).ref,
      isDefault: view === main,
      ...(view.commit !== undefined && { lastIndexedCommit: view.commit }),
      fileCount: view.fileCount,
      symbolCount: view.symbolCount,
      status: "active" as const,
      lastAccessedAt: Math.max(view.publishedAt, uses.get(view.ref) ?? 0),
    }));
  return rows.sort((a, b) => Number(b.isDefault) - Number(a.isDefault) || (a.ref < b.ref ? -1 : 1));
}
