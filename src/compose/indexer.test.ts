import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { getPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { childrenOf, threadNiceness } from "../../test/kit/processes.ts";
import { PLAIN_SETTINGS } from "../../test/kit/settings.ts";
import type { JobId, ProjectId } from "../model/ids.ts";
import type { JobProgress } from "../model/jobs.ts";
import type { Indexer, IndexRequest } from "../ports/indexer.ts";
import { serverIndexer, threadIndexer } from "./indexer.ts";

let jobs = 0;

function requestOf(scratch: string, root: string): IndexRequest {
  return {
    jobId: `job-${++jobs}` as JobId,
    project: "0123456789abcdef" as ProjectId,
    root,
    storeLocation: join(scratch, "store"),
    ref: "live",
    mode: "full",
    force: false,
    settings: { ...PLAIN_SETTINGS, workers: 2 },
  };
}

describe.each<[string, () => Indexer]>([
  ["in a thread", () => threadIndexer()],
  ["in a process of its own", () => serverIndexer()],
])("%s", (_, start) => {
  const scratch = mkdtempSync(join(tmpdir(), "indexer-"));
  const root = join(scratch, "tree");
  mkdirSync(root);
  const indexer = start();
  afterAll(async () => {
    await indexer.close();
    rmSync(scratch, { recursive: true });
  });

  const request = (more: Partial<IndexRequest> = {}) => ({ ...requestOf(scratch, root), ...more });
  const never = new AbortController().signal;

  test("a tree is indexed, with progress", async () => {
    writeFileSync(join(root, "a.rs"), "fn alpha() {}\n");
    const stages = new Set<JobProgress["stage"]>();
    const report = await indexer.run(request(), ({ stage }) => stages.add(stage), never);
    expect(report).toMatchObject({ published: true, parsedFiles: 1, symbolCount: 1 });
    expect([...stages]).toEqual(["scanning", "parsing", "finalizing"]);
    expect(await indexer.run(request(), () => {}, never)).toMatchObject({ published: false, hashedFiles: 0 });
  });

  test("a refusal keeps its code on its way, and the next run is served", async () => {
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
    for (let i = 0; i < 600; i++) writeFileSync(join(root, `f${i}.txt`), `word${i} `.repeat(200));
    const controller = new AbortController();
    const cancelled = indexer.run(
      request(),
      ({ stage }) => stage === "parsing" && controller.abort(),
      controller.signal,
    );
    await expect(cancelled).rejects.toMatchObject({ name: "AbortError" });
    expect(await indexer.run(request(), () => {}, never)).toMatchObject({ published: true });
    await expect(indexer.run(request(), () => {}, AbortSignal.abort())).rejects.toMatchObject({ name: "AbortError" });
  });

  test("one that was warmed serves and closes as any other", async () => {
    const warm = start();
    warm.warm?.();
    warm.warm?.({ ...request(), tree: request().project });
    warm.warm?.({ ...request(), tree: request().project, storeLocation: join(scratch, "none") });
    expect(await warm.run(request({ mode: "incremental" }), () => {}, never)).toMatchObject({ hashedFiles: 0 });
    await warm.close();
    const unused = start();
    unused.warm?.();
    await unused.close();
  });

  test("a closed indexer starts again when it is needed", async () => {
    await indexer.close();
    expect(await indexer.run(request(), () => {}, never)).toMatchObject({ published: false });
  });
});

describe.runIf(process.platform === "linux")("a process of its own", () => {
  const scratch = mkdtempSync(join(tmpdir(), "indexer-"));
  const root = join(scratch, "tree");
  mkdirSync(root);
  for (let i = 0; i < 500; i++) writeFileSync(join(root, `f${i}.txt`), `word${i} `.repeat(200));
  const indexer = serverIndexer("", 1, 0);
  let before: readonly number[] = [];
  const running = () => childrenOf(process.pid).filter((pid) => !before.includes(pid));
  const run = (onProgress: (progress: JobProgress) => void = () => {}) =>
    indexer.run(requestOf(scratch, root), onProgress, new AbortController().signal);
  beforeAll(() => {
    before = childrenOf(process.pid);
  });
  afterAll(async () => {
    await indexer.close();
    rmSync(scratch, { recursive: true });
  });

  test("is replaced when it dies, and leaves when there is nothing to do", async () => {
    const killed = run(({ stage }) => {
      if (stage === "parsing") for (const pid of running()) process.kill(pid, "SIGKILL");
    });
    await expect(killed).rejects.toMatchObject({
      code: "internal_error",
      data: { reason: expect.stringMatching(/ended with SIGKILL/) },
    });
    expect(await run()).toMatchObject({ published: true });
    await vi.waitFor(() => expect(running()).toEqual([]), { timeout: 30_000, interval: 50 });
  });

  test("yields to queries with all of its threads", async () => {
    writeFileSync(join(root, "f.rs"), "fn f() {}\n");
    const looks: number[][] = [];
    await run(() => looks.push(running().flatMap(threadNiceness)));
    // Its own thread, its parse workers and V8's.
    expect(Math.max(...looks.map((threads) => threads.length))).toBeGreaterThan(3);
    expect(Math.min(...looks.flat())).toBeGreaterThan(getPriority());
  });
});
