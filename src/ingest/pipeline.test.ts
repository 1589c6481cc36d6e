import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pipelineFixture, write } from "../../test/kit/pipeline-fixture.ts";
import { diskFiles } from "../adapters/disk/files.ts";
import type { ProjectId } from "../model/ids.ts";
import type { IndexReport, JobProgress } from "../model/jobs.ts";
import type { Files } from "../ports/files.ts";
import type { Parsers } from "../ports/parsers.ts";

const counts = ({ published, changedFiles, removedFiles, parsedFiles, hashedFiles }: IndexReport) =>
  [published, changedFiles, removedFiles, parsedFiles, hashedFiles].map(Number).join(" ");

test("a tree is indexed once; an untouched one costs nothing", async () => {
  const { run, shown, store } = await pipelineFixture({ "src/a.rs": "fn alpha() {}\n", "b.txt": "beta\n" });
  const first = await run();
  expect(counts(first)).toBe("1 2 0 2 2");
  expect(first).toMatchObject({ symbolCount: 1, coverage: { filesIndexed: 2, filesSkipped: 0 } });
  expect(await shown()).toEqual(["b.txt", "src/a.rs"]);
  const second = await run();
  expect(counts(second)).toBe("0 0 0 0 0");
  expect(second.generation).toBe(first.generation);
  expect((await store.jobs(5)).map((job) => job.status)).toEqual(["published", "published"]);
});

test("touched is hashed, edited is parsed, gone is removed, new is added", async () => {
  const { root, run, shown } = await pipelineFixture({ "a.rs": "fn a() {}", "b.rs": "fn b() {}", "c.rs": "fn c() {}" });
  await run();
  utimesSync(join(root, "a.rs"), 1, 1);
  expect(counts(await run())).toBe("0 0 0 0 1");
  expect(counts(await run())).toBe("0 0 0 0 0");
  write(root, { "b.rs": "fn b2() {}", "d/e.rs": "fn e() {}" });
  rmSync(join(root, "c.rs"));
  expect(counts(await run())).toBe("1 2 1 2 2");
  expect(await shown()).toEqual(["a.rs", "b.rs", "d/e.rs"]);
});

test("content seen before is not parsed again", async () => {
  const { root, run } = await pipelineFixture({ "a.rs": "fn a() {}" });
  await run();
  write(root, { "a.rs": "fn b() {}" });
  await run();
  write(root, { "a.rs": "fn a() {}" });
  expect(counts(await run())).toBe("1 1 0 0 1");
  expect(counts(await run({ force: true }))).toBe("1 1 0 1 1");
});

test("a file that its parser gave up is counted, and tried again by every run that comes across it", async () => {
  const { run, ports } = await pipelineFixture({ "a.rs": "fn a() {}", "b.rs": "fn b() {}" });
  const read: Parsers["read"] = (asked) => {
    const tasks = asked.tasks.map((task) => (task.path === "a.rs" ? { ...task, mode: "text" as const } : task));
    return ports.parsers.read({ ...asked, tasks });
  };
  const givingUp = { ...ports, parsers: { ...ports.parsers, read } };
  const runGivingUp = (ref: string) => run({ ref }, () => {}, new AbortController().signal, givingUp);
  const gap = { filesIndexed: 2, filesSkipped: 1, skippedReasons: { parse_gave_up: 1 } };
  expect(await runGivingUp("main")).toMatchObject({ symbolCount: 1, coverage: gap });
  const second = await runGivingUp("main");
  expect(counts(second)).toBe("0 0 0 1 1");
  expect(second.coverage).toEqual(gap);
  expect(counts(await run({ ref: "main", paths: ["b.rs"] }))).toBe("0 0 0 0 0");
  const third = await run({ ref: "main" });
  expect(counts(third)).toBe("1 1 0 1 1");
  expect(third).toMatchObject({ symbolCount: 2, coverage: { filesSkipped: 0, skippedReasons: {} } });
  expect(counts(await run({ ref: "main" }))).toBe("0 0 0 0 0");
  // What was parsed since is found by its content.
  expect(counts(await runGivingUp("other"))).toBe("1 2 0 0 0");
});

test("another ref of the same tree reads no file that was not touched", async () => {
  const { root, run } = await pipelineFixture({ "a.rs": "fn a() {}", "b.rs": "fn b() {}", "c.bin": "\0\0" });
  await run({ ref: "main" });
  expect(counts(await run({ ref: "feature" }))).toBe("1 2 0 0 0");
  write(root, { "a.rs": "fn a2() {}" });
  expect(counts(await run({ ref: "feature" }))).toBe("1 1 0 1 1");
  write(root, { "a.rs": "fn a() {}" });
  expect(counts(await run({ ref: "main" }))).toBe("0 0 0 0 1");
  expect(counts(await run({ ref: "other", project: "another tree" as ProjectId }))).toBe("1 2 0 0 2");
});

