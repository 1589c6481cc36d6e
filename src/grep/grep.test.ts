import { expect, test } from "vitest";
import { type IndexedTree, indexTree } from "../../test/kit/index-tree.ts";
import { TextScanner } from "../adapters/scan/scanner.ts";
import type { GrepRequest } from "../model/grep.ts";
import type { Scanner } from "../ports/scanner.ts";
import { GrepMemo, grep, type SkippedFile, type SkippedFiles } from "./grep.ts";

const NO_SKIPPED_FILES: SkippedFiles = {
  masksSecrets: true,
  list: async () => ({ files: [], notSearched: [] }),
  read: async () => undefined,
};

const TREE = {
  "a/one.py": "def load(path):\n    return path\n\ndef save(path):\n    return path\n",
  "a/two.rs": "fn load() {}\nfn path() {}\n",
  "b/three.md": "# Paths\n\nA path here.\n",
};

/** A scanner that counts the texts it was given. */
function counting(): Scanner & { texts: number } {
  const inner = new TextScanner({ cacheChars: 0, sliceMs: 1_000 });
  const scanner = {
    texts: 0,
    scan: (...[request, load, signal]: Parameters<Scanner["scan"]>) => {
      scanner.texts += request.keys.length;
      return inner.scan(request, load, signal);
    },
    close: async () => {},
  };
  return scanner;
}

let at: IndexedTree["at"] | undefined;
async function ask(
  asked: Partial<GrepRequest> & { pattern: string },
  scanner: Scanner = counting(),
  skipped: SkippedFiles = NO_SKIPPED_FILES,
  memo = new GrepMemo(),
) {
  at ??= (await indexTree(TREE)).at;
  const defaults = { before: 0, after: 0, offset: 0, limit: 50 };
  const answer = await grep({ ...defaults, ...asked }, { snapshot: at, scanner, skipped, memo });
  return { ...answer, places: answer.hits.map(({ path, line }) => `${path}:${line}`) };
}

const check = (name: string, asked: Partial<GrepRequest> & { pattern: string }, places: readonly string[]) =>
  test(name, async () => expect((await ask(asked)).places).toEqual(places));

const ALL = ["a/one.py:1", "a/one.py:2", "a/one.py:4", "a/one.py:5", "a/two.rs:2", "b/three.md:3"];
check("by path, then line", { pattern: "path" }, ALL);
check("a directory", { pattern: "path", under: "b" }, ["b/three.md:3"]);
check("a directory, spelt otherwise", { pattern: "path", under: "./b/" }, ["b/three.md:3"]);
check("a file", { pattern: "path", under: "a/two.rs" }, ["a/two.rs:2"]);
check("not a prefix of a name", { pattern: "path", under: "a/two" }, []);
check("languages", { pattern: "path", languages: ["rust", "markdown"] }, ["a/two.rs:2", "b/three.md:3"]);
check("globs", { pattern: "path", globs: ["*.py", "!b/**"] }, ALL.slice(0, 4));
check("a page", { pattern: "path", offset: 3, limit: 2 }, ALL.slice(3, 5));
check("behind the end", { pattern: "path", offset: 99 }, []);
check("ignoring case", { pattern: "PATHS", ignoreCase: true }, ["b/three.md:1"]);

test("the total is that of all files, whatever the page", async () => {
  const { total, files, filesSearched, complete } = await ask({ pattern: "path", offset: 1, limit: 1 });
  expect({ total, filesSearched, complete }).toEqual({ total: 6, filesSearched: 3, complete: true });
  expect(files).toEqual([
    { path: "a/one.py", lines: 4 },
    { path: "a/two.rs", lines: 1 },
    { path: "b/three.md", lines: 1 },
  ]);
});

test("context, section and the definition around a line", async () => {
  const [hit] = (await ask({ pattern: "save", before: 1, after: 9 })).hits;
  expect(hit).toMatchObject({
    before: [""],
    after: ["    return path"],
    text: "def save(path):",
    symbol: { name: "save" },
  });
  const { hits } = await ask({ pattern: "return", section: true });
  expect(hits.map(({ before, after }) => [before, after])).toEqual([
    [["def load(path):"], []],
    [["def save(path):"], []],
  ]);
  expect(hits[0]!.spans()).toEqual([{ start: 4, end: 10 }]);
});

test("files that cannot match are not looked at", async () => {
  const scanner = counting();
  expect((await ask({ pattern: "no_such_text" }, scanner)).total).toBe(0);
  expect(scanner.texts).toBe(0);
  await ask({ pattern: "fn \\w+" }, scanner);
  expect(scanner.texts).toBe(1);
});

test("a later page looks only at its own files", async () => {
  const memo = new GrepMemo();
  const scanner = counting();
  const first = await ask({ pattern: "path", limit: 4 }, scanner, NO_SKIPPED_FILES, memo);
  expect(scanner.texts).toBe(3);
  const second = await ask({ pattern: "path", offset: 4, limit: 4 }, scanner, NO_SKIPPED_FILES, memo);
  expect(scanner.texts).toBe(5);
  expect([...first.places, ...second.places]).toEqual(ALL);
  expect(second.total).toBe(6);
});

const BIG: SkippedFile = { path: "a/big.txt", language: "text", kind: "too_large", key: "big", size: 17 };
const LIMITED = { kind: "generated", cause: "limit", files: 2 } as const;

test("skipped files are searched in the order of paths, and those that were not searched are counted", async () => {
  const skipped: SkippedFiles = {
    masksSecrets: true,
    list: async () => ({ files: [BIG], notSearched: [LIMITED] }),
    read: async () => Buffer.from("nothing\nthe path\n"),
  };
  const { places, notSearched, filesSearched } = await ask({ pattern: "path$" }, counting(), skipped);
  expect(places).toEqual(["a/big.txt:2", "a/one.py:2", "a/one.py:5"]);
  expect([notSearched, filesSearched]).toEqual([[LIMITED], 4]);
});

test("a skipped file that cannot be read is reported each time, and found as soon as it can be read", async () => {
  const memo = new GrepMemo();
  const scanner = counting();
  let bytes: Uint8Array | undefined;
  const skipped: SkippedFiles = {
    masksSecrets: true,
    list: async () => ({ files: [BIG], notSearched: [] }),
    read: async () => bytes,
  };
  for (const round of [1, 2]) {
    const { places, notSearched, filesSearched } = await ask({ pattern: "the path$" }, scanner, skipped, memo);
    expect([round, places, filesSearched]).toEqual([round, [], 3]);
    expect(notSearched).toEqual([{ kind: "too_large", cause: "unreadable", files: 1 }]);
  }
  bytes = Buffer.from("nothing\nthe path\n");
  const { places, notSearched } = await ask({ pattern: "the path$" }, scanner, skipped, memo);
  expect([places, notSearched]).toEqual([["a/big.txt:2"], []]);
});

test("a pattern that cannot be read is refused", async () => {
  await expect(ask({ pattern: "(" })).rejects.toMatchObject({ code: "invalid_input", data: { position: 0 } });
  await expect(ask({ pattern: "a", globs: ["{a"] })).rejects.toMatchObject({ data: { parameter: "glob" } });
});
