import { expect, test } from "vitest";
import { SKIPPED_FILES_LIMIT as LIMIT, notSearchedWarnings, sumNotSearched } from "../../model/grep.ts";
import type { Snapshot } from "../../ports/snapshot.ts";
import type { GitObjects } from "../../ports/vcs.ts";
import { commitFiles, type FileSource, skippedFiles } from "./skipped-files.ts";

type Sizes = Readonly<Record<string, number | undefined>>;

/** A view that skips these paths as generated, and a source that has them with these sizes. */
function filesOf(paths: readonly string[], sizes: Sizes) {
  const snapshot = { skips: async ([reason]: readonly string[]) => (reason === "generated" ? paths : []) };
  const asked: string[] = [];
  const source: FileSource = {
    stat: async (some) => {
      asked.push(...some);
      return new Map(some.flatMap((path) => (path in sizes ? [[path, statOf(path, sizes[path])]] : [])));
    },
    read: async () => undefined,
  };
  return { files: skippedFiles(snapshot as unknown as Snapshot, source, { includeSecrets: false }), asked };
}

const statOf = (key: string, size: number | undefined) => (size === undefined ? undefined : { key, size });
const everything = () => true;

async function listed(paths: readonly string[], sizes: Sizes, inScope: (path: string) => boolean = everything) {
  const { files, notSearched } = await filesOf(paths, sizes).files.list(inScope);
  return { paths: files.map(({ path }) => path), notSearched };
}

test("files over the byte limit are counted, and smaller ones behind them still searched", async () => {
  const sizes = { a: LIMIT.bytes - 10, b: 11, c: 10, d: 1 };
  const notSearched = [{ kind: "generated", cause: "limit", files: 2 }];
  expect(await listed(["a", "b", "c", "d"], sizes)).toEqual({ paths: ["a", "c"], notSearched });
});

test("the limit is that of the scope, not of the whole tree", async () => {
  const sizes = { "a/big": LIMIT.bytes, "b/big": LIMIT.bytes };
  const within = await listed(["a/big", "b/big"], sizes, (path) => path.startsWith("b/"));
  expect(within).toEqual({ paths: ["b/big"], notSearched: [] });
});

test("at most the files that one search may read are requested", async () => {
  const paths = Array.from({ length: LIMIT.files * 3 }, (_, i) => `f${String(i).padStart(5, "0")}`);
  const { files, asked } = filesOf(paths, Object.fromEntries(paths.map((path) => [path, 1])));
  const list = await files.list(everything);
  expect(list.files).toHaveLength(LIMIT.files);
  expect(list.notSearched).toEqual([{ kind: "generated", cause: "limit", files: LIMIT.files * 2 }]);
  expect(asked).toHaveLength(LIMIT.files);
});

test("a file that no longer exists is no gap; one whose content is not here is", async () => {
  const notSearched = [{ kind: "generated", cause: "unreadable", files: 1 }];
  expect(await listed(["gone", "here", "lost"], { here: 1, lost: undefined })).toEqual({
    paths: ["here"],
    notSearched,
  });
});

test("without a source everything is reported", async () => {
  const snapshot = { skips: async ([reason]: readonly string[]) => (reason === "minified" ? ["a.min.js"] : []) };
  const { files, notSearched } = await skippedFiles(snapshot as unknown as Snapshot, undefined, {
    includeSecrets: false,
  }).list(everything);
  expect([files, notSearched]).toEqual([[], [{ kind: "minified", cause: "no_checkout", files: 1 }]]);
});

test("a commit's files are located once, missing ones each time", async () => {
  const walked: (readonly string[])[] = [];
  const present = new Set(["a"]);
  const objects = {
    walk: async (_: unknown, { only }: { only: readonly string[] }) => {
      walked.push(only);
      return only.map((path) => ({ file: { path, size: 0, stamp: path } }));
    },
    sizes: async (_: unknown, blobs: readonly string[]) =>
      new Map(blobs.filter((id) => present.has(id)).map((id) => [id, 1])),
    releaseIdle: () => {},
  };
  const at = commitFiles(objects as unknown as GitObjects);
  const stat = async () => [...(await at({ root: "/", commit: "c" }).stat(["a", "b"])).values()];
  expect(await stat()).toEqual([{ key: "a", size: 1 }, undefined]);
  present.add("b");
  expect(await stat()).toEqual([
    { key: "a", size: 1 },
    { key: "b", size: 1 },
  ]);
  await stat();
  expect(walked).toEqual([["a", "b"], ["b"]]);
});

test("warnings say how many, of which kind, and what to do", () => {
  const parts = sumNotSearched([
    { kind: "generated", cause: "limit", files: 2 },
    { kind: "too_large", cause: "limit", files: 1 },
    { kind: "generated", cause: "limit", files: 3 },
    { kind: "minified", cause: "no_checkout" },
  ]);
  expect(notSearchedWarnings(parts)).toEqual([
    expect.stringMatching(/^6 files \(1 large and 5 generated\) were not searched: .* 64 MB and 2000 files .* glob\.$/),
    expect.stringMatching(/^Some files \(minified\) were not searched: the shared store/),
  ]);
});
