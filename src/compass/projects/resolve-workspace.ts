/** Resolves what a caller names, a workspace or a path, to a registered tree. */
import { CompassError } from "../../model/errors.ts";
import { type Hash, type ProjectId, projectId } from "../../model/ids.ts";
import { isInside, lexical } from "../../model/paths.ts";
import type { Files } from "../../ports/files.ts";
import type { WorkspaceRow } from "../../ports/registry.ts";
import type { RepositoryInfo } from "../../ports/vcs.ts";
import type { Project, ResolvedPath } from "../compass.ts";
import type { CompassPorts } from "../ports.ts";

type ResolvePorts = Pick<CompassPorts, "files" | "registry" | "vcs">;

const MAX_PATH = 4096;

/** A tree that a call names and that is not registered. */
export interface UnregisteredTree {
  /** As the caller spells it. */
  readonly named: string;
  /** Its real path; undefined when there is no such directory. */
  readonly root: string | undefined;
}

export interface WorkspaceRequest {
  readonly named: string | undefined;
  /** What a call without a workspace means. */
  readonly fallback: string | undefined;
  /** Whether a known tree may be used by this process. */
  readonly isServed: (row: WorkspaceRow) => boolean;
  /** What to do with a tree that is not known; absent: it is refused. */
  readonly admit?: (tree: UnregisteredTree) => Promise<WorkspaceRow>;
}

const GONE = "The directory is not there: put it back and ask again, or start the server with another --workspace.";

