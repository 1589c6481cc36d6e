import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { JobId, ProjectId } from "../model/ids.ts";
import type { JobProgress } from "../model/jobs.ts";
import type { IndexRequest } from "../ports/indexer.ts";
import { threadIndexer } from "./indexer.ts";

const scratch = mkdtempSync(join(tmpdir(), "indexer-"));
const root = join(scratch, "tree");
mkdirSync(root);
const indexer = threadIndexer();
afterAll(async () => {
  await indexer.close();
  rmSync(scratch, { recursive: true });
});

let jobs = 0;
const request = (more: Partial<IndexRequest> = {}): IndexRequest => ({
  jobId: `job-${++jobs}` as JobId,
  project: "0123456789abcdef" as ProjectId,
  root,
  storeLocation: join(scratch, "store"),
  ref: "live",
  mode: "full",
  force: false,
  settings: { maxFileBytes: 1 << 20, includeSecrets: false, hidden: false, ignoreFiles: "all", workers: 2 },
  ...more,
});
const never = new AbortController().signal;

test("a tree is indexed in another thread, with progress", async () => {
  writeFileSync(join(root, "a.rs"), "fn alpha() {}\n");
  const stages = new Set<JobProgress["stage"]>();
  const report = await indexer.run(request(), ({ stage }) => stages.add(stage), never);
  expect(report).toMatchObject({ published: true, parsedFiles: 1, symbolCount: 1 });
  expect([...stages]).toEqual(["scanning", "parsing", "finalizing"]);
  expect(await indexer.run(request(), () => {}, never)).toMatchObject({ published: false, hashedFiles: 0 });
});

test("a refusal keeps its code across the thread, and the thread lives on", async () => {
  const gone = indexer.run(request({ root: join(scratch, "gone") }), () => {}, never);
  await expect(gone).rejects.toMatchObject({ name: "CompassError", code: "workspace_not_allowed" });
  expect(await indexer.run(request(), () => {}, never)).toMatchObject({ published: false });
});

test("two runs on one store: one is refused", async () => {
  const outcomes = await Promise.allSettled([
    indexer.run(request(), () => {}, never),
    indexer.run(request(), () => {}, never),
  ]);
  const refused = outcomes.filter((it) => it.status === "rejected").map((it) => it.reason.code);
  expect(refused.length === 0 || refused[0] === "index_in_progress").toBe(true);
  expect(outcomes.some((it) => it.status === "fulfilled")).toBe(true);
});

test("cancelling ends the run with an AbortError; the next one continues", async () => {
  for (let i = 0; i < 1_500; i++) writeFileSync(join(root, `f${i}.txt`), `word${i} `.repeat(200));
  const controller = new AbortController();
  const cancelled = indexer.run(request(), ({ stage }) => stage === "parsing" && controller.abort(), controller.signal);
  await expect(cancelled).rejects.toMatchObject({ name: "AbortError" });
  expect(await indexer.run(request(), () => {}, never)).toMatchObject({ published: true });
  await expect(indexer.run(request(), () => {}, AbortSignal.abort())).rejects.toMatchObject({ name: "AbortError" });
});

test("a closed indexer starts again when it is needed", async () => {
  await indexer.close();
  expect(await indexer.run(request(), () => {}, never)).toMatchObject({ published: false });
});
