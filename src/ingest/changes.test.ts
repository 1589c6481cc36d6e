import { expect, test } from "vitest";
import type { SkipReason } from "../model/code.ts";
import type { ContentHash } from "../model/ids.ts";
import type { IndexSettings } from "../ports/indexer.ts";
import type { Stamped, ViewEntry } from "../ports/snapshot.ts";
import type { VersionKey } from "../ports/versions.ts";
import { Comparison } from "./changes.ts";
import { EXTRACTOR, storedStamp } from "./extractor.ts";

const settings: IndexSettings = {
  maxFileBytes: 1000,
  includeSecrets: false,
  hidden: false,
  ignoreFiles: "all",
  workers: 1,
};
const file = { path: "a.py", size: 10, stamp: "10:5:1" };
const { path } = file;
const contentHash = "abc" as ContentHash;
const version: VersionKey = { path, contentHash, extractor: EXTRACTOR };
const other: VersionKey = { ...version, contentHash: "def" as ContentHash };

type What = { version: VersionKey } | { skip: SkipReason };

/** What has to be done about one file when the view shows `entry` and the tree's file is known as `stamped`. */
function plan(entry: What | undefined, stamped?: What & { stamp: string }) {
  const entries = new Map<string, ViewEntry>(entry && [[path, { path, ...entry }]]);
  const stamps = new Map<string, Stamped>(stamped && [[path, { path, ...stamped }]]);
  const comparison = new Comparison({ entries, stamps }, {}, settings);
  comparison.add({ file });
  return comparison.finish();
}

const NOTHING = { changes: [], stamps: [], tasks: [] };
const READ = { path, size: 10, stamp: file.stamp };
const now = storedStamp(file.stamp, settings);

test("a file that was not touched since today's extractor read it is left alone", () => {
  expect(plan({ version }, { version, stamp: now })).toEqual(NOTHING);
  expect(plan({ skip: "binary" }, { skip: "binary", stamp: now })).toEqual(NOTHING);
});

test("a touched file is read, and costs a hash when its content is as indexed", () => {
  expect(plan({ version }, { version, stamp: storedStamp("10:4:1", settings) }).tasks).toEqual([
    { ...READ, indexedAs: contentHash },
  ]);
});

test("an untouched file that an older extractor read is read again, whatever its hash", () => {
  const old = { version: { ...version, extractor: "0" } };
  expect(plan(old, { ...old, stamp: `0 ${file.stamp}` }).tasks).toEqual([READ]);
});

test("a new file is read", () => {
  expect(plan(undefined).tasks).toEqual([READ]);
});

test("what another view of this tree has read is shown without being read again", () => {
  expect(plan(undefined, { version, stamp: now })).toEqual({ ...NOTHING, changes: [{ path, version }] });
  expect(plan({ version: other }, { version, stamp: now })).toEqual({ ...NOTHING, changes: [{ path, version }] });
  expect(plan({ version }, { skip: "binary", stamp: now })).toEqual({
    ...NOTHING,
    changes: [{ path, skip: "binary" }],
  });
});

test("a verdict that hangs on settings or permissions is looked at again", () => {
  for (const skip of ["too_large", "unreadable"] as const) {
    expect(plan({ skip }, { skip, stamp: now }).tasks).toEqual([READ]);
  }
});