/** The tree of a call: the named one, else the default one. */
export async function resolveWorkspace(by: WorkspaceRequest, ports: ResolvePorts): Promise<WorkspaceRow> {
  const { named, fallback } = by;
  if (named === undefined) {
    if (fallback === undefined) throw new CompassError("project_not_found", { workspace: "this server" });
    // The current directory counts as registered whether a user or a server registered it.
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

/** Refuses a directory that does not exist, registered or not. */
export function absent(named: string): CompassError {
  return new CompassError("workspace_not_registered", {
    workspace: shown(named),
    reason: "there is no such directory",
    suggestion: "There is no such directory: put it back, or name one that is there.",
  });
}

/** Registers a directory; a second call changes nothing. */
export async function registerWorkspace(path: string, ports: ResolvePorts): Promise<WorkspaceRow> {
  const root = await realRoot(path, ports);
  if (root === undefined) {
    throw new CompassError("invalid_input", { parameter: "workspace", reason: `${shown(path)} is not a directory` });
  }
  requireFit(root, ports);
  const known = await ports.registry.find(root).catch(ifDamaged);
  if (known !== undefined && !known.autoDiscovered) return known;
  return ports.registry.add(root, await storeKey(root, ports));
}

/** Registering replaces a damaged registration. */
function ifDamaged(error: unknown): undefined {
  if (!(error instanceof CompassError && error.code === "workspace_not_registered")) throw error;
}

/** Refuses what must never be a workspace: a home directory, the root of a drive. */
export function requireFit(root: string, ports: Pick<ResolvePorts, "registry">): void {
  const refusal = ports.registry.refusal(root);
  if (refusal !== undefined) throw new CompassError("workspace_not_allowed", { workspace: root, reason: refusal });
}

/** The row of the directory itself or of the closest known directory above it, in the same repository. */
async function registered(
  root: string | undefined,
  ports: ResolvePorts,
  isServed: WorkspaceRequest["isServed"],
): Promise<WorkspaceRow | undefined> {
  if (root === undefined) return undefined;
  for (let at = root; ; at = at.slice(0, at.lastIndexOf("/"))) {
    const row = await ports.registry.find(at === "" ? "/" : at);
    if (row !== undefined && isServed(row)) return (await isOutside(row, root, ports)) ? undefined : row;
    if (at === "" || !at.includes("/")) return undefined;
  }
}

/** A repository inside a repository, a submodule for example, is a workspace of its own. */
async function isOutside({ root }: WorkspaceRow, path: string, { vcs }: Pick<ResolvePorts, "vcs">): Promise<boolean> {
  // Before every answer: searching for a repository up to the root of the disk took a fifth of a millisecond.
  if (path === root) return false;
  const own = await vcs.repository(path);
  if (own === undefined || own.root.length <= root.length) return false;
  return (await vcs.repository(root)) !== undefined;
}

async function realRoot(path: string, ports: ResolvePorts): Promise<string | undefined> {
  if (path.includes("\0")) throw new CompassError("invalid_input", { parameter: "workspace", reason: "NUL in a path" });
  if (path.length === 0 || path.length > MAX_PATH) {
    throw new CompassError("invalid_input", { parameter: "workspace", reason: "the path is empty or too long" });
  }
  return ports.files.realDirectory(path);
}

/** Worktrees of one repository share an index; a sub-directory of it has one of its own. */
export async function storeKey(root: string, ports: Pick<ResolvePorts, "vcs">): Promise<string> {
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

export interface PathResolver {
  /** When given, the path must lie in it. */
  readonly workspace: string | undefined;
  /** The project of a directory, or the default one. */
  readonly find: (workspace?: string) => Promise<Project>;
  readonly files: Pick<Files, "realPath" | "realDirectory">;
}

/** The workspace that a path lies in, and where in it. Symlinks are resolved first, so that none leads out. */
export async function resolvePath(path: string, { workspace, find, files }: PathResolver): Promise<ResolvedPath> {
  if (path.includes("\0")) throw refusePath("NUL in a path");
  const base = workspace !== undefined || !isAbsolute(path) ? await find(workspace) : undefined;
  if (base?.published) return { project: base, under: publishedPath(path) };
  const real = await files.realPath(isAbsolute(path) ? path : `${base?.root}/${path}`);
  if (real === undefined) return absentPath(path, base);
  if (base !== undefined && isInside(real, base.root)) return { project: base, under: inside(real, base.root) };
  if (workspace !== undefined) throw refusePath(`${shown(path)} lies outside the workspace`);
  const project = await findOwner(real, find, files);
  return { project, under: inside(real, project.root) };
}

/** Another ref may have a path that is not on disk. No link is followed there: a view knows its own paths only. */
function absentPath(path: string, base: Project | undefined): ResolvedPath {
  const whole = lexical(isAbsolute(path) ? path : `${base?.root}/${path}`);
  if (base === undefined || !isInside(whole, base.root)) throw refusePath(`${shown(path)} does not exist`);
  return { project: base, under: inside(whole, base.root), absent: true };
}

async function findOwner(real: string, find: PathResolver["find"], files: PathResolver["files"]): Promise<Project> {
  const directory = await files.realDirectory(real);
  try {
    const owner = await find(directory ?? real.slice(0, Math.max(1, real.lastIndexOf("/"))));
    if (isInside(real, owner.root)) return owner;
  } catch (error) {
    if (!(error instanceof CompassError)) throw error;
    // The caller said `path`, not `workspace`.
    const { remediation: _, ...data } = error.data;
    throw new CompassError(error.code, {
      reason: `${shown(real)} is outside every workspace`,
      ...data,
      parameter: "path",
    });
  }
  throw refusePath(`${shown(real)} is outside every workspace`);
}

/** Without a checkout, a path is one inside the repository, published or not. */
function publishedPath(path: string): string {
  const inside = lexical(path).slice(1);
  if (isAbsolute(path))
    throw refusePath(`${shown(path)} is a path on disk, and the repository is not checked out here`);
  return inside;
}

function isAbsolute(path: string): boolean {
  return /^(?:[\\/]|[A-Za-z]:[\\/])/.test(path);
}

function inside(path: string, root: string): string {
  return path.slice(root.length).replace(/^\/+/, "");
}

function refusePath(reason: string): CompassError {
  return new CompassError("invalid_input", { parameter: "path", reason });
}
