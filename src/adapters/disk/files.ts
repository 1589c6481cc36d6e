/** The working tree on a local disk. */
import { realpathSync, statSync } from "node:fs";
import type { Files } from "../../ports/files.ts";
import { lstatConfined } from "./confined-open.ts";
import { fileStamp } from "./file-stamp.ts";
import { ruleTexts } from "./ignore-rules.ts";
import { readSettled } from "./read.ts";
import { survey, walkAndRemember } from "./survey.ts";

export function diskFiles(): Files {
  return {
    walk: walkAndRemember,
    survey,
    read: readSettled,
    stamp: async (root, path) => presentStamp(root, path),
    outsideRules: (root, options) => {
      const { prefix, texts, problems } = ruleTexts(root, options);
      return { fingerprint: JSON.stringify([prefix, texts]), problems };
    },
    realPath,
    realDirectory,
  };
}

function presentStamp(root: string, path: string): string | undefined {
  try {
    const stats = lstatConfined(root, path);
    return stats.isFile() ? fileStamp(stats) : undefined;
  } catch {
    return undefined;
  }
}

// At once: asked before every answer, and a first question would wait for the thread pool to start.
async function realPath(path: string): Promise<string | undefined> {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

async function realDirectory(path: string): Promise<string | undefined> {
  try {
    const real = realpathSync.native(path);
    return statSync(real).isDirectory() ? real : undefined;
  } catch {
    return undefined;
  }
}
