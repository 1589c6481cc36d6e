import { Buffer } from "node:buffer";
import { execFileSync } from "node:child_process";
import { chmodSync, linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { WalkOptions } from "../../ports/files.ts";
import { diskFiles } from "./files.ts";

const files = diskFiles();
const made: string[] = [];
afterAll(() => {
  for (const path of made) rmSync(path, { recursive: true, force: true });
});

/** A temporary tree; a value is a file's text, `null` makes an empty directory. */
function tree(contents: Record<string, string | null>): string {
  const root = mkdtempSync(join(tmpdir(), "walk-"));
  made.push(root);
  for (const [path, text] of Object.entries(contents)) {
    mkdirSync(join(root, text === null ? path : dirname(path)), { recursive: true });
    if (text !== null) writeFileSync(join(root, path), text);
  }
  return root;
}

/** Paths of files as they are, skips as `path (reason)`. */
async function walked(root: string, options?: WalkOptions): Promise<string[]> {
  const out: string[] = [];
  for await (const batch of files.walk(root, options)) {
    for (const item of batch) out.push("file" in item ? item.file.path : `${item.skip.path} (${item.skip.reason})`);
  }
  return out;
}

const check = (
  name: string,
  contents: Record<string, string | null>,
  expected: string[],
  at = "",
  options: WalkOptions = {},
) => test(name, async () => expect(await walked(join(tree(contents), at), options)).toEqual(expected));

check("in the order of paths", { "b.ts": "", "a/c.ts": "", "a.ts": "", "a-b.ts": "", "a/b/d.ts": "" }, [
  "a-b.ts",
  "a.ts",
  "a/b/d.ts",
  "a/c.ts",
  "b.ts",
]);
check("an empty tree", { "": null }, []);
check(
  "built-in: packages, caches and repositories",
  { "node_modules/x/i.js": "", ".git/HEAD": "", "lib/__pycache__/a.pyc": "", "dist/a.js": "" },
  ["dist/a.js", "lib/__pycache__/ (ignored)", "node_modules/ (ignored)"],
);
check("hidden, but for project configuration", { ".cache/x": "", ".foo": "", ".github/ci.yml": "", ".env": "" }, [
  ".cache/ (hidden)",
  ".env",
  ".foo (hidden)",
  ".github/ci.yml",
]);
check("hidden when asked", { ".cache/x": "", ".foo": "", ".git/HEAD": "" }, [".cache/x", ".foo"], "", { hidden: true });
check(
  "nested .gitignore speaks of its own directory",
  { "a/.gitignore": "*.log\n/top\n", "a/x.log": "", "a/b/top": "", "a/top": "", "x.log": "" },
  ["a/.gitignore (hidden)", "a/b/top", "a/top (ignored)", "a/x.log (ignored)", "x.log"],
);
check(
  "a deeper file overrules",
  { ".gitignore": "*.log\n", "a/.gitignore": "!keep.log\n", "a/keep.log": "", "a/b/keep.log": "", "keep.log": "" },
  [".gitignore (hidden)", "a/.gitignore (hidden)", "a/b/keep.log", "a/keep.log", "keep.log (ignored)"],
);
check(
  "a later layer re-includes, whatever the depth",
  {
    ".gitignore": "gen/\n*.log\n",
    ".codecompassignore": "!gen/\n",
    ".ccignore": "!a.log\nsecret.ts\n",
    "gen/a.ts": "",
    "gen/x/b.ts": "",
    "a.log": "",
    "b.log": "",
    "secret.ts": "",
  },
  [
    ".ccignore (hidden)",
    ".codecompassignore (hidden)",
    ".gitignore (hidden)",
    "a.log",
    "b.log (ignored)",
    "gen/a.ts",
    "gen/x/b.ts",
    "secret.ts (ignored)",
  ],
);
check(
  "a lower layer deep down does not overrule a higher one",
  { ".codecompassignore": "*.gen\n", "a/.gitignore": "!x.gen\n", "a/x.gen": "" },
  [".codecompassignore (hidden)", "a/.gitignore (hidden)", "a/x.gen (ignored)"],
);
for (const name of [".ckignore", ".cruxeignore"]) {
  check(`${name} is read`, { [name]: "x.ts\n", "x.ts": "", "y.ts": "" }, [
    `${name} (hidden)`,
    "x.ts (ignored)",
    "y.ts",
  ]);
}
check(
  "! brings hidden and built-in ones back",
  { ".ccignore": "!.foo\n!node_modules/\n", ".foo": "", "node_modules/a.js": "" },
  [".ccignore (hidden)", ".foo", "node_modules/a.js"],
);
check("! never opens the repository's storage", { ".gitignore": "!*\n!*/\n", ".git/HEAD": "", "a.ts": "" }, [
  ".gitignore",
  "a.ts",
]);
check(".dockerignore is no ignore file", { ".dockerignore": "*\n", "a.ts": "" }, [".dockerignore", "a.ts"]);
check("case matters", { ".gitignore": "Foo.ts\n", "Foo.ts": "", "foo.ts": "" }, [
  ".gitignore (hidden)",
  "Foo.ts (ignored)",
  "foo.ts",
]);
check(
  "no ignore files when asked",
  { ".gitignore": "a.ts\n", "a.ts": "", "node_modules/x.js": "" },
  [".gitignore (hidden)", "a.ts", "node_modules/ (ignored)"],
  "",
  {
    ignoreFiles: "none",
  },
);
check(
  "a sub-directory of a repository obeys the rules above it",
  {
    ".git/info/exclude": "*.tmp\n",
    ".gitignore": "*.log\n/pkg/out/\n/out/\nonly/\n",
    "pkg/.gitignore": "x.ts\n",
    "pkg/in/a.log": "",
    "pkg/in/a.tmp": "",
    "pkg/in/x.ts": "",
    "pkg/in/out/y.ts": "",
  },
  ["a.log (ignored)", "a.tmp (ignored)", "out/y.ts", "x.ts (ignored)"],
  "pkg/in",
);
check(
  "an ignored directory can be indexed by name",
  { ".git/HEAD": "", ".gitignore": "gen/\n*.log\n", "gen/a.ts": "", "gen/b.log": "" },
  ["a.ts", "b.log (ignored)"],
  "gen",
);
check("outside git nothing above the root is read", { ".gitignore": "*.ts\n", "pkg/a.ts": "" }, ["a.ts"], "pkg");
check(
  "only some paths",
  { "a/b/c.ts": "", "a/b/d.ts": "", "a/x.ts": "", "e.ts": "", "a/.gitignore": "d.ts\n" },
  ["a/b/c.ts", "a/b/d.ts (ignored)", "e.ts"],
  "",
  {
    only: ["a/b", "e.ts", "gone.ts", "../etc", "a/b/c.ts"],
  },
);
check("only: below an ignored directory", { ".gitignore": "gen/\n", "gen/a/b.ts": "" }, ["gen/ (ignored)"], "", {
  only: ["gen/a/b.ts"],
});
check("glob characters in a directory's name", { "a[b]*/.gitignore": "x.ts\n", "a[b]*/x.ts": "", "ab/x.ts": "" }, [
  "a[b]*/.gitignore (hidden)",
  "a[b]*/x.ts (ignored)",
  "ab/x.ts",
]);

test("agrees with git about a table of patterns", async () => {
  const patterns = [
    "*.log",
    "!keep.log",
    "/root.txt",
    "dir/",
    "a/**/z",
    "**/deep",
    "x/*",
    "!x/y",
    "esc\\ ",
    "sp ace",
    "[ab].c",
    "?.h",
    "foo/**",
    "# no",
    "\\#yes",
    "\\!bang",
  ];
  const names = [
    "t.log",
    "keep.log",
    "root.txt",
    "s/root.txt",
    "dir/f",
    "s/dir/f",
    "s/dirx",
    "a/z",
    "a/b/c/z",
    "q/deep",
    "x/y",
    "x/w",
    "sp ace",
    "a.c",
    "c.c",
    "q.h",
    "qq.h",
    "foo/1/2",
    "#yes",
    "!bang",
    "no",
  ];
  const root = tree({ ".gitignore": patterns.join("\n"), ...Object.fromEntries(names.map((name) => [name, ""])) });
  execFileSync("git", ["init", "-q", root]);
  const listed = execFileSync(
    "git",
    ["-C", root, "-c", "core.quotePath=false", "ls-files", "-co", "--exclude-standard"],
    { encoding: "utf8" },
  );
  const ours = (await walked(root)).filter((line) => !line.endsWith(")"));
  expect(ours).toEqual(
    listed
      .split("\n")
      .filter((line) => line !== "" && line !== ".gitignore")
      .sort(),
  );
});

test("I6: odd names are found, read and keep their spelling", async () => {
  const root = tree({});
  const names = [
    "new\nline.ts",
    "-rf",
    "..foo",
    "😀.ts",
    "\u00e9.ts",
    "e\u0301.ts",
    "Case.ts",
    "case.ts",
    "back\\slash",
    " space ",
    `${"n".repeat(250)}.ts`,
  ];
  for (const name of names) writeFileSync(join(root, name), name);
  const raw = Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0x6c, 0xe9, 0xff, 0x2e, 0x74, 0x73])]);
  writeFileSync(raw, "raw");
  const found = await walked(root, { hidden: true });
  expect(found).toEqual([...names, "l\\xe9\\xff.ts"].sort());
  for (const path of found) {
    const result = await files.read(root, path, 1000);
    expect(result.ok && Buffer.from(result.bytes).toString()).toBe(path.startsWith("l\\x") ? "raw" : path);
    expect(await files.stamp(root, path)).toBe(result.ok && result.stamp);
  }
});

