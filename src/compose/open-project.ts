/** Finds the project of a directory for a program that was started in it. */
import type { Compass, Project } from "../compass/compass.ts";
import { repositoryRoot } from "../config/load.ts";
import { CompassError } from "../model/errors.ts";

/** The project of the directory; a tree never seen before is registered from its repository's root. */
export async function openProject(compass: Compass, directory: string): Promise<Project> {
  try {
    return await compass.project(directory);
  } catch (error) {
    if (!isUnregistered(error)) throw error;
    return registerFrom(compass, directory);
  }
}

async function registerFrom(compass: Compass, directory: string): Promise<Project> {
  const root = repositoryRoot(directory);
  try {
    return await compass.register(root);
  } catch (error) {
    // A home directory under version control is no workspace; the directory in it may be one.
    const isTooWide = error instanceof CompassError && error.code === "workspace_not_allowed" && root !== directory;
    if (!isTooWide) throw error;
    return compass.register(directory);
  }
}

export function isUnregistered(error: unknown): boolean {
  return error instanceof CompassError && /^(project_not_found|workspace_not_registered)$/.test(error.code);
}
