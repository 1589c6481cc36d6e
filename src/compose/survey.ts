/** Looks at large trees in a thread of their own: the main thread opens the index meanwhile, and goes on answering. */
import { Worker } from "node:worker_threads";
import type { Files, SurveyOptions } from "../ports/files.ts";
import { siblingModule } from "./parse-protocol.ts";

/** A choice, not a measurement: at 7,800 files a thread was no faster on two cores; far larger trees must not block. */
const WORTH_A_THREAD = 10_000;

export interface Surveyed {
  readonly paths: readonly string[];
  readonly stamps: readonly string[];
}

export function surveyingInThread(files: Files): Files {
  return {
    ...files,
    survey: (root, options) => {
      if (options.expectedFiles < WORTH_A_THREAD) return files.survey(root, options);
      // A machine that has no thread to spare still gets its answer, a little later.
      return surveyInThread(root, options).catch(() => files.survey(root, options));
    },
  };
}

function surveyInThread(root: string, { signal: _, ...options }: SurveyOptions): Promise<Map<string, string>> {
  const worker = new Worker(siblingModule("survey-worker"), { workerData: { root, options } });
  return new Promise((resolve, reject) => {
    worker.once("message", ({ paths, stamps }: Surveyed) =>
      resolve(new Map(paths.map((path, i) => [path, stamps[i]!]))),
    );
    worker.once("error", reject);
    worker.once("exit", () => reject(new Error("the survey ended without a word")));
  });
}