test("I7: nothing is followed, nothing blocks, nothing outside is read", async () => {
  const outside = tree({ "secret.ts": "no" });
  const root = tree({ "a.ts": "x", "d/b.ts": "" });
  symlinkSync(root, join(root, "d/loop"));
  symlinkSync("nowhere", join(root, "broken"));
  symlinkSync(join(outside, "secret.ts"), join(root, "out.ts"));
  symlinkSync("/proc", join(root, "proc"));
  linkSync(join(root, "a.ts"), join(root, "hard.ts"));
  execFileSync("mkfifo", [join(root, "fifo")]);
  const server = createServer().listen(join(root, "socket"));
  await new Promise((done) => server.once("listening", done));
  expect(await walked(root)).toEqual([
    "a.ts",
    "broken (symlink)",
    "d/b.ts",
    "d/loop (symlink)",
    "fifo (not_regular)",
    "hard.ts",
    "out.ts (symlink)",
    "proc (symlink)",
    "socket (not_regular)",
  ]);
  expect(await walked(root, { only: ["d/loop/a.ts", "proc/self"] })).toEqual(["d/loop (symlink)", "proc (symlink)"]);
  for (const [path, reason] of [
    ["fifo", "not_regular"],
    ["out.ts", "symlink"],
    ["broken", "symlink"],
    ["d", "gone"],
    ["none", "gone"],
  ] as const) {
    expect(await files.read(root, path, 1000)).toEqual({ ok: false, reason });
  }
  server.close();
});

