/** Looks at large trees in a thread of their own: the main thread opens the index meanwhile, and goes on answering. */
import { statSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { walkCacheFile } from "../adapters/disk/walk-cache.ts";
import type { Files, SurveyOptions } from "../ports/files.ts";
import { siblingModule } from "./parse-protocol.ts";

/** A choice, not a measurement: at 7,800 files a thread was no faster on two cores; far larger trees must not block. */
const WORTH_A_THREAD = 10_000;
/** A tree of some 10,000 directories, which may hold few files: collecting the garbage of reading it takes long, too. */
const LARGE_MEMORY_BYTES = 1 << 20;

export interface Surveyed {
  readonly paths: readonly string[];
  readonly stamps: readonly string[];
}

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
  if (expectedFiles >= WORTH_A_THREAD) return true;
  const known = memory === undefined ? undefined : statSync(walkCacheFile(memory, root), { throwIfNoEntry: false });
  return known !== undefined && known.size > LARGE_MEMORY_BYTES;
}

function surveyInThread(root: string, { signal: _, ...options }: SurveyOptions): Promise<Surveyed> {
  const worker = new Worker(siblingModule("survey-worker"), { workerData: { root, options } });
  return new Promise((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", () => reject(new Error("the survey ended without a word")));
  });
}
