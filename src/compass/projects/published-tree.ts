/**
 * A repository of a shared store that is not checked out here: what others have published is all there is of it. Nothing
 * can be compared with a work tree, nothing is watched, and what needs one is refused.
 */
import { CompassError } from "../../model/errors.ts";
import type { ViewInfo } from "../../ports/view.ts";
import type { RefStatus } from "../compass.ts";
import { BASE_VIEW, isWorkingView, LIVE, type ResolvedRef, refOfView } from "../refs/resolve-ref.ts";
import { Tree } from "./tree.ts";

export class PublishedTree extends Tree {
  override async repository(): Promise<undefined> {
    return undefined;
  }

  override checkedOut(): Promise<ResolvedRef> {
    return this.wanted();
  }

  override async wanted(ref?: string): Promise<ResolvedRef> {
    return publishedRef(await (await this.store()).views(), ref);
  }

  protected override async problems(): Promise<readonly string[]> {
    return [];
  }

  override async drift(): Promise<undefined> {
    return undefined;
  }

  override async start(): Promise<never> {
    throw needsCheckout(this.row.root, "indexing");
  }

  override async syncSoon(): Promise<void> {}

  override watch(): void {}
}

/** `doing` begins a sentence's part: "indexing", "comparing refs". */
export function needsCheckout(name: string, doing: string): CompassError {
  return new CompassError("invalid_input", {
    parameter: "workspace",
    reason: `${doing} needs a checkout, and ${name} is not checked out on this machine`,
    suggestion: `Do it where ${name} is cloned, with the same --store; servers without a clone answer from what is published.`,
  });
}

/** What a word for a ref means among what is published; without one, the default branch's view. */
export function publishedRef(views: readonly ViewInfo[], ref: string | undefined): ResolvedRef {
  const shared = views.filter((view) => !isWorkingView(view.ref));
  const found = ref === undefined || ref === "HEAD" || ref === "@" ? defaultView(shared) : namedView(shared, ref);
  if (found !== undefined) return wantedOf(found);
  // Nothing is published yet: whoever asks for answers is told so, whoever asks for the state, too.
  if (ref === undefined) return { view: BASE_VIEW, ref: LIVE, from: "published" };
  throw new CompassError("ref_not_indexed", {
    ref,
    reason: "nothing of that name is published",
    indexed_refs: shared.map((view) => wantedOf(view).ref),
  });
}

/** As git would name the default branch where nobody has said which it is; then what was published last. */
const DEFAULTS = ["refs/heads/main", "refs/heads/master"];

/** The same order as the shared store's own: `adapters/postgres/default-view.ts`. */
export function defaultView(views: readonly ViewInfo[]): ViewInfo | undefined {
  const rankOf = ({ ref, isDefault }: ViewInfo) => {
    if (isDefault === true) return -1;
    if (DEFAULTS.includes(ref)) return DEFAULTS.indexOf(ref);
    return ref === BASE_VIEW ? 4 : ref.startsWith("refs/heads/") ? 2 : 3;
  };
  return [...views].sort(
    (a, b) => rankOf(a) - rankOf(b) || b.publishedAt - a.publishedAt || (a.ref < b.ref ? -1 : 1),
  )[0];
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

/** A base follows no branch: it goes by its commit. */
function wantedOf(seen: ViewInfo): ResolvedRef {
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
      ref: wantedOf(view).ref,
      isDefault: view === main,
      ...(view.commit !== undefined && { lastIndexedCommit: view.commit }),
      fileCount: view.fileCount,
      symbolCount: view.symbolCount,
      status: "active" as const,
      lastAccessedAt: Math.max(view.publishedAt, uses.get(view.ref) ?? 0),
    }));
  return rows.sort((a, b) => Number(b.isDefault) - Number(a.isDefault) || (a.ref < b.ref ? -1 : 1));
}
