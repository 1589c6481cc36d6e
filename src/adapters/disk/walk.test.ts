/** What a walk lists, and by which rules: built-in ones, ignore files, what the caller asks for. */
import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tree, walkPaths } from "../../../test/kit/walk-paths.ts";
import type { WalkOptions } from "../../ports/files.ts";

const check = (
  name: string,
  contents: Record<string, string | null>,
  expected: string[],
  at = "",
  options: WalkOptions = {},
) => test(name, async () => expect(await walkPaths(join(tree(contents), at), options)).toEqual(expected));

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

// Git sets core.ignorecase where the file system does not tell names apart by case.
test.each(["false", "true"])("agrees with git about a table of patterns: core.ignorecase=%s", async (ignorecase) => {
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
    "build/",
    "Thumbs.db",
    "*.TMP",
    "[F-G]ile",
    "/Top/*",
    "!/top/kept",
  ];
  const names = [
    "t.log",
    "UPPER.LOG",
    "s/KEEP.log",
    "s/Build/f",
    "thumbs.DB",
    "s/a.tmp",
    "file",
    "top/left",
    "top/kept",
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
  execFileSync("git", ["-C", root, "config", "core.ignorecase", ignorecase]);
  const listed = execFileSync(
    "git",
    ["-C", root, "-c", "core.quotePath=false", "ls-files", "-co", "--exclude-standard"],
    { encoding: "utf8" },
  );
  const ours = (await walkPaths(root)).filter((line) => !line.endsWith(")"));
  expect(ours).toEqual(
    listed
      .split("\n")
      .filter((line) => line !== "" && line !== ".gitignore")
      .sort(),
  );
});

const TRACKED = {
  ".gitignore": "package.json\ndist/\n.keep\n",
  ".codecompassignore": "secret/\n",
  "package.json": "",
  "dist/tracked.js": "",
  "dist/deep/tracked.js": "",
  "dist/deep/built.js": "",
  "dist/built/b.js": "",
  "secret/package.json": "",
  "node_modules/package.json": "",
  ".keep": "",
};
const TRACKED_PATHS = ["package.json", "dist/tracked.js", "dist/deep/tracked.js", "secret", "node_modules", ".keep"];

for (const version of [2, 4])
  test(`a .gitignore does not apply to what git tracks: index version ${version}`, async () => {
    const root = tree({ ...TRACKED, "sub/package.json": "", "other/package.json": "" });
    execFileSync("git", ["init", "-q", root]);
    const add = ["add", "-f", ...TRACKED_PATHS, "sub/package.json"];
    execFileSync("git", ["-C", root, "-c", `index.version=${version}`, ...add]);
    expect(await walkPaths(root)).toEqual([
      ".codecompassignore (hidden)",
      ".gitignore (hidden)",
      ".keep (hidden)",
      "dist/built/ (ignored)",
      "dist/deep/built.js (ignored)",
      "dist/deep/tracked.js",
      "dist/tracked.js",
      "node_modules/ (ignored)",
      "other/package.json (ignored)",
      "package.json",
      "secret/ (ignored)",
      "sub/package.json",
    ]);
    expect(await walkPaths(join(root, "sub"))).toEqual(["package.json"]);
    expect(await walkPaths(root, { only: ["dist/deep/built.js", "dist/deep/tracked.js"] })).toEqual([
      "dist/deep/built.js (ignored)",
      "dist/deep/tracked.js",
    ]);
  });

test("a damaged, split or missing index names no file", async () => {
  for (const damage of [(at: string) => writeFileSync(at, "DIRC"), (at: string) => rmSync(at)]) {
    const root = tree({ ".gitignore": "*.log\n", "a.log": "" });
    execFileSync("git", ["init", "-q", root]);
    execFileSync("git", ["-C", root, "add", "-f", "a.log"]);
    damage(join(root, ".git/index"));
    expect(await walkPaths(root)).toEqual([".gitignore (hidden)", "a.log (ignored)"]);
  }
  const root = tree({ ".gitignore": "*.log\n", "a.log": "" });
  execFileSync("git", ["init", "-q", root]);
  execFileSync("git", ["-C", root, "add", "-f", "a.log"]);
  execFileSync("git", ["-C", root, "update-index", "--split-index"]);
  expect(await walkPaths(root)).toEqual([".gitignore (hidden)", "a.log (ignored)"]);
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
  expect(await walkPaths(outer)).toEqual([
    "a.ts",
    "clone/ (other_repository)",
    "stray/d.ts",
    "sub/ (other_repository)",
  ]);
  expect(await walkPaths(outer, { only: ["sub/b.ts", "stray/d.ts"] })).toEqual([
    "stray/d.ts",
    "sub/ (other_repository)",
  ]);
  expect(await walkPaths(tree(files))).toEqual(["a.ts", "clone/c.ts", "stray/d.ts", "sub/b.ts"]);
});