test("a few reported paths of an index that is gone are not published as the whole tree", async () => {
  const { run, shown } = await pipelineFixture({ "a.rs": "fn a() {}\n", "b.rs": "fn b() {}\n" });
  await run({ mode: "incremental", paths: ["b.rs"] });
  expect(await shown()).toEqual(["a.rs", "b.rs"]);
});

test("garbage is collected when enough of it has come together", async () => {
  const others = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`b${at}.rs`, `fn b${at}() {}\n`]));
  const { root, run, store } = await pipelineFixture({ "a.rs": "fn a() {}\n", ...others });
  let collected = 0;
  const { gc } = store;
  store.gc = (lease) => {
    collected++;
    return gc.call(store, lease);
  };
  for (let round = 0; round < 70; round++) {
    write(root, { "a.rs": `fn a${round}() {}\n` });
    await run();
  }
  expect(collected).toBe(2);
  // New files leave no garbage, and removing 32 is enough for the third time.
  const more = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`c/${at}.rs`, `fn c${at}() {}\n`]));
  write(root, more);
  await run();
  expect(collected).toBe(2);
  rmSync(join(root, "c"), { recursive: true });
  await run();
  expect(collected).toBe(3);
});

test("only the reported paths are looked at", async () => {
  const { root, run, shown } = await pipelineFixture({ "a.rs": "", "d/b.rs": "", "d/e/c.rs": "", "f.rs": "" });
  await run();
  rmSync(join(root, "d"), { recursive: true });
  write(root, { "a.rs": "fn a() {}", "g/h.rs": "fn h() {}" });
  expect(counts(await run({ paths: ["d/e", "none"] }))).toBe("1 0 1 0 0");
  expect(await shown()).toEqual(["a.rs", "d/b.rs", "f.rs"]);
  expect(counts(await run({ paths: ["d", "g"] }))).toBe("1 1 1 1 1");
  expect(counts(await run({ paths: ["a.rs", "f.rs"] }))).toBe("1 1 0 1 1");
});

test("a changed ignore file means a walk of everything", async () => {
  const { root, run, shown, skipped } = await pipelineFixture({ "a.rs": "", "gen/b.rs": "" });
  await run();
  write(root, { ".gitignore": "gen/\n" });
  await run({ paths: [".gitignore"] });
  expect(await shown()).toEqual(["a.rs"]);
  expect(await skipped("gen/")).toBe("ignored");
  rmSync(join(root, ".gitignore"));
  await run({ paths: [".gitignore"] });
  expect(await shown()).toEqual(["a.rs", "gen/b.rs"]);
});

test("a changed ignore file of a directory means a walk of that directory", async () => {
  const { root, run, shown } = await pipelineFixture({ "a.rs": "", "d/b.rs": "", "d/e/c.rs": "" });
  await run();
  write(root, { "d/.gitignore": "c.rs\n", "f.rs": "" });
  expect(counts(await run({ paths: ["d/.gitignore"] }))).toBe("1 1 0 0 0");
  expect(await shown()).toEqual(["a.rs", "d/b.rs"]);
  rmSync(join(root, "d/.gitignore"));
  await run({ paths: ["d/.gitignore"] });
  expect(await shown()).toEqual(["a.rs", "d/b.rs", "d/e/c.rs"]);
});

test("every skip has its reason and is counted", async () => {
  const { run, skipped } = await pipelineFixture({
    "a.bin": "x",
    "b.txt": "a\0b",
    ".env": "KEY=1",
    "big.txt": Buffer.alloc((1 << 20) + 1, "x"),
    "min.js": `var a;${"f();".repeat(3_000)}`,
    "gen.yaml": "# Code generated by x. DO NOT EDIT.\n",
    ".hidden": "",
    "node_modules/x/i.js": "",
  });
  const { coverage } = await run();
  expect(coverage).toEqual({
    filesIndexed: 0,
    filesSkipped: 8,
    skippedReasons: { binary: 2, secret: 1, too_large: 1, minified: 1, generated: 1, hidden: 1, ignored: 1 },
  });
  expect(await skipped("b.txt")).toBe("binary");
  expect(counts(await run())).toBe("0 0 0 0 0");
});

test("I11: nothing to index is ready, and stays so", async () => {
  const { run, shown } = await pipelineFixture({});
  expect(counts(await run())).toBe("1 0 0 0 0");
  expect(await shown()).toEqual([]);
  expect(counts(await run())).toBe("0 0 0 0 0");
});

