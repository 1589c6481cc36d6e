import { expect, test } from "vitest";
import { pipelineFixture } from "../../test/kit/pipeline-fixture.ts";
import type { JobProgress } from "../model/jobs.ts";
import type { GitObjects } from "../ports/vcs.ts";

test("a job says that it has begun before its base is built", async () => {
  const { run, ports } = await pipelineFixture({ "a.py": "x = 1\n" });
  const seen: string[] = [];
  const objects = {
    walk: async () => {
      seen.push("walk");
      return [];
    },
    sizes: async () => new Map(),
    changed: async () => [],
  } as unknown as GitObjects;
  const request = { from: "commit", commit: "c", base: { ref: "base", commit: "b" }, mode: "incremental" } as const;
  await run(request, () => seen.push("told"), undefined, { ...ports, objects });
  expect(seen.slice(0, 2)).toEqual(["told", "walk"]);
  expect(seen.filter((what) => what === "walk")).toHaveLength(2);
});

test("while a base is built its files are the job's progress, and the view's own come on top", async () => {
  const { run, ports } = await pipelineFixture({});
  const text = new TextEncoder().encode("x = 1\n");
  const walked = (paths: string[]) => paths.map((path) => ({ file: { path, size: text.length, stamp: path } }));
  const objects = {
    walk: async ({ commit }: { commit: string }) => walked(commit === "b" ? ["a.py", "b.py", "c.py"] : ["new.py"]),
    sizes: async (_: unknown, blobs: readonly string[]) => new Map(blobs.map((blob) => [blob, text.length])),
    changed: async () => ["new.py"],
    read: async (_: string, blob: string) => ({ ok: true, bytes: text, stamp: blob }),
  } as unknown as GitObjects;
  const request = { from: "commit", commit: "c", base: { ref: "base", commit: "b" }, mode: "incremental" } as const;
  const told: JobProgress[] = [];
  await run(request, (progress) => told.push(progress), undefined, { ...ports, objects });
  const counted = told.map(({ stage, filesScanned, filesIndexed, filesTotal }) =>
    [stage, filesScanned, filesIndexed, filesTotal].join(" "),
  );
  expect([...new Set(counted)]).toEqual([
    "scanning 0 0 0",
    "scanning 3 0 0",
    "parsing 3 0 3",
    "parsing 3 3 3",
    "parsing 4 3 3",
    "parsing 4 3 4",
    "parsing 4 4 4",
    "finalizing 4 4 4",
  ]);
});

test("progress names the stages and never goes back", async () => {
  const { run } = await pipelineFixture({ "a.rs": "fn a() {}" });
  const told: JobProgress[] = [];
  await run({}, (progress) => told.push(progress));
  expect([...new Set(told.map((it) => it.stage))]).toEqual(["scanning", "parsing", "finalizing"]);
  expect(told.at(-1)).toMatchObject({ filesScanned: 1, filesTotal: 1, filesIndexed: 1, symbolsExtracted: 1 });
});

test("what is skipped when it is read is not counted as indexed, and not waited for", async () => {
  const { run, shown } = await pipelineFixture({ "a.rs": "fn a() {}", "b.rs": "fn b() {}", "c.py": "\0\0 no text" });
  const told: JobProgress[] = [];
  await run({}, (progress) => told.push(progress));
  expect(await shown()).toEqual(["a.rs", "b.rs"]);
  expect(told.find(({ stage }) => stage === "parsing")).toMatchObject({ filesTotal: 3, filesIndexed: 0 });
  expect(told.at(-1)).toMatchObject({ filesScanned: 3, filesTotal: 2, filesIndexed: 2 });
});
