import { expect, test } from "vitest";
import { CompassError } from "../../model/errors.ts";
import type { ProjectId } from "../../model/ids.ts";
import type { Project, Reading, ViewStatus } from "../compass.ts";
import { FanOut } from "./fan-out.ts";

const STANDING: ViewStatus = {
  ref: "main",
  freshness: "fresh",
  indexing: "ready",
  schema: "compatible",
  complete: true,
  warnings: [],
};

const project = (root: string): Project => ({ id: root as ProjectId, root, vcs: true });
const named = (...roots: string[]) => roots.map(project);

interface Counts {
  open: number;
  most: number;
}

/** Workspaces that answer with their name, fail, say that nothing is indexed, or never answer. */
function fanOver(projects: readonly Project[], stop = new AbortController(), counts: Counts = { open: 0, most: 0 }) {
  return new FanOut({
    selected: projects.length,
    options: { policy: "balanced" },
    stop: stop.signal,
    read: async ({ root }, _, use) => {
      counts.most = Math.max(counts.most, ++counts.open);
      try {
        if (root.startsWith("fails")) throw new CompassError("index_incompatible", { reason: "damaged" });
        if (root.startsWith("bug")) throw new TypeError("x is undefined");
        if (root.startsWith("late")) await new Promise(() => {});
        const schema = root.startsWith("empty") ? "not_indexed" : "compatible";
        return await use({ project: project(root), status: { ...STANDING, schema } } as Reading);
      } finally {
        counts.open--;
      }
    },
  });
}

const answer = async (reading: Reading) => reading.project.root;

test("a workspace that fails, has no index or times out is named, and the others answer", async () => {
  const stop = new AbortController();
  const projects = named("a", "bug", "empty", "fails", "late", "z");
  const fan = fanOver(projects, stop);
  const answers = fan.ask(projects, async (reading) => {
    // Everybody who answers has answered: now time is up.
    if (reading.project.root === "z") setImmediate(() => stop.abort());
    return answer(reading);
  });
  expect((await answers).map(({ workspace }) => workspace)).toEqual(["a", "z"]);
  fan.release();
  expect(fan.report(new Set(["a"]))).toEqual({
    selected: 6,
    searched: 2,
    passedOver: 0,
    answered: [{ workspace: "a", ref: "main", freshness: "fresh" }],
    late: ["late"],
    failed: [
      { workspace: "bug", code: "internal_error", message: expect.not.stringContaining("undefined") },
      { workspace: "fails", code: "index_incompatible", message: expect.stringContaining("damaged") },
    ],
    notIndexed: ["empty"],
  });
});

test("where all fail, the first reason is the answer", async () => {
  const projects = named("fails 1", "fails 2");
  await expect(fanOver(projects).ask(projects, answer)).rejects.toMatchObject({ code: "index_incompatible" });
});

test("an error in the request is no failure of a workspace", async () => {
  const projects = named("a", "b");
  const asked = fanOver(projects).ask(projects, async ({ project: { root } }) => {
    if (root === "b") throw new CompassError("invalid_input", { reason: "no pattern" });
    return root;
  });
  await expect(asked).rejects.toMatchObject({ code: "invalid_input" });
});

test("a few workspaces are searched at a time, and those without results are released", async () => {
  const counts = { open: 0, most: 0 };
  const projects = Array.from({ length: 100 }, (_, at) => project(`p${String(at).padStart(3, "0")}`));
  const fan = fanOver(projects, undefined, counts);
  const answers = await fan.ask(projects, answer, () => false);
  expect(answers).toHaveLength(100);
  expect(counts.most).toBeLessThanOrEqual(8);
  expect(fan.reading("p000")).toBeUndefined();
});

test("those with results stay open until they are released", async () => {
  const counts = { open: 0, most: 0 };
  const projects = named("a", "b", "c");
  const fan = fanOver(projects, undefined, counts);
  await fan.ask(projects, answer, (root) => root !== "b");
  expect(fan.reading("a")?.project.root).toBe("a");
  await expect.poll(() => counts.open).toBe(2);
  fan.release();
  await expect.poll(() => counts.open).toBe(0);
});
