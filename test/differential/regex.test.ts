/** A sample of `bench/regex`: the same counts as ripgrep and as `git grep`, file by file, on this repository's own texts. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { expect, test } from "vitest";
import { ripgrepCounts } from "../../bench/regex/compare.ts";
import { type Case, PATTERNS } from "../../bench/regex/patterns.ts";
import { Pattern } from "../../src/regex/pattern.ts";
import { git, sandbox } from "../kit/sandbox.ts";

/** Samples of every language, and a file of what is awkward in a line. */
function corpus(root: string): string[] {
  const languages = join(import.meta.dirname, "../../src/languages");
  for (const language of readdirSync(languages)) {
    const from = join(languages, language);
    const samples = language.includes(".") ? [] : readdirSync(from).filter((name) => name.startsWith("sample."));
    for (const name of samples) {
      mkdirSync(join(root, language), { recursive: true });
      cpSync(join(from, name), join(root, language, name));
    }
  }
  writeFileSync(join(root, "awkward.txt"), AWKWARD);
  writeFileSync(join(root, "bom.txt"), "\ufeffTODO first\nlast without end");
  writeFileSync(join(root, "empty.txt"), "");
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
}

const AWKWARD = [
  "",
  "Straße STRASSE ẞ ſ K k Σσς é É e\u0301 İi ı ΐ ﬅ",
  "日本語 中文 한국어 Ελληνικά Кириллица עברית 😀👩‍💻 ½ ² ₿ → … “quoted” — \u00a0nbsp\u3000wide",
  "tab\tand\vand\fand  two  ",
  "crlf line\r",
  "\r",
  "a.b a|b $1 ^ \\d x[0] {} () ?. .* HTTP/1 Content-Type",
  `long ${"word ".repeat(60)}`,
  "0xDEADBEEF 2024-10-06 192.168.0.1 v1.2.3 user@example.com https://example.com/a-b",
  "}",
].join("\n");

function ourCounts(root: string, files: readonly string[], { pattern, flags = [] }: Case): Map<string, number> {
  const options = { ignoreCase: flags.includes("i"), wholeWords: flags.includes("w"), literal: flags.includes("F") };
  const compiled = new Pattern(pattern, options);
  const decoder = new TextDecoder();
  const counts = new Map<string, number>();
  for (const file of files) {
    const text = decoder.decode(readFileSync(join(root, file)));
    let count = 0;
    const next = compiled.linesOf(text);
    for (let at = next(0); at >= 0; count++) {
      const newline = text.indexOf("\n", at);
      at = newline < 0 ? -1 : next(newline + 1);
    }
    if (count > 0) counts.set(file, count);
  }
  return counts;
}

const sorted = (counts: ReadonlyMap<string, number>) => [...counts].sort(([a], [b]) => (a < b ? -1 : 1));

test(`${PATTERNS.length} patterns count as in ripgrep`, { timeout: 120_000 }, () => {
  using box = sandbox();
  const root = box.tree({});
  const files = corpus(root);
  expect(PATTERNS.length).toBeGreaterThanOrEqual(300);
  for (const one of PATTERNS) {
    const theirs = ripgrepCounts(rgPath, root, files, one);
    expect([one, sorted(ourCounts(root, files, one))]).toEqual([one, sorted(theirs)]);
  }
});

/** What POSIX extended expressions mean too. Not `^$`: git (2.39) counts an empty line after the last newline. */
const POSIX = ["TODO", "class", "return|import", "^import", ";$", "[0-9]+", "[A-Z][a-z]+", "(get|set)[A-Z]", "l{2,3}"];

test("patterns of both languages count as in git grep", () => {
  using box = sandbox();
  const root = box.tree({});
  const files = corpus(root);
  git(root, "init", "-q");
  git(root, "add", "-A");
  for (const pattern of POSIX) {
    const { stdout } = spawnSync("git", ["grep", "-z", "-c", "-E", "-e", pattern], { cwd: root, encoding: "utf8" });
    const theirs = new Map(stdout.split("\n").flatMap((line) => (line === "" ? [] : [pairOf(line)])));
    expect([pattern, sorted(ourCounts(root, files, { pattern }))]).toEqual([pattern, sorted(theirs)]);
  }
});

function pairOf(line: string): [string, number] {
  const [file, count] = line.split("\0");
  return [file!, Number(count)];
}
