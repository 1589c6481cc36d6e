import { expect, test } from "vitest";
import { PLAIN_SETTINGS } from "../../../test/kit/settings.ts";
import { sha256 } from "../../../test/kit/store.ts";
import type { FileRecord } from "../../model/code.ts";
import type { ContentHash, ProjectId } from "../../model/ids.ts";
import type { Parsers } from "../../ports/parsers.ts";
import type { Store } from "../../ports/store.ts";
import { RecordCache, readChangedRecords } from "./changed-records.ts";

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

const ids = { project: "p" as ProjectId, hash: sha256 };
const { signal } = new AbortController();
const portsWith = (workers: Parsers) => ({
  hash: sha256,
  parsers: workers,
  settings: PLAIN_SETTINGS,
  store: { records: async () => new Map() } as unknown as Store,
  records: new RecordCache(),
});

test("a file that is skipped is that file, in whatever order files are read", async () => {
  // Three requests: the first two files, then the last one, since it is larger than the third.
  const sizes = { "a.py": 260_000, "b.py": 300_000, "c.min.js": 280_000, "d.py": 400_000 };
  const contents = Object.entries(sizes).map(([path, size]) => ({ path, after: new Uint8Array(size).fill(97) }));
  const sides = await readChangedRecords(contents, { root: "/", ports: portsWith(parsers), ids, signal });
  expect(sides.map(({ after, skipped }) => after?.record.path ?? skipped)).toEqual([
    "a.py",
    "b.py",
    "minified",
    "d.py",
  ]);
});

test("a worker reads code only: a text without symbols is read in place", async () => {
  const asked: string[] = [];
  const read: Parsers["read"] = async (request) => {
    asked.push(...request.tasks.map(({ path }) => path));
    return parsers.read(request);
  };
  const bytes = (text: string) => new TextEncoder().encode(text);
  const contents = [
    { path: ".gitignore", before: bytes("*.o\n"), after: bytes("*.o\n*.a\n") },
    { path: "run", after: bytes("#!/usr/bin/env python3\n") },
    { path: "notes.txt", after: bytes("a\0b") },
  ];
  const sides = await readChangedRecords(contents, { root: "/", ports: portsWith({ ...parsers, read }), ids, signal });
  expect(asked).toEqual(["run"]);
  expect(sides[0]!.after).toMatchObject({
    record: { language: "text", lineCount: 2, symbols: [] },
    text: "*.o\n*.a\n",
  });
  expect(sides.map(({ skipped }) => skipped)).toEqual([undefined, undefined, "binary"]);
});
