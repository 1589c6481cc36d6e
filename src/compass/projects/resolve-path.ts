/** From a path as a caller spells it to the workspace it lies in and where in it. Symlinks are followed first, so that none leads out. */
import { CompassError } from "../../model/errors.ts";
import { lexical } from "../../model/paths.ts";
import type { Files } from "../../ports/files.ts";
import type { Project, ResolvedPath } from "../compass.ts";

export interface PathResolver {
  /** When named, the path must lie in it. */
  readonly workspace: string | undefined;
  /** The project of a directory, or the default one. */
  readonly find: (workspace?: string) => Promise<Project>;
  readonly files: Pick<Files, "realPath" | "realDirectory">;
}

export async function resolvePath(path: string, { workspace, find, files }: PathResolver): Promise<ResolvedPath> {
  if (path.includes("\0")) throw refused("NUL in a path");
  const base = workspace !== undefined || !isAbsolute(path) ? await find(workspace) : undefined;
  if (base?.published) return { project: base, under: published(path) };
  const real = await files.realPath(isAbsolute(path) ? path : `${base?.root}/${path}`);
  if (real === undefined) return absent(path, base);
  if (base !== undefined && isInside(real, base.root)) return { project: base, under: inside(real, base.root) };
  if (workspace !== undefined) throw refused(`${shown(path)} lies outside the workspace`);
  const project = await ownerOf(real, find, files);
  return { project, under: inside(real, project.root) };
}

/** A ref that is not checked out may have what the disk has not. Nothing is followed there: a view knows its own paths only. */
function absent(path: string, base: Project | undefined): ResolvedPath {
  const whole = lexical(isAbsolute(path) ? path : `${base?.root}/${path}`);
  if (base === undefined || !isInside(whole, base.root)) throw refused(`${shown(path)} does not exist`);
  return { project: base, under: inside(whole, base.root), absent: true };
}

async function ownerOf(real: string, find: PathResolver["find"], files: PathResolver["files"]): Promise<Project> {
  const directory = await files.realDirectory(real);
  try {
    const owner = await find(directory ?? real.slice(0, Math.max(1, real.lastIndexOf("/"))));
    if (isInside(real, owner.root)) return owner;
  } catch (error) {
    if (!(error instanceof CompassError)) throw error;
    // The caller said `path`, not `workspace`.
    const { remediation: _, ...data } = error.data;
    throw new CompassError(error.code, { reason: `${shown(real)} lies in no workspace`, ...data, parameter: "path" });
  }
  throw refused(`${shown(real)} lies in no workspace`);
}

/** Where nothing lies on disk, a path is one inside the repository, whether or not it is published. */
function published(path: string): string {
  const inside = lexical(path).slice(1);
  if (isAbsolute(path)) throw refused(`${shown(path)} is a path on disk, and the repository is not checked out here`);
  return inside;
}

function isAbsolute(path: string): boolean {
  return /^(?:[\\/]|[A-Za-z]:[\\/])/.test(path);
}

function isInside(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith("/") ? root : `${root}/`);
}

function inside(path: string, root: string): string {
  return path.slice(root.length).replace(/^\/+/, "");
}

function refused(reason: string): CompassError {
  return new CompassError("invalid_input", { parameter: "path", reason });
}

function shown(path: string): string {
  return path.length > 200 ? `${path.slice(0, 200)}…` : path;
}
