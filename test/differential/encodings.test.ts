/**
 * Files of mixed encodings, compared with ripgrep. A line of valid UTF-8 matches exactly where ripgrep says. Any other line
 * is searched by its characters, so it may match more; every match of ripgrep must still be found.
 */
import { isUtf8 } from "node:buffer";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { expect, test } from "vitest";
import { Pattern } from "../../src/regex/pattern.ts";
import { decode } from "../../src/text/decode.ts";
import { prng } from "../kit/prng.ts";
import { sandbox } from "../kit/sandbox.ts";

const utf8 = (text: string) => Buffer.from(text, "utf8");
const latin1 = (text: string) => Buffer.from(text, "latin1");

const WORDS: readonly Buffer[] = [
  ...["foo", "bar", "x1", " ", "; ", "return", "TODO"].map(utf8),
  ...["café", "naïve", "grün", "→", "日本語", "😀", "Кит", "“q”"].map(utf8),
  ...["caf\xe9", "na\xefve", "gr\xfcn", "\x93q\x94", "\xe0", "\xa9", "\xc3", "\xff"].map(latin1),
  // Sequences that are truncated, overlong, or encode a surrogate.
  ...[[0xe2, 0x82], [0xf0, 0x9f, 0x98], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0x80], [0xbf, 0xbf]].map((bytes) =>
    Buffer.from(bytes),
  ),
];
/** The composition of a file: shares of plain, UTF-8 and other words. */
const MIXES = [
  [8, 8, 1, 0],
  [8, 2, 6, 0],
  [8, 1, 6, 2],
  [4, 4, 4, 4],
  [9, 1, 9, 0],
] as const;
const KINDS = [WORDS.slice(0, 7), WORDS.slice(7, 15), WORDS.slice(15, 23), WORDS.slice(23)] as const;

/** Without word boundaries: whether an undecodable byte is part of a word depends on its character. */
const PATTERNS = [
  ...["foo", "café", "naïve", "(?i)GRÜN", "→", "日本", "😀", "[а-я]+", "“q”", "caf.", "^foo", "bar$", "TODO.*foo"],
  ...["é", "ï", "[^a-z ]", "\\p{Han}", "\\w+\\s\\w+", "fo+;", "^.*é", "(?-u)[a-z]+1", "caf(é|e)", "^[a-z0-9 ;]+$"],
];

const LONG = process.env.CODECOMPASS_LONG === "1";
const FILES = LONG ? 2_000 : 60;
const LINES = 30;

function fileOf(random: () => number): Buffer {
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)]!;
  const mix = pick(MIXES).flatMap((share, kind) => Array.from({ length: share }, () => KINDS[kind]!));
  const line = () => Buffer.concat(Array.from({ length: Math.floor(random() * 6) }, () => pick(pick(mix))));
  const lines = Array.from({ length: LINES }, () => Buffer.concat([line(), utf8("\n")]));
  // The first line is ASCII: two odd bytes at the start would be a UTF-16 byte order mark.
  return Buffer.concat([utf8("first\n"), ...lines]);
}

function linesOf(bytes: Buffer): boolean[] {
  return bytes
    .toString("latin1")
    .split("\n")
    .map((line) => isUtf8(latin1(line)));
}

function ours(text: string, source: string): Set<number> {
  const pattern = new Pattern(source);
  return new Set(text.split("\n").flatMap((line, at) => (pattern.first(`${line}\n`) === 0 ? [at + 1] : [])));
}

/** The numbers of the matching lines, by file. */
function theirs(root: string, source: string): Map<string, Set<number>> {
  const args = ["--no-config", "--color=never", "-n", "-o", "-H", "--null", "-e", source, "."];
  const { stdout, status, stderr } = spawnSync(rgPath, args, { cwd: root, encoding: "latin1", maxBuffer: 1 << 28 });
  if (status === 2 || status === null) throw new Error(`ripgrep refused ${source}: ${stderr}`);
  const found = new Map<string, Set<number>>();
  for (const [, file, line] of stdout.matchAll(/^\.\/(f\d+)\0(\d+):/gm))
    found.set(file!, (found.get(file!) ?? new Set()).add(Number(line)));
  return found;
}

test(`${PATTERNS.length} patterns in ${FILES} files of mixed encodings`, { timeout: 600_000 }, () => {
  using box = sandbox();
  const root = box.tree({});
  const random = prng(20_261);
  const files = Array.from({ length: FILES }, (_, at) => {
    const bytes = fileOf(random);
    writeFileSync(join(root, `f${at}`), bytes);
    return { name: `f${at}`, valid: linesOf(bytes), text: decode(bytes)!.text };
  });
  const differences: string[] = [];
  let matches = 0;
  for (const source of PATTERNS) {
    const rg = theirs(root, source);
    for (const { name, valid, text } of files) {
      const [mine, other] = [ours(text, source), rg.get(name) ?? new Set<number>()];
      matches += other.size;
      for (const line of other) if (!mine.has(line)) differences.push(`${source} ${name}:${line} is missed`);
      for (const line of mine)
        if (!other.has(line) && valid[line - 1]) differences.push(`${source} ${name}:${line} is not a match`);
    }
  }
  expect(matches).toBeGreaterThan(FILES * 20);
  expect(differences).toEqual([]);
});
