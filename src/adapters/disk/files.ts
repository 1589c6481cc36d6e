/** The working tree on a local disk. */
import { realpath, stat } from "node:fs/promises";
import type { Files } from "../../ports/files.ts";
import { lstatAt } from "./paths.ts";
import { readSettled } from "./read.ts";
import { stampOf } from "./stamp.ts";
import { survey, walkAndRemember } from "./survey.ts";

export function diskFiles(): Files {
  return {
    walk: walkAndRemember,
    survey,
    read: readSettled,
    stamp: async (root, path) => presentStamp(root, path),
    realPath,
    realDirectory,
  };
}

function presentStamp(root: string, path: string): string | undefined {
  try {
    const stats = lstatAt(root, path);
    return stats.isFile() ? stampOf(stats) : undefined;
  } catch {
    return undefined;
  }
}

async function realPath(path: string): Promise<string | undefined> {
  return realpath(path).catch(() => undefined);
}

async function realDirectory(path: string): Promise<string | undefined> {
  try {
    const real = await realpath(path);
    return (await stat(real)).isDirectory() ? real : undefined;
  } catch {
    return undefined;
  }
}
