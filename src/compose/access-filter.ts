/**
 * What a server shows of the trees on its disk where callers may not see all repositories. The store hides what it holds;
 * these hide that a tree is there at all.
 */
import { CompassError } from "../model/errors.ts";
import { isInside } from "../model/paths.ts";
import type { Files } from "../ports/files.ts";
import type { Registry } from "../ports/registry.ts";
import type { StoreOpener } from "../ports/store.ts";
import type { Worktrees } from "../ports/vcs.ts";

/** A tree whose repository the caller may not see, or that has no index, is not registered. */
export function guardedRegistry(registry: Registry, stores: StoreOpener): Registry {
  // One lookup for every request, so that its duration reveals nothing about hidden trees.
  const visible = async () => {
    const rows = await registry.list();
    const seen = await stores.shared!.sees(rows.map(({ storeLocation }) => storeLocation));
    return rows.filter((_, at) => seen[at]);
  };
  return {
    ...registry,
    find: async (root) => (await visible()).find((row) => row.root === root),
    list: visible,
    damaged: async () => [],
  };
}

/** A path outside of every tree that the caller may see does not exist. */
export function guardedFiles(files: Files, registry: Registry): Files {
  const inVisible = async (find: () => Promise<string | undefined>) => {
    // In this order: what exists must not take longer than what does not.
    const trees = await registry.list();
    const real = await find();
    return real !== undefined && trees.some(({ root }) => isInside(real, root)) ? real : undefined;
  };
  return {
    ...files,
    realPath: (path) => inVisible(() => files.realPath(path)),
    realDirectory: (path) => inVisible(() => files.realDirectory(path)),
  };
}

/** A read-only principal gets no files written on the server's disk. */
export function guardedWorktrees(worktrees: Worktrees): Worktrees {
  return {
    sweep: () => worktrees.sweep(),
    close: () => worktrees.close(),
    ensure: async () => {
      const reason = "this server only reads and writes no work trees; leave ensure_worktree out";
      throw new CompassError("invalid_input", { parameter: "ensure_worktree", reason });
    },
  };
}
