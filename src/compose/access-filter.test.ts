/** Hidden, missing and unregistered trees cannot be distinguished, not even by the number of lookups. */
import { expect, test } from "vitest";
import type { Files } from "../ports/files.ts";
import type { Registry, WorkspaceRow } from "../ports/registry.ts";
import type { SharedStores, StoreOpener } from "../ports/store.ts";
import type { Worktrees } from "../ports/vcs.ts";
import { guardedFiles, guardedRegistry, guardedWorktrees } from "./access-filter.ts";

const row = (name: string) => ({ root: `/srv/${name}`, storeLocation: `/stores/${name}` }) as WorkspaceRow;
const rows = [row("mine"), row("theirs")];
const onDisk = ["/srv/mine", "/srv/mine/src", "/srv/theirs", "/srv/theirs/src", "/srv/unregistered"];

function guarded() {
  let asked = 0;
  const registry = {
    list: async () => rows,
    find: async (root: string) => rows.find((one) => one.root === root),
  } as Partial<Registry> as Registry;
  const sees: SharedStores["sees"] = async (locations) => {
    asked++;
    return locations.map((location) => location === "/stores/mine");
  };
  const real = async (path: string) => (onDisk.includes(path) ? path : undefined);
  const seen = guardedRegistry(registry, { shared: { sees } } as unknown as StoreOpener);
  const files = guardedFiles({ realPath: real, realDirectory: real } as Files, seen);
  return { registry: seen, files, asked: () => asked };
}

const answers = async (path: string) => {
  const { registry, files, asked } = guarded();
  const found = [await registry.find(path), await files.realPath(path), await files.realDirectory(path)];
  return { found: found.map((one) => one !== undefined), asked: asked() };
};

const check = (path: string, found: readonly boolean[]) =>
  test(path, async () => expect(await answers(path)).toEqual({ found, asked: 3 }));

check("/srv/mine", [true, true, true]);
check("/srv/mine/src", [false, true, true]);
check("/srv/theirs", [false, false, false]);
check("/srv/theirs/src", [false, false, false]);
check("/srv/unregistered", [false, false, false]);
check("/srv/nowhere", [false, false, false]);

test("only what may be seen is listed", async () => {
  expect(await guarded().registry.list()).toEqual([rows[0]]);
});

test("no work tree is written, and what others left is still swept", async () => {
  const done: string[] = [];
  const worktrees = { sweep: async () => void done.push("swept"), close: async () => void done.push("closed") };
  const refusing = guardedWorktrees(worktrees as unknown as Worktrees);
  await expect(refusing.ensure({ root: "/srv/mine", commit: "0".repeat(40) }, "main")).rejects.toThrow(
    "this server only reads",
  );
  await refusing.sweep();
  await refusing.close();
  expect(done).toEqual(["swept", "closed"]);
});
