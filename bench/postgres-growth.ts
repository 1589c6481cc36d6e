/**
 * Measures queries about one repository in a store that contains many others: the same queries, each for the first time,
 * alternating between a store with only these trees and a larger one.
 *
 *   node bench/postgres-growth.ts --small URL --large URL [--openings N] [--rounds N] TREE...
 *
 * They cannot be measured one after the other: the machine varies from one minute to the next, and a p95 of some hundred
 * queries depends on the slowest fifteen.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Compass, Project } from "../src/compass/compass.ts";
import { openCompass } from "../src/compose/compose.ts";
import { DEFAULTS } from "../src/config/schema.ts";
import { randomQueries } from "../test/kit/indexed-engines.ts";
import { textsOf } from "./texts.ts";

const QUESTIONS = 60;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    small: { type: "string" },
    large: { type: "string" },
    openings: { type: "string", default: "10" },
    rounds: { type: "string", default: "4" },
  },
});
const trees = positionals.map((path) => resolve(path));
const texts = new Map(trees.map((tree) => [tree, textsOf(tree)]));
const home = await mkdtemp(join(tmpdir(), "codecompass-growth-"));
const times = { small: timesOf(), large: timesOf() };
try {
  // A new server per opening: the cost of its first query in each tree.
  for (let opening = 1; opening <= Number(values.openings); opening++)
    await withBoth((stores) => asked(stores, { round: 100 + opening, count: 1 }, "first"));
  await withBoth(async (stores) => {
    await asked(stores, { round: 0, count: 1 }, "unmeasured");
    for (let round = 1; round <= Number(values.rounds); round++)
      await asked(stores, { round, count: QUESTIONS }, "later");
  });
  report("first in a tree", "first");
  report("after that", "later");
} finally {
  await rm(home, { recursive: true, force: true });
}

interface Opened {
  readonly name: keyof typeof times;
  readonly compass: Compass;
  readonly projects: readonly Project[];
}

function timesOf(): Record<"first" | "later" | "unmeasured", number[]> {
  return { first: [], later: [], unmeasured: [] };
}

async function withBoth(use: (stores: readonly Opened[]) => Promise<void>): Promise<void> {
  const stores = await Promise.all([opened("small", values.small!), opened("large", values.large!)]);
  try {
    await use(stores);
  } finally {
    await Promise.all(stores.map(({ compass }) => compass.close()));
  }
}

async function opened(name: Opened["name"], store: string): Promise<Opened> {
  const settings = { ...DEFAULTS, store, "server.warmset": 64 };
  const compass = await openCompass({ home: join(home, name), workspaces: trees, settings, watch: true });
  const projects = await Promise.all(trees.map((tree) => compass.project(tree)));
  return { name, compass, projects };
}

/** Different queries in every round; the order of the two stores alternates with each round and tree. */
async function asked(
  stores: readonly Opened[],
  { round, count }: { readonly round: number; readonly count: number },
  kind: keyof typeof times.small,
): Promise<void> {
  const questions = trees.map((tree) => randomQueries(texts.get(tree)!, count, round));
  for (let at = 0; at < count; at++)
    for (const [tree, some] of questions.entries())
      for (const store of (round + at + tree) % 2 === 0 ? stores : stores.toReversed())
        times[store.name][kind].push(await timeOf(store, tree, some[at]!));
}

async function timeOf({ compass, projects }: Opened, tree: number, query: string): Promise<number> {
  const started = performance.now();
  await compass.read(projects[tree]!, { policy: "best_effort" }, async (reading) => {
    if (reading.status.schema !== "compatible") throw new Error(`${trees[tree]} is not in the store`);
    await reading.search({ query, limit: 10 });
  });
  return performance.now() - started;
}

function report(what: string, kind: keyof typeof times.small): void {
  const [small, large] = [times.small, times.large].map((all) => all[kind].toSorted((a, b) => a - b));
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