test("a new commit over the same tree is published without work", async () => {
  const { run, store } = await pipelineFixture({ "a.rs": "fn a() {}" });
  await run({ commit: "1".repeat(40) });
  expect(counts(await run({ commit: "2".repeat(40) }))).toBe("1 0 0 0 0");
  expect((await store.snapshot("live"))?.info.commit).toBe("2".repeat(40));
});

test("cancelled: nothing is published, what was stored stays, the lease is free", async () => {
  const { run, store } = await pipelineFixture(
    Object.fromEntries(Array.from({ length: 1_200 }, (_, i) => [`${i}.txt`, `word${i}`])),
  );
  const controller = new AbortController();
  const stop = (progress: JobProgress) => progress.filesIndexed > 0 && controller.abort();
  await expect(run({}, stop, controller.signal)).rejects.toMatchObject({ name: "AbortError" });
  expect(await store.snapshot("live")).toBeUndefined();
  expect((await store.jobs(1))[0]?.status).toBe("cancelled");
  const { parsedFiles, hashedFiles } = await run();
  expect(hashedFiles).toBe(1_200);
  expect(parsedFiles).toBeLessThan(1_200);
});

test("workers start for a whole tree, not for a known one or one that another process indexes", async () => {
  const { root, run, store, ports } = await pipelineFixture({ "a.rs": "fn a() {}\n" });
  let started = false;
  const warm = () => {
    started = true;
  };
  const parsers = { ...ports.parsers, warm };
  const startedBy = async (more = {}) => {
    started = false;
    await run(more, () => {}, new AbortController().signal, { ...ports, parsers });
    return started;
  };
  const answer = await store.lease(ports.env.self, 60_000);
  await expect(startedBy()).rejects.toMatchObject({ code: "index_in_progress" });
  expect(started).toBe(false);
  if ("lease" in answer) await answer.lease.release();
  expect(await startedBy()).toBe(true);
  write(root, { "a.rs": "fn b() {}\n" });
  expect(await startedBy()).toBe(false);
  expect(await startedBy({ force: true })).toBe(true);
});

test("a held lease refuses", async () => {
  const { run, store, ports } = await pipelineFixture({ "a.rs": "" });
  await store.lease(ports.env.self, 60_000);
  await expect(run()).rejects.toMatchObject({ code: "index_in_progress" });
});

test("files that vanish, become directories or change while they are read", async () => {
  const disk = diskFiles();
  const trick: Files = {
    ...disk,
    read: async (root, path, most) => {
      const at = join(root, path);
      if (path === "gone.rs" || path === "dir.rs") rmSync(at, { recursive: true, force: true });
      if (path === "dir.rs") mkdirSync(at);
      const result = await disk.read(root, path, most);
      if (path === "edited.rs") writeFileSync(join(root, "new"), "fn later() {}");
      if (path === "edited.rs") renameSync(join(root, "new"), at);
      return result;
    },
  };
  const { run, shown, store } = await pipelineFixture(
    { "a.rs": "fn a() {}", "dir.rs": "", "edited.rs": "fn e() {}", "gone.rs": "" },
    trick,
  );
  await run();
  expect(await shown()).toEqual(["a.rs", "edited.rs"]);
  const found = async (name: string) =>
    (await (await store.snapshot("live"))!.symbols({ name, match: "exact", limit: 5 })).matched;
  expect(await found("e")).toBe(1);
  await run();
  expect([await found("e"), await found("later")]).toEqual([0, 1]);
});

test("contents that were seen before are known without a parser: a checkout back and forth", async () => {
  const { root, run, parsed, store } = await pipelineFixture({ "a.rs": "fn first() {}\n", "b.rs": "fn kept() {}\n" });
  const sync = (...paths: string[]) => run({ mode: "incremental", paths });
  await run();
  write(root, { "a.rs": "fn two() {}\n", "c.rs": "fn added() {}\n" });
  await sync("a.rs", "c.rs");
  expect(parsed.splice(0)).toEqual(["a.rs", "b.rs", "a.rs", "c.rs"]);
  write(root, { "a.rs": "fn first() {}\n" });
  rmSync(join(root, "c.rs"));
  expect(counts(await sync("a.rs", "c.rs"))).toBe("1 1 1 0 1");
  write(root, { "a.rs": "fn two() {}\n", "b.rs": "fn edited() {}\n", "c.rs": "fn added() {}\n" });
  expect(counts(await sync("a.rs", "b.rs", "c.rs"))).toBe("1 3 0 1 3");
  expect(parsed).toEqual(["b.rs"]);
  const snapshot = (await store.snapshot("live"))!;
  const names = await Promise.all((await snapshot.files()).map(async (file) => (await snapshot.record(file)).symbols));
  expect(names.flat().map(({ name }) => name)).toEqual(["two", "edited", "added"]);
});
