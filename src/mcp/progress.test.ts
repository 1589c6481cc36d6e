import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { PROJECT, PUBLISHED, RUNNING } from "../../test/kit/fake-compass.ts";
import type { Job } from "../model/jobs.ts";
import { jobReports, type ProgressNotification, standardProgress } from "./progress.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const at = (filesIndexed: number): Job => ({ ...RUNNING, progress: { ...RUNNING.progress, filesIndexed } });

function listening() {
  const heard: ProgressNotification["params"][] = [];
  return { heard, notify: ({ params }: ProgressNotification) => void heard.push(params) };
}

test("a stage that takes its time is heard every few seconds, each time with a larger number, and never after the end", () => {
  const { heard, notify } = listening();
  const progress = standardProgress("t", notify);
  progress.onProgress(at(10), PROJECT);
  vi.advanceTimersByTime(60_000);
  progress.onProgress(at(11), PROJECT);
  progress.onProgress(PUBLISHED, PROJECT);
  vi.advanceTimersByTime(60_000);
  progress.close();
  progress.onProgress(at(12), PROJECT);
  const numbers = heard.map(({ progress: one }) => one as number);
  expect(numbers.length).toBeGreaterThan(12);
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  expect(numbers.at(-1)).toBe(100);
  expect(heard.at(-1)!.message).toBe("Indexed 10 files, 99 symbols in 45.0s");
});

test("a closed one is silent", () => {
  const { heard, notify } = listening();
  const progress = standardProgress("t", notify);
  progress.onProgress(at(10), PROJECT);
  progress.close();
  vi.advanceTimersByTime(60_000);
  expect(heard).toHaveLength(1);
});

const STAGES: readonly [Partial<Job["progress"]>, number, string][] = [
  [{ stage: "scanning", filesScanned: 3891 }, 3, "Scanning files: 3891 discovered"],
  [{ stage: "parsing", filesTotal: 3891, filesIndexed: 1247 }, 29, "Parsing files: 1247/3891 (32%)"],
  [
    { stage: "indexing", filesTotal: 3891, filesIndexed: 3891, symbolsExtracted: 12847 },
    95,
    "Indexing: 3891/3891 files, 12847 symbols",
  ],
  [{ stage: "finalizing" }, 97, "Finalizing index..."],
];

test.each(STAGES)("S3's words: %o", (progress, percentage, message) => {
  const { heard, notify } = listening();
  const job = { ...RUNNING, progress: { ...RUNNING.progress, ...progress } };
  jobReports(notify).onProgress(job, PROJECT);
  standardProgress("t", notify).onProgress(job, PROJECT);
  expect(heard[0]).toEqual({
    progressToken: "index-job-job1",
    value: { kind: "report", title: "Indexing project: fixture", message, percentage },
  });
  expect(heard[1]).toEqual({ progressToken: "t", progress: percentage, total: 100, message });
});

test("S3's end, good and bad", () => {
  const { heard, notify } = listening();
  const reports = jobReports(notify);
  reports.onProgress(PUBLISHED, PROJECT);
  reports.onProgress(
    { ...RUNNING, status: "failed", error: "internal_error", errorMessage: "Permission denied reading a.rs" },
    PROJECT,
  );
  expect(heard.map(({ value }) => value)).toEqual([
    { kind: "end", title: "Indexing complete: fixture", message: "Indexed 10 files, 99 symbols in 45.0s" },
    { kind: "end", title: "Indexing failed: fixture", message: "Error: Permission denied reading a.rs" },
  ]);
});
