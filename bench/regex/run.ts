/**
 * Compares regex_search with ripgrep: the same counts on every repository of a folder, and the time of both in one run.
 *
 *   node bench/regex/run.ts --suite DIR [--only NAME] [--part 1/6]   differential test, one line per repository
 *   node bench/regex/run.ts --git DIR [--git DIR]                    the same against git grep, 500 patterns per clone
 *   node bench/regex/run.ts --speed DIR                              speed on one repository
 *   node bench/regex/run.ts --evil DIR                               hostile patterns, and another client's queries
 *
 * --part runs only the first sixth of the patterns, for large repositories. --home DIR keeps the indexes there
 * for the next run.
 */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { rgPath } from "@vscode/ripgrep";
import type { Compass, Project } from "../../src/compass/compass.ts";
import { openCompass } from "../../src/compose/compose.ts";
import { loadConfig } from "../../src/config/load.ts";
import { type Comparison, compare } from "./compare.ts";
import { evil } from "./evil.ts";
import { compareWithGit } from "./git.ts";
import { PATTERNS } from "./patterns.ts";
import { speed } from "./speed.ts";

const { values } = parseArgs({
  options: {
    rg: { type: "string", default: rgPath },
    suite: { type: "string" },
    only: { type: "string" },
    part: { type: "string", default: "1/1" },
    git: { type: "string", multiple: true },
    speed: { type: "string" },
    evil: { type: "string" },
    home: { type: "string" },
  },
});

const home = values.home ?? mkdtempSync(join(tmpdir(), "codecompass-regex-"));
try {
  if (values.suite !== undefined) await differential(values.suite, values.only);
  for (const clone of values.git ?? []) {
    await withProject(clone, async (compass, project) => report(clone, await compareWithGit(compass, project)));
  }
  if (values.evil !== undefined) for (const line of await evil(values.evil)) console.log(line);
  if (values.speed !== undefined) {
    await withProject(values.speed, async (compass, project) => {
      for (const line of await speed(compass, project, values.rg)) console.log(line);
    });
  }
} finally {
  if (values.home === undefined) rmSync(home, { recursive: true, force: true });
}

async function differential(suite: string, only: string | undefined): Promise<void> {
  for (const name of readdirSync(suite).filter((one) => only === undefined || one === only)) {
    await withProject(join(suite, name), async (compass, project) => {
      report(name, await compare(compass, project, partOf(PATTERNS), values.rg));
    });
  }
}

function report(name: string, { files, otherEncodings, patterns, matches, differences }: Comparison): void {
  if (differences.length > 0) process.exitCode = 1;
  console.log(`${name}: ${files} files, ${patterns} patterns, ${matches} matching lines, ${differences.length} differ`);
  if (otherEncodings > 0) console.log(`  ${otherEncodings} files in other encodings were not compared`);
  for (const one of differences.slice(0, 10)) console.log(`  ${JSON.stringify(one)}`);
}

function partOf<T>(all: readonly T[]): readonly T[] {
  const [part, parts] = values.part.split("/").map(Number) as [number, number];
  const edge = (at: number) => Math.round((all.length * at) / parts);
  return all.slice(edge(part - 1), edge(part));
}

async function withProject(root: string, use: (compass: Compass, project: Project) => Promise<void>): Promise<void> {
  const { config } = loadConfig({ workspace: root, env: {}, flags: {} });
  const compass = await openCompass({ home, workspaces: [root], settings: config, watch: false });
  try {
    const project = await compass.register(root);
    await compass.freshen(project, {});
    await use(compass, project);
  } finally {
    await compass.close();
  }
}
