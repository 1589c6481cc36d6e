import { describe, expect, test } from "vitest";
import { storedStamp } from "../../ingest/extractor.ts";
import type { SkipReason } from "../../model/code.ts";
import type { ProjectId } from "../../model/ids.ts";
import type { Files, WalkItem } from "../../ports/files.ts";
import type { IndexSettings } from "../../ports/indexer.ts";
import type { WorkspaceRow } from "../../ports/registry.ts";
import type { Snapshot } from "../../ports/snapshot.ts";
import { DiskComparison, settledPaths } from "./disk-comparison.ts";
import { staleWarning } from "./drift.ts";

const mark = (stamp: string) => storedStamp(stamp, { includeSecrets: false });

/** Paths with their stamps, or why they are left out; a directory that is left out ends in `/`. */
type Tree = Readonly<Record<string, { stamp?: string; skip?: SkipReason }>>;

const file = (stamp: string) => ({ stamp });
const hidden = { skip: "hidden" } as const;
const rules = (stamp: string) => ({ ...hidden, stamp });

const VIEW: Tree = {
  "a.ts": file("1"),
  "unread.ts": file(""),
  "src/b.ts": file("1"),
  ".hidden": hidden,
  "deps/": { skip: "ignored" },
  "old/.x": hidden,
  ".gitignore": hidden,
};

/** As the store shows a view, as far as this looks at it. */
const snapshot = {
  stamps: async () =>
    new Map(
      Object.entries(VIEW).flatMap(([path, { stamp }]) => (stamp === undefined ? [] : [[path, stamp && mark(stamp)]])),
    ),
  skipped: async (path: string) => VIEW[path]?.skip,
  skips: async () => Object.keys(VIEW).filter((path) => VIEW[path]!.skip !== undefined),
} as unknown as Snapshot;

/** As a walk of these finds them: an excluded directory represents its content. */
function walked(disk: Tree, paths: readonly string[]): WalkItem[] {
  const meets = (at: string, asked: string) =>
    at === asked || at.startsWith(`${asked}/`) || (at.endsWith("/") && `${asked}/`.startsWith(at));
  return Object.entries(disk).flatMap(([path, { stamp = "", skip }]): WalkItem[] => {
    if (!paths.some((asked) => meets(path, asked))) return [];
    return skip === undefined ? [{ file: { path, size: 1, stamp } }] : [{ skip: { path, reason: skip } }];
  });
}

describe("what a run would not change", () => {
  const check = (name: string, reported: readonly string[], disk: Tree, settled: readonly string[]) =>
    test(name, async () => {
      const look = {
        mark,
        stamp: async (path: string) => disk[path]?.stamp,
        ignoreFileStamp: async (path: string) => (path === ".gitignore" ? "ruled" : undefined),
        walk: async (paths: readonly string[]) => walked(disk, paths),
      };
      expect([...(await settledPaths(snapshot, "p" as ProjectId, reported, look))].sort()).toEqual(settled);
    });

  check("a file as it was read", ["a.ts"], VIEW, ["a.ts"]);
  check("a touched file", ["a.ts"], { "a.ts": file("2") }, []);
  check("a file that is gone and still shown", ["a.ts"], {}, []);
  check("a file that was never read as it is", ["unread.ts"], { "unread.ts": file("") }, []);
  check("gone and not shown", ["gone.ts"], {}, ["gone.ts"]);
  check("new", ["new.ts"], { "new.ts": file("1") }, []);
  check("left out as before", [".hidden"], VIEW, [".hidden"]);
  check("left out for another reason", [".hidden"], { ".hidden": { skip: "symlink" } }, []);
  check("left out and gone, and still listed", [".hidden"], {}, []);
  check("below a directory that is left out as before", ["deps/x/y.ts"], VIEW, ["deps/x/y.ts"]);
  check("below a directory that is left out now", ["src"], { "src/": { skip: "ignored" } }, []);
  check("a directory as it was", ["src"], VIEW, ["src"]);
  check("a directory with a new file", ["src"], { ...VIEW, "src/new.ts": file("1") }, []);
  check("a directory without a file that is shown", ["src"], {}, []);
  check("a directory without one that is listed as left out", ["old"], {}, []);
  check("one settled, one not", ["gone.ts", "new.ts", "a.ts"], { ...VIEW, "new.ts": file("1") }, ["a.ts", "gone.ts"]);
  check("an ignore file whose rules are unknown", ["a/.ccignore"], { "a/.ccignore": rules("1") }, []);
  check("an ignore file that the last job has read", [".gitignore"], { ".gitignore": rules("ruled") }, [".gitignore"]);
  check("an ignore file that was touched since", [".gitignore"], { ".gitignore": rules("other") }, []);
});

test("before a first checkout a few directories are read as they would be then", async () => {
  const stamped: string[] = [];
  const read: string[] = [];
  const files = {
    stamp: async (_: string, path: string) => void stamped.push(path),
    walk: async function* (_: string, { only }: { only: readonly string[] }) {
      read.push(...only);
      yield [];
    },
  } as unknown as Files;
  const paths = ["a.c", "b.c", ...Array.from({ length: 50 }, (_, i) => `d${i}/f.c`)];
  const indexed = { stamps: async () => new Map(paths.map((path) => [path, "s"])) } as unknown as Snapshot;
  await new DiskComparison({ root: "/tree" } as WorkspaceRow, files, {} as IndexSettings).readAhead(indexed);
  expect(stamped).toHaveLength(16);
  expect(read).toEqual(stamped);
  expect(read.slice(0, 2)).toEqual(["a.c", "d0/f.c"]);
});

test("files that only another extractor has read are not called changed", async () => {
  const stamps = new Map([
    ["same.ts", "0 1"],
    ["edited.ts", "0 1"],
    ["current.ts", mark("1")],
  ]);
  const disk = { stamp: async (_: string, path: string) => (path === "same.ts" ? "1" : "2") } as unknown as Files;
  const comparison = new DiskComparison({ root: "/tree" } as WorkspaceRow, disk, {
    includeSecrets: false,
  } as IndexSettings);
  const view = { stamps: async () => stamps } as unknown as Snapshot;
  const check = async (paths: readonly string[], warning: string) =>
    expect(staleWarning(await comparison.withoutReread(view, { paths }, true))).toBe(warning);
  const other = "Stale: the ref was indexed by another release, or with other settings; its files are read again.";
  const readDirectly = "ead these files directly, they changed after indexing:";
  await check(["same.ts"], other);
  await check(["edited.ts", "same.ts"], `${other} Also r${readDirectly} edited.ts.`);
  await check(["current.ts"], `Stale: r${readDirectly} current.ts.`);
  await check(["edited.ts"], `Stale: r${readDirectly} edited.ts.`);
  // While a job reads them, the disk is not asked.
  const during = await comparison.withoutReread(view, { paths: ["edited.ts", "same.ts"] }, false);
  expect(staleWarning(during)).toBe(`${other} Some may also have changed.`);
});
