import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { beforeAll, expect, test, vi } from "vitest";
import { scratchDirectory } from "../../../test/kit/scratch.ts";
import type { SurveyOptions } from "../../ports/files.ts";
import { diskFiles } from "./files.ts";

const files = diskFiles();
const scratch = scratchDirectory("survey");

// Directories that were touched in these seconds are not relied on; here they are made and asked at once.
beforeAll(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
  return () => vi.useRealTimers();
});

let trees = 0;

async function stampsIn(root: string, options: Partial<SurveyOptions>): Promise<Map<string, string>> {
  const stamps = new Map<string, string>();
  await files.survey(root, { expectedFiles: 1, ...options }, (path, stamp) => stamps.set(path, stamp));
  return stamps;
}

/** A tree with a memory of it. */
function workshop(contents: Record<string, string>) {
  const root = join(scratch, `tree-${++trees}`);
  const memory = join(scratch, `memory-${trees}`);
  for (const directory of [root, memory]) mkdirSync(directory);
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  for (const [path, text] of Object.entries(contents)) write(path, text);
  const walk = async (options = {}) => {
    for await (const _ of files.walk(root, { memory, ...options }));
  };
  const survey = async (options: Partial<SurveyOptions> = {}) => {
    const recalled = await stampsIn(root, { memory, ...options });
    const { memory: _, ...plain } = options;
    expect(recalled).toEqual(await stampsIn(root, plain));
    return [...recalled.keys()].sort();
  };
  const memoryFile = () => join(memory, readdirSync(memory)[0]!);
  return { root, memory, write, walk, survey, memoryFile };
}

test("a tree as remembered is seen without being listed", async () => {
  const { root, memory, walk, survey, memoryFile } = workshop({
    "a.ts": "",
    "b/c.ts": "",
    "b/.gitignore": "x\n",
    "b/x": "",
  });
  await walk();
  expect(await survey()).toEqual(["a.ts", "b/c.ts"]);
  // A memory that lies is found out by being believed.
  const lied = Buffer.from(
    readFileSync(memoryFile()).subarray(4).toString("latin1").replaceAll("c.ts", "d.ts"),
    "latin1",
  );
  const sum = Buffer.alloc(4);
  sum.writeUInt32LE(crc32(lied));
  writeFileSync(memoryFile(), Buffer.concat([sum, lied]));
  expect([...(await stampsIn(root, { memory })).keys()]).toEqual(["a.ts"]);
});

test("edits, new and removed files, renamed directories and types that change are seen", async () => {
  const { root, write, walk, survey } = workshop({ "a/b/c.ts": "1", "a/d.ts": "1", "e.ts": "1" });
  await walk();
  write("a/b/c.ts", "22");
  write("a/b/new.ts", "");
  expect(await survey()).toEqual(["a/b/c.ts", "a/b/new.ts", "a/d.ts", "e.ts"]);
  renameSync(join(root, "a/b"), join(root, "a/z"));
  expect(await survey()).toEqual(["a/d.ts", "a/z/c.ts", "a/z/new.ts", "e.ts"]);
  rmSync(join(root, "e.ts"));
  write("e.ts/f.ts", "");
  expect(await survey()).toEqual(["a/d.ts", "a/z/c.ts", "a/z/new.ts", "e.ts/f.ts"]);
});

test("an ignore file that is edited in place, added or removed changes what is below it", async () => {
  const { root, write, walk, survey } = workshop({
    ".gitignore": "x.ts\n",
    "a/x.ts": "",
    "a/b/y.ts": "",
    "a/z.ts": "",
  });
  await walk();
  expect(await survey()).toEqual(["a/b/y.ts", "a/z.ts"]);
  write(".gitignore", "y.ts\n");
  expect(await survey()).toEqual(["a/x.ts", "a/z.ts"]);
  write("a/.ccignore", "z.ts\n");
  expect(await survey()).toEqual(["a/x.ts"]);
  rmSync(join(root, ".gitignore"));
  expect(await survey()).toEqual(["a/b/y.ts", "a/x.ts"]);
});

