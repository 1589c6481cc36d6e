/** A sample of `bench/regex`: the same counts as ripgrep and `git grep`, file by file, on this repository's own texts. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { expect, test } from "vitest";
import { ripgrepCounts } from "../../bench/regex/compare.ts";
import { type Case, PATTERNS } from "../../bench/regex/patterns.ts";
import type { CompassError } from "../../src/model/errors.ts";
import { Pattern } from "../../src/regex/pattern.ts";
import { prng } from "../kit/prng.ts";
import { git, sandbox } from "../kit/sandbox.ts";

/** Samples of every language, and a file of awkward lines. */
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
    const next = compiled.lineFinder(text);
    for (let at = next(0); at >= 0; count++) {
      const newline = text.indexOf("\n", at);
      at = newline < 0 ? -1 : next(newline + 1);
    }
    if (count > 0) counts.set(file, count);
  }
  return counts;
}

const sorted = (counts: ReadonlyMap<string, number>) => [...counts].sort(([a], [b]) => (a < b ? -1 : 1));

test(`${PATTERNS.length} patterns give ripgrep's counts`, { timeout: 120_000 }, () => {
  using box = sandbox();
  const root = box.tree({});
  const files = corpus(root);
  expect(PATTERNS.length).toBeGreaterThanOrEqual(300);
  for (const one of PATTERNS) {
    const theirs = ripgrepCounts(rgPath, root, files, one);
    expect([one, sorted(ourCounts(root, files, one))]).toEqual([one, sorted(theirs)]);
  }
});

const LONG = process.env.CODECOMPASS_LONG === "1";
const RANDOM_PATTERNS = LONG ? 5_000 : 120;

/** Flags for the whole pattern, or for a group of it. */
const FLAGS = ["", "(?i)", "(?-u)", "(?i-u)", "(?s-u)", "(?i-s)", "(?R-u)"];
const GROUPS = ["(?:", "(?-u:", "(?i-u:", "(?i:", "(?u:", "("];
const ATOMS = [
  ...[
    "\\W",
    "\\S",
    "\\D",
    "\\w",
    "\\s",
    "\\d",
    ".",
    "[^x]",
    "[^k]",
    "[^sS]",
    "[\\W]",
    "[^\\w]",
    "[^\\W\\d]",
    "[\\S&&[^s]]",
  ],
  ...[
    "[a-k]",
    "[^a-k]",
    "[[:alpha:]]",
    "[[:^alpha:]]",
    "[^[:space:]]",
    "[\\w--[k-s]]",
    "[^a~~[b-z]]",
    "[^\\x00-\\x7f]",
  ],
  ...["k", "s", "K", "S", "x", " ", "é", "ſ", "\u212a", "\\x6b", "\\x{e9}", "[ké]", "[^é]", "[ſ-ƃ]"],
];
const ANCHORS = ["^", "$", "\\b", "\\B", "(?-u:\\b)", "(?-u:\\B)"];
const QUANTIFIERS = ["", "", "", "", "*", "+", "?", "{2}", "{3}", "{1,2}", "{2,}"];
const SIGNS = [..."kKsSxX19_- \t→éÉſ\u212aßẞ日😀", "fo", "ſK", "é日"];

function randomPattern(random: () => number): string {
  const pick = (list: readonly string[]) => list[Math.floor(random() * list.length)]!;
  const piece = () => (random() < 0.15 ? pick(ANCHORS) : pick(ATOMS) + pick(QUANTIFIERS));
  const row = () => Array.from({ length: 1 + Math.floor(random() * 3) }, piece).join("");
  const part = () =>
    random() < 0.3 ? `${pick(GROUPS)}${row()}${random() < 0.3 ? `|${row()}` : ""})${pick(QUANTIFIERS)}` : row();
  return pick(FLAGS) + Array.from({ length: 1 + Math.floor(random() * 2) }, part).join("");
}

function randomLines(random: () => number): string[] {
  const sign = () => SIGNS[Math.floor(random() * SIGNS.length)]!;
  return Array.from({ length: 120 }, () => Array.from({ length: Math.floor(random() * 5) }, sign).join(""));
}

