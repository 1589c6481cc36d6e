import { expect, test } from "vitest";
import { PLAIN_SETTINGS } from "../../test/kit/settings.ts";
import { sha256 } from "../../test/kit/store.ts";
import type { FileRecord } from "../model/code.ts";
import type { ContentHash, ProjectId } from "../model/ids.ts";
import type { Parsers } from "../ports/parsers.ts";
import type { Store } from "../ports/store.ts";
import { recordsOf } from "./diff-records.ts";
import { RecordCache } from "./record-cache.ts";

const recordAt = (path: string, bytes: Uint8Array): FileRecord => ({
  path,
  contentHash: sha256(bytes) as ContentHash,
  language: "python",
  lineCount: 1,
  byteCount: bytes.length,
  symbols: [],
  chunks: [],
  problems: [],
});

/** Skips what is called so. */
const parsers: Parsers = {
  capacity: () => 2,
  warm: () => {},
  read: async ({ tasks }) => {
    const skips = tasks.map(({ path }) => path.endsWith(".min.js"));
    return {
      outcomes: tasks.map(({ path }, at) => (skips[at] ? { path, skip: "minified" } : { path, gone: true })),
      batches: [],
      records: tasks.filter((_, at) => !skips[at]).map(({ path, bytes }) => recordAt(path, bytes!)),
    };
  },
  close: async () => {},
};

test("a file that is skipped is that file, in whatever order files are read", async () => {
  // Three requests: the first two files, then the last one, since it is larger than the third.
  const sizes = { "a.py": 260_000, "b.py": 300_000, "c.min.js": 280_000, "d.py": 400_000 };
  const contents = Object.entries(sizes).map(([path, size]) => ({ path, after: new Uint8Array(size).fill(97) }));
  const ports = {
    hash: sha256,
    parsers,
    settings: PLAIN_SETTINGS,
    store: { records: async () => new Map() } as unknown as Store,
    seen: new RecordCache(),
  };
  const ids = { project: "p" as ProjectId, hash: sha256 };
  const sides = await recordsOf(contents, { root: "/", ports, ids, signal: new AbortController().signal });
  expect(sides.map(({ after, skipped }) => after?.record.path ?? skipped)).toEqual([
    "a.py",
    "b.py",
    "minified",
    "d.py",
  ]);
});
