import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { commit, git, sandbox, write } from "../../../test/kit/sandbox.ts";
import { diskFiles } from "../../adapters/disk/files.ts";
import { gitHistory } from "../../adapters/git/history.ts";
import { gitVcs } from "../../adapters/git/vcs.ts";
import { createHash } from "../../adapters/hash/hashes.ts";
import type { Snapshot } from "../../ports/snapshot.ts";
import { SourceLayers } from "./source-layers.ts";

const hash = await createHash();

/** A view that shows what is on disk, as far as layers look at it. */
function snapshotOf(root: string): Snapshot {
  const file = async (path: string) => {
    const read = await diskFiles().read(root, path, 1 << 20);
    return read.ok ? { contentHash: hash(read.bytes) } : undefined;
  };
  return { info: { stateId: "1" }, file } as unknown as Snapshot;
}

/** The layer of a path, and how often git had to compare the tree with its index. */
async function layer(top: string, path: string, below = "", shown?: Snapshot): Promise<string> {
  const root = join(top, below);
  let compared = 0;
  const history = gitHistory();
  const changedPaths: typeof history.changedPaths = (...asked) => {
    compared++;
    return history.changedPaths(...asked);
  };
  const [vcs, ports] = [gitVcs(), { vcs: gitVcs(), hash, history: { ...history, changedPaths } }];
  const head = (await vcs.head(root))!;
  const ref = head.branch ?? head.commit!;
  const target = { view: "worktree", ref, commit: head.commit!, from: "directory" } as const;
  const found = await new SourceLayers(root, ports).at(target, shown ?? snapshotOf(root))(path);
  return compared === 0 ? found : `${found}, by git`;
}

describe("layers of a checked-out branch", () => {
  const check = (name: string, path: string, expected: string, edit: (root: string) => void = () => {}, below = "") =>
    test(name, async () => {
      using box = sandbox();
      const root = box.repository({
        "kept.ts": "1\n",
        "changed.ts": "1\n",
        "sub/kept.ts": "1\n",
        "sub/changed.ts": "1\n",
      });
      git(root, "switch", "-qc", "feat");
      write(root, { "changed.ts": "2\n", "added.ts": "2\n", "sub/changed.ts": "2\n" });
      commit(root, "feat");
      edit(root);
      expect(await layer(root, path, below)).toBe(expected);
    });

  check("as it was where the branch began", "kept.ts", "base");
  check("changed by the branch", "changed.ts", "overlay");
  check("added by the branch", "added.ts", "overlay");
  check("edited", "kept.ts", "overlay, by git", (root) => write(root, { "kept.ts": "3\n" }));
  check("edited on top of the branch", "changed.ts", "overlay, by git", (root) => write(root, { "changed.ts": "3\n" }));
  check("edited back", "changed.ts", "base", (root) => write(root, { "changed.ts": "1\n" }));
  check("not tracked", "new.ts", "overlay, by git", (root) => write(root, { "new.ts": "3\n" }));
  check("on the default branch", "changed.ts", "base", (root) => git(root, "switch", "-q", "main"));
  check("of a workspace below the top", "kept.ts", "base", () => {}, "sub");
  check("changed, of a workspace below the top", "changed.ts", "overlay", () => {}, "sub");
  check("with other line ends on disk than in git", "kept.ts", "base, by git", (root) => {
    git(root, "config", "core.autocrlf", "true");
    rmSync(join(root, "kept.ts"));
    git(root, "checkout", "-q", "--", "kept.ts");
  });
  check("main went on: what it changed since is not the branch's", "kept.ts", "base", (root) => {
    git(root, "switch", "-q", "main");
    write(root, { "kept.ts": "4\n" });
    commit(root, "main goes on");
    git(root, "switch", "-q", "feat");
  });
});

test("a view that is a checkout behind needs no comparison by git either", async () => {
  using box = sandbox();
  const root = box.repository({ "a.ts": "1\n" });
  git(root, "branch", "feat");
  write(root, { "a.ts": "2\n" });
  const main = commit(root, "main goes on");
  const row = await snapshotOf(root).file("a.ts");
  git(root, "switch", "-q", "feat");
  const behind = { info: { stateId: "1", commit: main }, file: async () => row } as unknown as Snapshot;
  expect(await layer(root, "a.ts", "", behind)).toBe("overlay");
  expect(await layer(root, "a.ts")).toBe("base");
});