/** The numbers of the matching lines, or undefined if the pattern is rejected. */
function ourLines(lines: readonly string[], pattern: string): number[] | "refused" | "not supported" {
  try {
    const compiled = new Pattern(pattern);
    return lines.flatMap((line, at) => (compiled.first(`${line}\n`) === 0 ? [at + 1] : []));
  } catch (error) {
    return String((error as CompassError).data.reason).includes("a class of bytes") ? "not supported" : "refused";
  }
}

test(`${RANDOM_PATTERNS} random patterns with flags and classes match the same lines as ripgrep`, {
  timeout: 600_000,
}, () => {
  using box = sandbox();
  const root = box.tree({});
  const random = prng(20_262);
  const lines = randomLines(random);
  writeFileSync(join(root, "lines.txt"), `${lines.join("\n")}\n`);
  let matched = 0;
  let unsupported = 0;
  for (let round = 0; round < RANDOM_PATTERNS; round++) {
    const pattern = randomPattern(random);
    const ours = ourLines(lines, pattern);
    if (ours === "not supported") unsupported++;
    if (ours === "not supported") continue;
    const args = ["--no-config", "--color=never", "-n", "-a", "-e", pattern, "lines.txt"];
    const { stdout, status } = spawnSync(rgPath, args, { cwd: root, encoding: "utf8" });
    const theirs = status === 2 ? "refused" : Array.from(stdout.matchAll(/^(\d+):/gm), ([, line]) => Number(line));
    expect([pattern, ours]).toEqual([pattern, theirs]);
    if (theirs.length > 0) matched++;
  }
  expect(matched).toBeGreaterThan(RANDOM_PATTERNS / 2);
  expect(unsupported).toBeLessThan(RANDOM_PATTERNS / 4);
});

/** Not `\\A`, which ripgrep 15 also finds behind each match. */
const ACROSS = ["\\n", "\\s", "\\w", ".", "^", "$", "\\b", "[^k]", "[\\n s]", "(?s:.)", "\\z", "\\r?\\n", "(?R:$)"];

test("random patterns across lines find ripgrep's lines", () => {
  using box = sandbox();
  const root = box.tree({});
  const random = prng(39);
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)]!;
  const piece = () => (random() < 0.4 ? pick(ATOMS) : pick(ACROSS));
  const row = () =>
    Array.from({ length: 1 + Math.floor(random() * 4) }, () => piece() + pick(["", "", "+", "*?", "{2}"]));
  let matched = 0;
  for (let round = 0; round < 60; round++) {
    const pattern = row()
      .join("")
      .replace(/(\^|\$|\\[bAz]|\))[+*{][?2}]*/g, "$1");
    const text = Array.from({ length: 40 }, () => pick([...SIGNS, "\n", "\n", "\r\n", "k", " "])).join("");
    writeFileSync(join(root, "text.txt"), text);
    const wholeWords = round % 5 === 0;
    const args = ["--no-config", "--color=never", "-nUa", ...(wholeWords ? ["-w"] : []), "-e", pattern, "text.txt"];
    const { stdout, status } = spawnSync(rgPath, args, { cwd: root, encoding: "utf8" });
    expect([pattern, status]).not.toEqual([pattern, 2]);
    const theirs = Array.from(stdout.matchAll(/^(\d+):/gm), ([, line]) => Number(line));
    const next = new Pattern(pattern, { multiline: true, wholeWords }).lineFinder(text);
    const ours: number[] = [];
    for (let at = next(0); at >= 0; at = next(`${text}\n`.indexOf("\n", at) + 1))
      ours.push(text.slice(0, at).split("\n").length);
    expect(JSON.stringify([pattern, text, ours])).toBe(JSON.stringify([pattern, text, theirs]));
    if (theirs.length > 0) matched++;
  }
  expect(matched).toBeGreaterThan(15);
});

/** Patterns with the same meaning in POSIX extended syntax. Not `^$`: git (2.39) counts an empty line after the last newline. */
const POSIX = ["TODO", "class", "return|import", "^import", ";$", "[0-9]+", "[A-Z][a-z]+", "(get|set)[A-Z]", "l{2,3}"];

test("patterns of both syntaxes give git grep's counts", () => {
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
