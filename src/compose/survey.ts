/** Surveys large trees in a thread: the main thread opens the index meanwhile, and keeps answering. */
import { statSync } from "node:fs";
import { walkCacheFile } from "../adapters/disk/walk-cache.ts";
import type { Files, SurveyOptions } from "../ports/files.ts";
import type { SurveyApi, SurveyedFiles } from "./survey-worker.ts";
import { WorkerClient } from "./worker-client.ts";
import { siblingModule, startThread, threadTransport } from "./worker-protocol.ts";

/** A choice, not a measurement: at 7,800 files a thread was no faster on two cores; far larger trees must not block. */
const LARGE_TREE_FILES = 10_000;
/** A tree of some 10,000 directories, which may hold few files. */
const LARGE_CACHE_BYTES = 1 << 20;

export function surveyingInThread(files: Files): Files {
  return {
    ...files,
    survey: async (root, options, see) => {
      // A machine that has no thread to spare still gets its answer, a little later.
      const seen = isLarge(root, options) ? await surveyInThread(root, options).catch(() => undefined) : undefined;
      if (seen === undefined) return files.survey(root, options, see);
      for (const [at, path] of seen.paths.entries()) see(path, seen.stamps[at]!);
    },
  };
}

function isLarge(root: string, { expectedFiles, memory }: SurveyOptions): boolean {
  if (expectedFiles >= LARGE_TREE_FILES) return true;
  const cache = memory === undefined ? undefined : statSync(walkCacheFile(memory, root), { throwIfNoEntry: false });
  return cache !== undefined && cache.size > LARGE_CACHE_BYTES;
}

async function surveyInThread(root: string, { signal: _, ...options }: SurveyOptions): Promise<SurveyedFiles> {
  const client = new WorkerClient<SurveyApi>(
    threadTransport("survey", () => startThread(siblingModule("survey-worker"))),
  );
  try {
    return await client.call("survey", [root, options]);
  } finally {
    void client.terminate();
  }
}
