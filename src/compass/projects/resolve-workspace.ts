/** From the word a caller uses for a tree to the project behind it. */

import { CompassError } from "../../model/errors.ts";
import { type Hash, type ProjectId, projectId } from "../../model/ids.ts";
import type { WorkspaceRow } from "../../ports/registry.ts";
import type { RepositoryInfo } from "../../ports/vcs.ts";
import type { CompassPorts } from "../ports.ts";

type Ports = Pick<CompassPorts, "files" | "registry" | "vcs">;

const MAX_PATH = 4096;

/** A tree that a call names and nobody registered: admitted, or refused. */
export interface Stranger {
  /** As the caller spells it. */
  readonly named: string;
  /** Its real path; undefined when there is no such directory. */
  readonly root: string | undefined;
}

export interface Resolution {
  readonly named: string | undefined;
  /** What a call without a workspace means. */
  readonly fallback: string | undefined;
  /** Whether a known tree may be used by this process. */
  readonly isServed: (row: WorkspaceRow) => boolean;
  /** What to do with a tree that is not known; absent: it is refused. */
  readonly admit?: (stranger: Stranger) => Promise<WorkspaceRow>;
}

const GONE = "The directory is not there: put it back and ask again, or start the server with another --workspace.";

/** The tree of a call: the named one, else the default one. */
export async function resolveWorkspace(by: Resolution, ports: Ports): Promise<WorkspaceRow> {
  const { named, fallback } = by;
  if (named === undefined) {
    if (fallback === undefined) throw new CompassError("project_not_found", { workspace: "this server" });
    // The user stands in it: whoever found it first.
    const root = await realRoot(fallback, ports);
    const row = await registered(root, ports, () => true);
    if (row !== undefined) return row;
    const suggestion = root === undefined ? { suggestion: GONE } : {};
    throw new CompassError("project_not_found", { workspace: shown(fallback), ...suggestion });
  }
  const root = await realRoot(named, ports);
  const row = await registered(root, ports, by.isServed);
  if (row !== undefined) return row;
  if (by.admit !== undefined) return by.admit({ named, root });
  throw root === undefined ? absent(named) : new CompassError("workspace_not_registered", { workspace: shown(named) });
}

/** Registered or not: a directory that is not there cannot be asked about. */
export function absent(named: string): CompassError {
  return new CompassError("workspace_not_registered", {
    workspace: shown(named),
    reason: "there is no such directory",
    suggestion: "There is no such directory: put it back, or name one that is there.",
  });
}

/** Registers a directory; a second call changes nothing. */
export async function registerWorkspace(path: string, ports: Ports): Promise<WorkspaceRow> {
  const root = await realRoot(path, ports);
  if (root === undefined) {
    throw new CompassError("invalid_input", { parameter: "workspace", reason: `${shown(path)} is not a directory` });
  }
  requireFit(root, ports);
  const known = await ports.registry.find(root).catch(ifDamaged);
  if (known !== undefined && !known.autoDiscovered) return known;
  return ports.registry.add(root, await storeKey(root, ports));
}

/** A registration that is damaged is written anew by registering. */
function ifDamaged(error: unknown): undefined {
  if (!(error instanceof CompassError && error.code === "workspace_not_registered")) throw error;
}

/** Refuses what must never be a workspace: a home directory, the root of a drive. */
export function requireFit(root: string, ports: Pick<Ports, "registry">): void {
  const refusal = ports.registry.refusal(root);
  if (refusal !== undefined) throw new CompassError("workspace_not_allowed", { workspace: root, reason: refusal });
}

/** The row of the directory itself or of the closest known directory above it, in the same repository. */
async function registered(
  root: string | undefined,
  ports: Ports,
  isServed: Resolution["isServed"],
): Promise<WorkspaceRow | undefined> {
  if (root === undefined) return undefined;
  for (let at = root; ; at = at.slice(0, at.lastIndexOf("/"))) {
    const row = await ports.registry.find(at === "" ? "/" : at);
    if (row !== undefined && isServed(row)) return (await isOutside(row, root, ports)) ? undefined : row;
    if (at === "" || !at.includes("/")) return undefined;
  }
}

/** A repository inside a repository, a submodule for example, is a workspace of its own. */
async function isOutside({ root }: WorkspaceRow, asked: string, { vcs }: Pick<Ports, "vcs">): Promise<boolean> {
  // Asked before every answer: looking for a repository up to the root of the disk took a fifth of a millisecond.
  if (asked === root) return false;
  const own = await vcs.repository(asked);
  if (own === undefined || own.root.length <= root.length) return false;
  return (await vcs.repository(root)) !== undefined;
}

async function realRoot(path: string, ports: Ports): Promise<string | undefined> {
  if (path.includes("\0")) throw new CompassError("invalid_input", { parameter: "workspace", reason: "NUL in a path" });
  if (path.length === 0 || path.length > MAX_PATH) {
    throw new CompassError("invalid_input", { parameter: "workspace", reason: "the path is empty or too long" });
  }
  return ports.files.realDirectory(path);
}

/** Worktrees of one repository share an index; a sub-directory of it has one of its own. */
export async function storeKey(root: string, ports: Pick<Ports, "vcs">): Promise<string> {
  const repository = await ports.vcs.repository(root);
  if (repository === undefined) return root;
  return `${repository.commonDir}\0${root.slice(repository.root.length)}`;
}

/**
 * The project that symbol ids are made from: that of the repository's first work tree, so that a symbol has one id in
 * all of them. A tree outside version control is its own.
 */
export function idsProject(row: WorkspaceRow, repository: RepositoryInfo | undefined, hash: Hash): ProjectId {
  if (repository === undefined) return row.id;
  const below = row.root.slice(repository.root.length);
  return projectId(repository.commonDir.replace(/\/\.git$/, "") + below, hash);
}

export function shown(path: string): string {
  return path.length > 200 ? `${path.slice(0, 200)}…` : path;
}
