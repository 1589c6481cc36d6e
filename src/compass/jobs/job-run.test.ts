import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { CompassError } from "../../model/errors.ts";
import type { JobId, ProjectId } from "../../model/ids.ts";
import type { IndexRequest } from "../../ports/indexer.ts";
import { type JobRun, raceWithAbort, runJob } from "./job-run.ts";

const request = { jobId: "j" as JobId, project: "p" as ProjectId, ref: "feat", mode: "incremental" } as IndexRequest;

async function failedBy(error: Error) {
  const indexer = { run: () => Promise.reject(error), close: async () => {} };
  return runJob(request, indexer, () => 1).finished;
}

test("a job that is refused says why, and what to do where more is known than the reason tells", async () => {
  const data = { ref: "feat", reason: "its tree is missing", suggestion: "Fetch it again." };
  expect(await failedBy(new CompassError("ref_not_indexed", data))).toMatchObject({
    status: "failed",
    error: "ref_not_indexed",
    errorMessage: expect.stringContaining("its tree is missing"),
    errorSuggestion: "Fetch it again.",
  });
  expect(await failedBy(new CompassError("index_in_progress"))).not.toHaveProperty("errorSuggestion");
  expect(await failedBy(new Error("a bug"))).toMatchObject({ error: "internal_error", errorMessage: "a bug" });
});

test("an aborted caller cancels the run; its signal keeps no listener", async () => {
  const controller = new AbortController();
  let cancelled = 0;
  const run = { cancel: () => cancelled++ } as unknown as JobRun;
  const { signal } = controller;
  expect(await raceWithAbort(signal, run, Promise.resolve("done"))).toBe("done");
  await expect(raceWithAbort(signal, run, Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  expect(getEventListeners(signal, "abort")).toEqual([]);
  const { promise, resolve } = Promise.withResolvers<void>();
  const heeded = raceWithAbort(signal, run, promise);
  controller.abort();
  resolve();
  await heeded;
  expect(cancelled).toBe(1);
});
