import { expect, test } from "vitest";
import type { Env } from "../../ports/env.ts";
import type { Tree } from "../projects/tree.ts";
import { bootstrapRef } from "./bootstrap-ref.ts";

const WANTED = { view: "refs/heads/feat/x", ref: "feat/x", commit: "0".repeat(40), from: "commit" } as const;

/** What is said of a ref that is not indexed, where nothing may be started for it. */
const check = (name: string, tree: object, expected: object) =>
  test(name, async () => {
    const store = {
      snapshot: async () => undefined,
      views: async () => [{ ref: "worktree" }, { ref: "base" }, { ref: "refs/heads/main" }],
    };
    const whole = { activeRun: () => undefined, activeJob: async () => undefined, store: async () => store, ...tree };
    const options = { policy: "best_effort", deadline: Promise.resolve(), env: {} as Env } as const;
    await expect(bootstrapRef(whole as unknown as Tree, WANTED, options)).rejects.toMatchObject(expected);
  });

check("without an indexer", {}, { code: "ref_not_indexed", data: { ref: "feat/x", indexed_refs: ["main"] } });
check(
  "this process indexes it",
  { activeRun: () => ({ job: () => ({ id: "j1", ref: "refs/heads/feat/x" }) }) },
  { code: "overlay_not_ready", data: { ref: "feat/x", job_id: "j1" } },
);
check(
  "another process indexes it",
  { activeJob: async () => ({ id: "j2", ref: "feat/x" }) },
  { code: "overlay_not_ready", data: { job_id: "j2" } },
);
check(
  "another process indexes another ref",
  { activeJob: async () => ({ id: "j3", ref: "main" }) },
  { code: "ref_not_indexed" },
);
