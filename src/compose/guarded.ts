/**
 * What a server shows of the trees on its disk where callers may not see all repositories. The store hides what it holds;
 * these hide that a tree is there at all.
 */
import { isInside } from "../model/paths.ts";
import type { Files } from "../ports/files.ts";
import type { Registry, WorkspaceRow } from "../ports/registry.ts";
import type { StoreOpener } from "../ports/store.ts";

/** A tree whose repository the caller may not see, or that nobody has indexed, is not registered. */
export function guardedRegistry(registry: Registry, stores: StoreOpener): Registry {
  const isSeen = async ({ storeLocation }: WorkspaceRow) => (await stores.sees?.(storeLocation)) === true;
  return {
    ...registry,
    find: async (root) => {
      const row = await registry.find(root);
      return row !== undefined && (await isSeen(row)) ? row : undefined;
    },
    list: async () => {
      const rows = await registry.list();
      const seen = await Promise.all(rows.map(isSeen));
      return rows.filter((_, at) => seen[at]);
    },
  };
}

/** A path outside of every tree that the caller may see does not exist. */
export function guardedFiles(files: Files, registry: Registry): Files {
  return {
    ...files,
    realPath: async (path) => {
      const real = await files.realPath(path);
      if (real === undefined) return undefined;
      return (await registry.list()).some(({ root }) => isInside(real, root)) ? real : undefined;
    },
  };
}
