/**
 * Runs the same patterns on the product and on `git grep`, in a clone with history: 500 patterns with the same meaning in
 * both, from the list for ripgrep and from the words of the repository itself.
 */
import { isUtf8 } from "node:buffer";
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Compass, Project } from "../../src/compass/compass.ts";
import { type Comparison, countsOf, type Difference } from "./compare.ts";
import { type Case, PATTERNS } from "./patterns.ts";

const WANTED = 500;

export async function compareWithGit(compass: Compass, project: Project): Promise<Comparison> {
  return compass.read(project, { policy: "best_effort" }, async (reading) => {
    const tracked = new Set(listed(project.root));
    const all = [...(await countsOf(reading, { pattern: "^" })).keys()].filter((file) => tracked.has(file));
    const bytes = new Map(all.map((file) => [file, readFileSync(join(project.root, file))]));
    // ripgrep decodes UTF-16 as we do; git does not.
    const files = new Set(all.filter((file) => isUtf8(bytes.get(file)!)));
    const texts = [...files].map((file) => bytes.get(file)!.toString("utf8"));
    const shared = PATTERNS.filter((one) => meansTheSame(one) && gitCounts(project.root, one) !== undefined);
    const cases = [...shared, ...wordsOf(texts, WANTED - shared.length)];
    const differences: Difference[] = [];
    let matches = 0;
    for (const one of cases) {
      const ours = await countsOf(reading, one);
      const theirs = gitCounts(project.root, one) ?? new Map<string, number>();
      for (const file of files) {
        const [mine, other] = [ours.get(file) ?? 0, theirs.get(file) ?? 0];
        matches += mine;
        const flags = (one.flags ?? []).join("");
        if (mine !== other) differences.push({ pattern: one.pattern, flags, file, ours: mine, theirs: other });
      }
    }
    const otherEncodings = all.length - files.size;
    return { files: files.size, otherEncodings, patterns: cases.length, matches, differences };
  });
}

/** POSIX has no letter classes, nested classes, `(?` groups or lazy repetition; git 2.39 counts an empty line after the last newline. */
const OURS_ALONE =
  /\\[^.*+?()[\]{}|^$/-]|\(\?|[*+?}]\?|[*+?}][*+?{]|\[[^\]]*[\\[]|\[\^?\]|&&|--|~~|\|\||\|$|^\||\(\||\|\)|\^\$|\(\)/;

function meansTheSame({ pattern, flags = [] }: Case): boolean {
  // For git, a word ends at "ú": it knows ASCII letters only.
  if (flags.includes("w")) return false;
  // Case folding beyond ASCII depends on the C library there; a lone anchor matches git's empty last line.
  if (!/^[ -~]*$/.test(pattern) || pattern.includes("[:") || /^[\^$]$/.test(pattern)) return false;
  return flags.includes("F") || (!OURS_ALONE.test(pattern) && canBeEmpty(pattern) === false);
}

/** A pattern that can match the empty string matches the line that git adds at the end. */
function canBeEmpty(pattern: string): boolean {
  return new RegExp(pattern).test("");
}

function wordsOf(texts: readonly string[], count: number): Case[] {
  const words = [...new Set(texts.flatMap((text) => text.match(/\b[A-Za-z_]\w{3,30}\b/g) ?? []))].sort();
  const flags: Case["flags"][] = [["F"], ["F", "i"], []];
  return Array.from({ length: Math.min(count, words.length) }, (_, i) => {
    const chosen = flags[i % flags.length];
    return { pattern: words[Math.floor((i * words.length) / count)]!, ...(chosen && { flags: chosen }) };
  });
}

function listed(root: string): string[] {
  return execFileSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 }).split("\0");
}

/** Undefined if git cannot parse the pattern. */
function gitCounts(root: string, { pattern, flags = [] }: Case): Map<string, number> | undefined {
  const switches = flags.includes("F") ? flags.map((flag) => `-${flag}`) : ["-E", ...flags.map((flag) => `-${flag}`)];
  const { stdout, status } = spawnSync("git", ["grep", "-a", "-z", "-c", ...switches, "-e", pattern], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 1 << 28,
    env: { ...process.env, LC_ALL: "C.UTF-8" },
  });
  if (status !== 0 && status !== 1) return undefined;
  const lines = stdout.split("\n").filter((line) => line !== "");
  return new Map(lines.map((line) => line.split("\0")).map(([file, count]) => [file!, Number(count)]));
}
