/** The commit that others are kept as differences to is read from the files of its checkout, where they are what it says. */
import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { pipelineFixture, write } from "../../test/kit/pipeline-fixture.ts";
import { commit, git } from "../../test/kit/sandbox.ts";
import { diskSelection } from "../adapters/disk/files.ts";
import { gitObjects } from "../adapters/git/objects.ts";
import type { IndexRequest } from "../ports/indexer.ts";
import type { GitObjects } from "../ports/vcs.ts";

const COMMITTED = { "a.rs": "fn a() {}\n", "b.rs": "fn b() {}\n", "c.txt": "one\ntwo\n", "d.py": "\0 no text" };

/** A checkout whose files are edited after the commit, and the blobs that are read from git. */
async function checkout(edit: (root: string) => void = () => {}) {
  const { root, run, store, ports, parsed } = await pipelineFixture(COMMITTED);
  git(root, "init", "-q", "-b", "main");
  const head = commit(root, "first");
  edit(root);
  const asked: string[] = [];
  const real = gitObjects(diskSelection);
  const objects: GitObjects = {
    ...real,
    read: (at, blob, maxBytes) => {
      asked.push(blob);
      return real.read(at, blob, maxBytes);
    },
  };
  const request: Partial<IndexRequest> = {
    mode: "incremental",
    commit: head,
    base: { ref: "base", commit: head },
    blobs: "sha1",
  };
  const textAt = async (ref: string, path: string) => {
    const snapshot = (await store.snapshot(ref))!;
    const file = await snapshot.file(path);
    return file && (await snapshot.text(file));
  };
  const again = () => run(request, undefined, undefined, { ...ports, objects });
  const report = await again();
  const names = git(root, "ls-tree", "-r", "HEAD").split("\n");
  const pathOf = (blob: string) => names.find((line) => line.includes(blob))?.split("\t")[1];
  return { report, textAt, parsed, asked: asked.map(pathOf), again };
}

test("for a clean checkout git reads no content, and every file is read once", async () => {
  const { asked, report, parsed, textAt } = await checkout();
  expect(asked).toEqual([]);
  expect(parsed).toEqual(["a.rs", "b.rs", "c.txt", "d.py"]);
  expect(report).toMatchObject({ hashedFiles: 0, changedFiles: 3, coverage: { filesIndexed: 3 } });
  expect(await textAt("base", "a.rs")).toBe(COMMITTED["a.rs"]);
  expect(await textAt("live", "a.rs")).toBe(COMMITTED["a.rs"]);
});

test("what is another file on disk is the commit's in its view, and the disk's in the directory's", async () => {
  const { asked, report, textAt, again } = await checkout((root) => {
    write(root, { "a.rs": "fn edited() {}\n", "new.rs": "fn new_one() {}\n" });
    // As git writes it with core.autocrlf.
    write(root, { "c.txt": "one\r\ntwo\r\n" });
    rmSync(join(root, "b.rs"));
  });
  expect(asked.sort()).toEqual(["a.rs", "b.rs", "c.txt"]);
  expect(report).toMatchObject({ hashedFiles: 3 });
  const both = async (path: string) => [await textAt("base", path), await textAt("live", path)];
  expect(await both("a.rs")).toEqual(["fn a() {}\n", "fn edited() {}\n"]);
  expect(await both("b.rs")).toEqual(["fn b() {}\n", undefined]);
  expect(await both("c.txt")).toEqual(["one\ntwo\n", "one\r\ntwo\r\n"]);
  expect(await both("new.rs")).toEqual([undefined, "fn new_one() {}\n"]);
  expect(await again()).toMatchObject({ hashedFiles: 0, published: false });
});

test("a link in place of a file is not followed", async () => {
  const { asked, textAt } = await checkout((root) => {
    rmSync(join(root, "b.rs"));
    write(root, { "elsewhere.txt": COMMITTED["b.rs"] });
    symlinkSync("elsewhere.txt", join(root, "b.rs"));
  });
  expect(asked).toEqual(["b.rs"]);
  expect(await textAt("base", "b.rs")).toBe(COMMITTED["b.rs"]);
  expect(await textAt("live", "b.rs")).toBeUndefined();
});
