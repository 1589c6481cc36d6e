/**
 * What a question about one repository costs when the store holds much more beside it: the same questions, each asked for
 * the first time, in turns in a store that holds the trees alone and in one that holds others, too.
 *
 *   node bench/postgres-growth.ts --small URL --large URL [--rounds N] TREE...
 *
 * One after the other the two cannot be compared: the machine is not the same from one minute to the next, and a p95 of
 * some hundred questions is the luck of the slowest fifteen.
 */
import { globSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Compass, Project } from "../src/compass/compass.ts";
import { openCompass } from "../src/compose/compose.ts";
import { DEFAULTS } from "../src/config/schema.ts";
import { questionsOf } from "../test/kit/engines.ts";

const QUESTIONS = 60;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { small: { type: "string" }, large: { type: "string" }, rounds: { type: "string", default: "4" } },
});
const trees = positionals.map((path) => resolve(path));
const texts = new Map(trees.map((tree) => [tree, someTexts(tree)]));
const home = await mkdtemp(join(tmpdir(), "codecompass-growth-"));
const stores = await Promise.all([opened("small", values.small!), opened("large", values.large!)]);
try {
  for (let round = 1; round <= Number(values.rounds); round++) await asked(round);
  report("first in a tree", (store) => store.first);
  report("after that", (store) => store.later);
} finally {
  await Promise.all(stores.map(({ compass }) => compass.close()));
  await rm(home, { recursive: true, force: true });
}

interface Opened {
  readonly compass: Compass;
  readonly projects: readonly Project[];
  readonly first: number[];
  readonly later: number[];
}

async function opened(name: string, store: string): Promise<Opened> {
  const settings = { ...DEFAULTS, store, "server.warmset": 64 };
  const compass = await openCompass({ home: join(home, name), workspaces: trees, settings, watch: true });
  const projects = await Promise.all(trees.map((tree) => compass.project(tree)));
  return { compass, projects, first: [], later: [] };
}

/** Other questions in every round; who is asked first changes with each. */
async function asked(round: number): Promise<void> {
  const questions = trees.map((tree) => questionsOf(texts.get(tree)!, QUESTIONS, round));
  for (let at = 0; at < QUESTIONS; at++)
    for (const [tree, some] of questions.entries())
      for (const store of (at + tree) % 2 === 0 ? stores : stores.toReversed()) {
        const times = round === 1 && at === 0 ? store.first : store.later;
        times.push(await timeOf(store, tree, some[at]!));
      }
}

async function timeOf({ compass, projects }: Opened, tree: number, query: string): Promise<number> {
  const started = performance.now();
  await compass.read(projects[tree]!, { policy: "best_effort" }, async (reading) => {
    if (reading.standing.schema !== "compatible") throw new Error(`${trees[tree]} is not in the store`);
    await reading.search({ query, limit: 10 });
  });
  return performance.now() - started;
}

function report(what: string, timesOf: (store: Opened) => readonly number[]): void {
  const [small, large] = stores.map((store) => timesOf(store).toSorted((a, b) => a - b));
  for (const part of [0.5, 0.95]) {
    const [one, other] = [share(small!, part), share(large!, part)];
    const ratio = `× ${(other / one).toFixed(2)}`;
    console.log(
      `| ${what}, p${part * 100} | ${small!.length} | ${one.toFixed(1)} → ${other.toFixed(1)} ms | ${ratio} |`,
    );
  }
}

function share(sorted: readonly number[], part: number): number {
  return sorted[Math.floor(part * (sorted.length - 1))]!;
}

function someTexts(root: string): string[] {
  const found = globSync("**/*.{ts,js,py,rs,go,java,c,h,cc,rb,php,cs,kt,swift}", { cwd: root }).sort();
  const step = Math.max(1, Math.floor(found.length / 300));
  return found.filter((_, at) => at % step === 0).map((path) => readFileSync(join(root, path), "utf8"));
}
