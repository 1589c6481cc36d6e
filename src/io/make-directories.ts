/**
 * Creates a directory with its parents. Node's own `recursive` never returns where the file system refuses a parent with
 * ENOENT, as below /proc, and blocks every signal meanwhile (seen in Node 20, 22 and 24).
 */
import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** Returns the topmost directory that was made; undefined: all were there. */
export function makeDirectories(path: string, mode?: number): string | undefined {
  try {
    mkdirSync(path, mode);
    return path;
  } catch (error) {
    if (isDirectory(path)) return undefined;
    const parent = dirname(path);
    const lacksParent = error instanceof Error && "code" in error && error.code === "ENOENT" && !isDirectory(parent);
    if (!lacksParent || parent === path) throw error;
    const made = makeDirectories(parent, mode);
    const own = makeDirectories(path, mode);
    return made ?? own;
  }
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
