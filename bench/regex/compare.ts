/** Runs the same patterns on the product and on ripgrep, over the same files: every file must have the same count. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Compass, Project, Reading } from "../../src/compass/compass.ts";
import type { Case } from "./patterns.ts";

export interface Difference {
  readonly pattern: string;
  readonly flags: string;
  readonly file: string;
  readonly ours: number;
  readonly theirs: number;
}

export interface Comparison {
  readonly files: number;
  /** Files in other encodings: we search their characters, ripgrep their bytes. */
  readonly otherEncodings: number;
  readonly patterns: number;
  readonly matches: number;
  readonly differences: readonly Difference[];
}

export async function compare(
  compass: Compass,
  project: Project,
  cases: readonly Case[],
  rg: string,
): Promise<Comparison> {
  return compass.read(project, { policy: "best_effort" }, async (reading) => {
    const all = [...(await countsOf(reading, { pattern: "^" })).keys()];
    const files = all.filter((file) => isUnicode(readFileSync(join(project.root, file))));
    const shared = new Set(files);
    const differences: Difference[] = [];
    let matches = 0;
    for (const one of cases) {
      const ours = await countsOf(reading, one);
      const theirs = ripgrepCounts(rg, project.root, files, one);
      for (const file of new Set([...ours.keys(), ...theirs.keys()])) {
        if (!shared.has(file)) continue;
        const [mine, other] = [ours.get(file) ?? 0, theirs.get(file) ?? 0];
        matches += mine;
        if (mine === other) continue;
        differences.push({ pattern: one.pattern, flags: (one.flags ?? []).join(""), file, ours: mine, theirs: other });
      }
    }
    const otherEncodings = all.length - files.length;
    return { files: files.length, otherEncodings, patterns: cases.length, matches, differences };
  });
}

export async function countsOf(reading: Reading, { pattern, flags = [] }: Case): Promise<Map<string, number>> {
  const options = { ignoreCase: flags.includes("i"), wholeWords: flags.includes("w"), literal: flags.includes("F") };
  const answer = await reading.grep({ pattern, ...options, before: 0, after: 0, offset: 0, limit: 0 });
  return new Map(answer.files.map(({ path, lines }) => [path, lines]));
}

/** Below the system's limit for arguments. */
const ARGUMENT_BYTES = 1_000_000;

export function ripgrepCounts(rg: string, root: string, files: readonly string[], one: Case): Map<string, number> {
  const counts = new Map<string, number>();
  const flags = (one.flags ?? []).map((flag) => `-${flag}`);
  for (const batch of batches(files)) {
    const args = ["--no-config", "--color=never", "-c", "-H", "--null", ...flags, "-e", one.pattern, "--", ...batch];
    const { stdout, stderr, status } = spawnSync(rg, args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 });
    if (status === 2 || status === null) throw new Error(`ripgrep refused ${one.pattern}: ${stderr}`);
    for (const line of stdout.split("\n")) {
      const [file, count] = line.split("\0");
      if (count !== undefined) counts.set(file!, Number(count));
    }
  }
  return counts;
}

function batches(files: readonly string[]): string[][] {
  const all: string[][] = [[]];
  let size = 0;
  for (const file of files) {
    size += Buffer.byteLength(file) + 1;
    if (size > ARGUMENT_BYTES) {
      all.push([]);
      size = 0;
    }
    all.at(-1)!.push(file);
  }
  return all.filter((batch) => batch.length > 0);
}

function isUnicode(bytes: Uint8Array): boolean {
  const wide = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return wide;
  }
}
