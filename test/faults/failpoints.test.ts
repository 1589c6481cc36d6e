/** C2: an indexer killed before or after any of its steps leaves a complete state, and the next run finishes. */
import { cpSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { threadIndexer } from "../../src/compose/indexer.ts";
import { codecompass } from "../kit/command.ts";
import { indexRequest, publishedRound, roundFiles, storeLocation, unchangedFiles } from "../kit/faults.ts";
import { sandbox, write } from "../kit/sandbox.ts";

const STEPS = [
  ...["open", "lease", "job", "begin", "entries", "walk", "fetch", "parse", "embed", "read", "put", "restamp", "merge"],
  ...["publish", "commit", "checkpoint", "finish", "gc", "vacuum", "release", "close", "report", "reset", "swap"],
];
const POINTS = STEPS.flatMap((step) => [`${step}:before`, `${step}:after`]);
/** The command that is running when the process is killed. */
const SCENARIOS = ["delta", "full", "resume", "force", "collect"] as const;
type Scenario = (typeof SCENARIOS)[number];

/** How many segments a build of many files writes depends on its workers' timing; those of 31 syncs are always merged. */
const isOfTiming = (point: string) => point.startsWith("merge:");

const box = sandbox();
const root = box.tree({ ...unchangedFiles(60), ...roundFiles(0) });
const env = (home: string, failpoint = "") => ({
  ...box.env,
  CODECOMPASS_HOME: home,
  CODECOMPASS_FAILPOINT: failpoint,
});
const run = (scenario: Scenario, home: string, failpoint = "") => {
  const args = { delta: ["sync"], full: ["index"], resume: ["index"], force: ["index", "--force"], collect: ["sync"] };
  return codecompass(args[scenario], { cwd: root, env: env(home, failpoint) });
};
/** Data directories before each scenario, and the failpoints that each passes. */
const before = new Map<Scenario, string>();
const passed = new Map<Scenario, ReadonlySet<string>>();

const indexer = threadIndexer();
/** A run in this process: only those that are killed need one of their own. */
const indexed = (home: string, id: string) =>
  indexer.run(indexRequest(home, root, id), () => {}, new AbortController().signal);

afterAll(async () => {
  await indexer.close();
  box[Symbol.dispose]();
});

beforeAll(async () => {
  const base = join(box.home, "base");
  expect((await codecompass(["index"], { cwd: root, env: env(base) })).code).toBe(0);
  before.set("delta", base).set("force", base).set("full", join(box.home, "none"));
  before.set("resume", await killedBuild()).set("collect", await manyGenerations(base));
  for (const scenario of SCENARIOS) {
    const { err, code } = await run(scenario, prepared(scenario, "list", 1), "?");
    expect(code).toBe(0);
    const points = [...err.matchAll(/^failpoint (.+)$/gm)].map((match) => match[1]!);
    passed.set(scenario, new Set(points.filter((point) => scenario === "collect" || !isOfTiming(point))));
  }
}, 600_000);

test(`the product has these ${STEPS.length} steps, and each occurs in a scenario`, () => {
  expect([...new Set([...passed.values()].flatMap((points) => [...points]))].sort()).toEqual([...POINTS].sort());
});

test.each(POINTS.map((point, at) => [point, at] as const))(
  `killed at %s (${POINTS.length} in all): 0 bad`,
  async (point, at) => {
    const possible = SCENARIOS.filter((scenario) => passed.get(scenario)!.has(point));
    const scenario = possible[at % possible.length]!;
    const home = prepared(scenario, "kill", at + 2);
    const killed = await run(scenario, home, point);
    expect(killed).toMatchObject({ code: null });
    const shown = await publishedRound(home);
    const old = scenario === "full" || scenario === "resume" ? undefined : 0;
    expect([old, at + 2]).toContain(shown);

    // Give the next run work: only a run that writes removes leftovers.
    utimesSync(join(root, "quiet/1/q1.py"), at + 1000, at + 1000);
    await indexed(home, `next-${at}`);
    expect(await publishedRound(home)).toBe(at + 2);
    expect(readdirSync(storeLocation(home)!).filter((name) => /^index.*\.db$/.test(name))).toHaveLength(1);
    rmSync(home, { recursive: true });
  },
);

/** A copy of the scenario's data directory, and the tree at the given round with one file touched. */
function prepared(scenario: Scenario, purpose: string, round: number): string {
  const home = join(box.home, `${scenario}-${purpose}-${round}`);
  const from = before.get(scenario)!;
  if (scenario !== "full") cpSync(from, home, { recursive: true });
  write(root, roundFiles(round));
  utimesSync(join(root, "quiet/0/q0.py"), round, round);
  return home;
}

async function killedBuild(): Promise<string> {
  const home = join(box.home, "killed");
  expect((await codecompass(["index"], { cwd: root, env: env(home, "put:after") })).code).toBe(null);
  return home;
}

/** One generation before the one that collects garbage. */
async function manyGenerations(from: string): Promise<string> {
  const home = join(box.home, "many");
  cpSync(from, home, { recursive: true });
  for (let generation = 2; generation < 32; generation++) {
    write(root, { "quiet/0/q0.py": `def many_${generation}():\n    pass\n` });
    expect((await indexed(home, `many-${generation}`)).generation).toBe(generation);
  }
  write(root, roundFiles(0));
  return home;
}
