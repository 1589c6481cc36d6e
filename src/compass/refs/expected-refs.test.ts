import { expect, test } from "vitest";
import type { ViewInfo } from "../../ports/snapshot.ts";
import { expectedRefs } from "./ref-list.ts";

test("the refs that were indexed last are expected, except views that are never checked out", async () => {
  const branches = Array.from({ length: 9 }, (_, i) => ({ ref: `refs/heads/b${i}`, commit: `c${i}`, publishedAt: i }));
  const others = ["worktree", "worktree:1", "live", "base"].map((ref) => ({ ref, commit: "c", publishedAt: 99 }));
  const views = async () => [...others, ...branches] as unknown as ViewInfo[];
  const refs = await expectedRefs({ views });
  expect(refs.map(({ ref }) => ref).join(" ")).toBe("b8 b7 b6 b5 b4 b3 b2 b1");
  expect(refs[0]).toEqual({ ref: "b8", commit: "c8" });
});
