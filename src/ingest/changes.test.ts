import { expect, test } from "vitest";
import type { ContentHash } from "../model/ids.ts";
import type { IndexSettings } from "../ports/indexer.ts";
import type { ViewEntry } from "../ports/store.ts";
import { Comparison } from "./changes.ts";
import { markOf } from "./extractor.ts";

const settings: IndexSettings = {
  maxFileBytes: 1000,
  includeSecrets: false,
  hidden: false,
  ignoreFiles: "all",
  workers: 1,
};
const file = { path: "a.py", size: 10, stamp: "10:5:1" };
const contentHash = "abc" as ContentHash;

/** What has to be read of one file when the view shows `entry`. */
function tasks(entry: Omit<ViewEntry, "path"> | undefined) {
  const entries = new Map(entry === undefined ? [] : [["a.py", { path: "a.py", ...entry }]]);
  const comparison = new Comparison(entries, {}, settings);
  comparison.add({ file });
  return comparison.finish().tasks;
}

test("a file that was not touched since today's extractor read it is left alone", () => {
  expect(tasks({ contentHash, stamp: markOf(file.stamp) })).toEqual([]);
});

test("a touched file is read, and costs a hash when its content is as indexed", () => {
  expect(tasks({ contentHash, stamp: markOf("10:4:1") })).toEqual([{ path: "a.py", size: 10, indexedAs: contentHash }]);
});

test("an untouched file that an older extractor read is read again, whatever its hash", () => {
  expect(tasks({ contentHash, stamp: `0 ${file.stamp}` })).toEqual([{ path: "a.py", size: 10 }]);
});

test("a new file is read", () => {
  expect(tasks(undefined)).toEqual([{ path: "a.py", size: 10 }]);
});
