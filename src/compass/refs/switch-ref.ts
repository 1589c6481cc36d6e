/** Makes a ref the one that a session means when it names none. */
import type { ProjectId } from "../../model/ids.ts";
import type { Project, SwitchedRef, SwitchRequest } from "../compass.ts";
import { pin } from "../freshness/view-status.ts";
import type { CompassPorts } from "../ports.ts";
import { needsCheckout } from "../projects/published-tree.ts";
import type { Tree } from "../projects/tree.ts";
import type { ResolvedRef } from "./resolve-ref.ts";

export interface SwitchOptions {
  readonly ports: CompassPorts;
  readonly sessions: SessionRefs;
  readonly bootstrapWaitMs: number;
}

/**
 * Throws `ref_not_indexed` for a ref that is not there or not indexed, `overlay_not_ready` for one that is being indexed
 * now: a session that has switched can ask at once. What is checked out is indexed as for any question.
 */
export async function switchRef(
  tree: Tree,
  project: Project,
  ask: SwitchRequest,
  { ports, sessions, bootstrapWaitMs }: SwitchOptions,
): Promise<SwitchedRef> {
  const before = (ask.session && sessions.refOf(ask.session, project.id)) ?? (await tree.checkedOut()).ref;
  const options = { ref: ask.ref, policy: "balanced", bootstrapWaitMs } as const;
  const builds = (await tree.resolve(ask.ref)).from === "directory" ? {} : ({ builds: false } as const);
  const { snapshot, status, target } = await pin(tree, { ...options, ...builds }, ports);
  const commit = snapshot?.info.commit;
  snapshot?.release();
  if (ask.session !== undefined) sessions.switchTo(ask.session, project.id, target.ref);
  const worktreePath = await findWorktree(tree, target, ask.ensureWorktree, ports);
  return {
    ref: target.ref,
    previousRef: before,
    switched: ask.session !== undefined,
    viewStatus: status,
    ...(commit !== undefined && { lastIndexedCommit: commit }),
    ...(worktreePath !== undefined && { worktreePath }),
  };
}

/** Where the ref is checked out already, or was just written to on request. */
async function findWorktree(
  tree: Tree,
  target: ResolvedRef,
  ensure: boolean,
  { vcs, worktrees }: CompassPorts,
): Promise<string | undefined> {
  const { root } = tree.row;
  if (target.from === "directory") return root;
  if (target.from === "published") {
    if (ensure) throw needsCheckout(root, "making a work tree");
    return undefined;
  }
  const places = await vcs.worktrees(root);
  const found = places.find(({ head }) => (head.branch ?? head.commit) === target.ref);
  if (found !== undefined) return found.path;
  return ensure && target.commit !== undefined
    ? worktrees.ensure({ root, commit: target.commit }, target.ref)
    : undefined;
}

const MOST_SESSIONS = 1_000;

export class SessionRefs {
  readonly #refs = new Map<string, Map<ProjectId, string>>();

  refOf(session: string, project: ProjectId): string | undefined {
    return this.#refs.get(session)?.get(project);
  }

  switchTo(session: string, project: ProjectId, ref: string): void {
    const refs = this.#refs.get(session) ?? new Map<ProjectId, string>();
    refs.set(project, ref);
    // A map remembers the order of insertion: the first is the one that switched longest ago.
    this.#refs.delete(session);
    this.#refs.set(session, refs);
    if (this.#refs.size > MOST_SESSIONS) this.#refs.delete(this.#refs.keys().next().value!);
  }
}