test("I1: a huge file is refused without being read", async () => {
  const root = tree({ "big.bin": "" });
  truncateSync(join(root, "big.bin"), 2 ** 30);
  expect(await files.read(root, "big.bin", 1 << 20)).toEqual({ ok: false, reason: "too_large" });
});

test("I3: 2,000 levels are walked or listed", async () => {
  const root = tree({});
  // Longer paths than the system allows can only be made step by step.
  const script =
    "for (let i = 0; i < 2100; i++) { require('fs').mkdirSync('d'); process.chdir('d'); if (i % 500 === 0) require('fs').writeFileSync('f.ts', ''); }";
  execFileSync(process.execPath, ["-e", script], { cwd: root });
  const found = await walked(root);
  expect(found.filter((line) => line.endsWith("f.ts"))).toHaveLength(5 - (found.at(-1)?.includes("f.ts") ? 0 : 1));
  expect(found.some((line) => line.endsWith("(path_too_long)"))).toBe(true);
  execFileSync("rm", ["-rf", root]);
});

/** Root may read everything, so root steps down for a while. */
async function asNobody<T>(work: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return work();
  process.seteuid?.(65_534);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}

test("I8: what may not be read is listed, the rest is walked", async () => {
  const root = tree({ "a/x.ts": "", "b.ts": "", "c.ts": "" });
  chmodSync(root, 0o755);
  chmodSync(join(root, "a"), 0);
  chmodSync(join(root, "b.ts"), 0);
  expect(await asNobody(() => walked(root))).toEqual(["a/ (unreadable)", "b.ts", "c.ts"]);
  expect(await asNobody(() => files.read(root, "b.ts", 100))).toEqual({ ok: false, reason: "unreadable" });
  chmodSync(join(root, "a"), 0o700);
});

test("a root that is gone is no empty root", async () => {
  await expect(walked(join(tree({}), "gone"))).rejects.toMatchObject({ code: "workspace_not_allowed" });
});

test("a stamp changes with the file", async () => {
  const root = tree({ "a.ts": "1" });
  const before = await files.stamp(root, "a.ts");
  writeFileSync(join(root, "a.ts"), "22");
  expect(await files.stamp(root, "a.ts")).not.toBe(before);
  expect(await files.stamp(root, "b.ts")).toBeUndefined();
  expect(await files.realDirectory(join(root, "a.ts"))).toBeUndefined();
});

test("a repository inside a repository is not entered; a directory of repositories is walked through", async () => {
  const files = {
    "a.ts": "",
    "sub/b.ts": "",
    "sub/.git": "gitdir: elsewhere\n",
    "clone/c.ts": "",
    "clone/.git/HEAD": "",
    "stray/.git/x": "",
    "stray/d.ts": "",
  };
  const outer = tree({ ...files, ".git/HEAD": "ref: refs/heads/main\n" });
  expect(await walked(outer)).toEqual(["a.ts", "clone/ (other_repository)", "stray/d.ts", "sub/ (other_repository)"]);
  expect(await walked(outer, { only: ["sub/b.ts", "stray/d.ts"] })).toEqual(["stray/d.ts", "sub/ (other_repository)"]);
  expect(await walked(tree(files))).toEqual(["a.ts", "clone/c.ts", "stray/d.ts", "sub/b.ts"]);
});