test("a file that git begins to track is seen, and one that it no longer tracks is not", async () => {
  const { root, write, walk, survey } = workshop({ ".gitignore": "*.log\n", "a.log": "", "d/a.log": "", "d/x.ts": "" });
  const git = (...args: string[]) => execFileSync("git", ["-C", root, ...args], { stdio: "pipe" });
  git("init", "-q");
  await walk();
  expect(await survey()).toEqual(["d/x.ts"]);
  git("add", "-f", "d/a.log");
  expect(await survey()).toEqual(["d/a.log", "d/x.ts"]);
  await walk();
  git("rm", "-q", "--cached", "d/a.log");
  git("add", "-f", "a.log");
  write("d/y.ts", "");
  expect(await survey()).toEqual(["a.log", "d/x.ts", "d/y.ts"]);
});

test("other rules need another look", async () => {
  const { root, write, walk, survey } = workshop({ ".hidden/a.ts": "", "b.ts": "", ".gitignore": "b.ts\n" });
  await walk();
  expect(await survey()).toEqual([]);
  expect(await survey({ hidden: true, ignoreFiles: "none" })).toEqual([".gitignore", ".hidden/a.ts", "b.ts"]);
  mkdirSync(join(root, ".git/info"), { recursive: true });
  write(".git/HEAD", "ref: refs/heads/main\n");
  write(".gitignore", "");
  expect(await survey()).toEqual(["b.ts"]);
  await walk();
  write(".git/info/exclude", "b.ts\n");
  expect(await survey()).toEqual([]);
});

test("a damaged, foreign or missing memory is none", async () => {
  const { walk, survey, memoryFile } = workshop({ "a.ts": "", "b/c.ts": "" });
  await walk();
  const whole = readFileSync(memoryFile());
  for (const bytes of [
    whole.subarray(0, 40),
    Buffer.from("x"),
    Buffer.alloc(0),
    whole.map((byte, at) => byte ^ +(at === 90)),
  ]) {
    writeFileSync(memoryFile(), bytes);
    expect(await survey()).toEqual(["a.ts", "b/c.ts"]);
  }
  rmSync(memoryFile());
  expect(await survey()).toEqual(["a.ts", "b/c.ts"]);
});

test("a part of a tree is not taken for the whole", async () => {
  const { root, walk, survey } = workshop({ "a/b.ts": "", "c/d.ts": "" });
  await walk({ only: ["a"] });
  expect(existsSync(join(root, "a"))).toBe(true);
  expect(await survey()).toEqual(["a/b.ts", "c/d.ts"]);
});

test("whatever happens to a tree, a survey with a memory sees what one without it sees", async () => {
  const name = fc.constantFrom("a", "b", "c.ts", "d.ts", ".gitignore", ".ccignore");
  const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join("/"));
  const text = fc.constantFrom("", "a\n", "c.ts\n", "/b/\n!c.ts\n", "*.ts\n");
  const edit = fc.oneof(
    fc.record({ write: path, text }),
    fc.record({ remove: path }),
    fc.record({ rename: path, to: path }),
    fc.constant({ walk: true }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(edit, { minLength: 2, maxLength: 12 }), async (edits) => {
      const { root, write, walk, survey } = workshop({ "a/c.ts": "", "b/a/d.ts": "", "d.ts": "" });
      await walk();
      for (const it of edits) {
        if ("walk" in it) await walk();
        else
          ignoringImpossible(() => {
            if ("write" in it) write(it.write, it.text);
            else if ("remove" in it) rmSync(join(root, it.remove), { recursive: true, force: true });
            else renameSync(join(root, it.rename), join(root, it.to));
          });
        await survey();
      }
    }),
    { numRuns: 60 },
  );
});

/** A file where a directory would be needed, a directory moved into itself: random edits ask for much. */
function ignoringImpossible(edit: () => void): void {
  try {
    edit();
  } catch {}
}
