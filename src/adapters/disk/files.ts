/** The working tree on a local disk. */
import { realpathSync, statSync } from "node:fs";
import { decodeFileName, withSlashes } from "../../io/file-names.ts";
import type { FileSelection, Files, SurveyOptions, WalkItem, WalkOptions } from "../../ports/files.ts";
import { lstatConfined } from "./confined-open.ts";
import { VCS_DIRECTORIES } from "./ignore-patterns.ts";
import { rootRules, rulesFingerprint, ruleTexts } from "./ignore-rules.ts";
import { fileStamp, isSpelledAsListed, selectPaths, tooLong } from "./paths.ts";
import { readSettled } from "./read.ts";
import { emptyWalkMemory, walk } from "./walk.ts";
import { loadWalkCache, saveWalkCache, walkCacheFile } from "./walk-cache.ts";

export function diskFiles(): Files {
  return {
    walk: walkAndRemember,
    survey,
    read: readSettled,
    stamp: async (root, path) => presentStamp(root, path),
    outsideRules: (root, options) => {
      const { problems, ...rules } = ruleTexts(root, options);
      return { fingerprint: JSON.stringify(rules), problems };
    },
    realPath,
    realDirectory,
  };
}

function presentStamp(root: string, path: string): string | undefined {
  try {
    const stats = lstatConfined(root, path);
    return stats.isFile() && isSpelledAsListed(root, path, stats) ? fileStamp(stats) : undefined;
  } catch {
    return undefined;
  }
}

// Synchronous: called before every answer, and the first call would wait for the thread pool to start.
async function realPath(path: string): Promise<string | undefined> {
  try {
    return withSlashes(realpathSync.native(path));
  } catch {
    return undefined;
  }
}

async function realDirectory(path: string): Promise<string | undefined> {
  try {
    const real = withSlashes(realpathSync.native(path));
    return statSync(real).isDirectory() ? real : undefined;
  } catch {
    return undefined;
  }
}

export const diskSelection: FileSelection = {
  rules: (root, options, texts) => rootRules(ruleTexts(root, options, texts.above), texts.inside, options),
  select: selectPaths,
  nameOf: decodeFileName,
  isVcsName: (name) => VCS_DIRECTORIES.has(name),
  isTooLong: tooLong,
};

/** The walk cache is rewritten when this many directories are out of date; listing fewer is cheaper than writing it. */
const OUT_OF_DATE = 64;
/** Delay of the write, so that the answer that waits for the survey goes first. */
const WRITE_AFTER_MS = 500;

/** Walks without the cache and rewrites it at the end. */
export async function* walkAndRemember(root: string, options: WalkOptions = {}): AsyncGenerator<readonly WalkItem[]> {
  const texts = ruleTexts(root, options);
  const memory = emptyWalkMemory(root, options);
  yield* walk(root, options, texts, memory);
  if (options.memory === undefined || options.only !== undefined) return;
  await saveWalkCache(walkCacheFile(options.memory, root), rulesFingerprint(texts, options), memory.learnt);
}

/** Lists only the directories that changed since the cache was written. */
export async function survey(
  root: string,
  options: SurveyOptions,
  see: (path: string, stamp: string) => void,
): Promise<void> {
  const texts = ruleTexts(root, options);
  const rules = rulesFingerprint(texts, options);
  const file = options.memory === undefined ? undefined : walkCacheFile(options.memory, root);
  const known = file === undefined ? new Map() : await loadWalkCache(file, rules);
  const memory = emptyWalkMemory(root, options, known);
  for await (const batch of walk(root, options, texts, memory)) {
    for (const item of batch) if ("file" in item) see(item.file.path, item.file.stamp);
  }
  if (file !== undefined && options.only === undefined && memory.listed >= OUT_OF_DATE) {
    setTimeout(() => void saveWalkCache(file, rules, memory.learnt), WRITE_AFTER_MS).unref();
  }
}
