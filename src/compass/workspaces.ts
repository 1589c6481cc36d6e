/** From the word a caller uses for a tree to the project behind it. */
import { CompassError } from "../model/errors.ts";
import type { WorkspaceRow } from "../ports/registry.ts";
import type { CompassPorts } from "./ports.ts";

type Ports = Pick<CompassPorts, "files" | "registry" | "vcs">;

const MAX_PATH = 4096;

/** The registered tree of a call: the named one, else the default one. */
export async function resolveWorkspace(
  named: string | undefined,
  fallback: string | undefined,
  ports: Ports,
): Promise<WorkspaceRow> {
  if (named !== undefined) return registered(named, "workspace_not_registered", ports);
  if (fallback === undefined) throw new CompassError("project_not_found", { workspace: "this server" });
  return registered(fallback, "project_not_found", ports);
}

/** Registers a directory; a second call changes nothing. */
export async function registerWorkspace(path: string, ports: Ports): Promise<WorkspaceRow> {
  const root = await realRoot(path, ports);
  if (root === undefined) {
    throw new CompassError("invalid_input", { parameter: "workspace", reason: `${shown(path)} is not a directory` });
  }
  const refusal = ports.registry.refusal(root);
  if (refusal !== undefined) throw new CompassError("workspace_not_allowed", { workspace: root, reason: refusal });
  return (await ports.registry.find(root)) ?? ports.registry.add(root, await storeKey(root, ports));
}

async function registered(
  path: string,
  code: "workspace_not_registered" | "project_not_found",
  ports: Ports,
): Promise<WorkspaceRow> {
  const root = await realRoot(path, ports);
  const row = root === undefined ? undefined : await nearest(root, ports);
  if (row === undefined) throw new CompassError(code, { workspace: shown(path) });
  return row;
}

/** The row of the directory itself or of the closest registered directory above it. */
async function nearest(root: string, ports: Ports): Promise<WorkspaceRow | undefined> {
  for (let at = root; ; at = at.slice(0, at.lastIndexOf("/"))) {
    const row = await ports.registry.find(at === "" ? "/" : at);
    if (row !== undefined || at === "" || !at.includes("/")) return row;
  }
}

async function realRoot(path: string, ports: Ports): Promise<string | undefined> {
  if (path.includes("\0")) throw new CompassError("invalid_input", { parameter: "workspace", reason: "NUL in a path" });
  if (path.length === 0 || path.length > MAX_PATH) {
    throw new CompassError("invalid_input", { parameter: "workspace", reason: "the path is empty or too long" });
  }
  return ports.files.realDirectory(path);
}

/** Worktrees of one repository share an index; a sub-directory of it has one of its own. */
async function storeKey(root: string, ports: Ports): Promise<string> {
  const repository = await ports.vcs.repository(root);
  if (repository === undefined) return root;
  return `${repository.commonDir}\0${root.slice(repository.root.length)}`;
}

function shown(path: string): string {
  return path.length > 200 ? `${path.slice(0, 200)}…` : path;
}
