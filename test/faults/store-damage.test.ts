/**
 * C7: damage is detected or harmless, and a rebuild repairs it. First one flipped byte or a truncation at 200 places of a
 * store, read through its port; then damage in every table, index and file, read through the tools.
 */
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sqliteStores } from "../../src/adapters/sqlite/stores.ts";
import { CompassError } from "../../src/model/errors.ts";
import { type Damage, damages } from "../kit/damage.ts";
import { type LocalCompass, localCompass } from "../kit/local-compass.ts";
import { branch, sandbox, write } from "../kit/sandbox.ts";
import { PROJECT, publishFiles, sha256, testEnv } from "../kit/store.ts";
import { dumpAnswers, roundTree } from "../kit/store-answers.ts";

const base = mkdtempSync(join(tmpdir(), "codecompass-damage-"));
const stores = sqliteStores({ env: testEnv(), hash: sha256 });
const open = (location: string) => stores.open(location, { create: true, project: PROJECT });
const whole = join(base, "whole");
/** The answers of each published state; a lost log may restore an earlier one, never a mixture. */
const answers = new Set<string>();

beforeAll(async () => {
  const store = await open(join(base, "made"));
  for (let round = 0; round < 4; round++) {
    await publishFiles(store, roundTree(round).slice(0, round === 0 ? 24 : 6 * round));
    answers.add((await dumpAnswers(store))!);
  }
  // Copied while the writer is open, so that the log is full; a closed store has none.
  cpSync(join(base, "made"), whole, { recursive: true });
  await store.close();
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

// The long tier checks ten times as many.
const PLACES = process.env.CODECOMPASS_LONG ? 2_000 : 200;
const places = Array.from({ length: PLACES }, (_, seed) => ({ seed, kind: seed % 4 === 3 ? "cut" : "flip" }) as const);

test("the copy contains a database and a log", () => {
  expect(statSync(join(whole, "index.db")).size).toBeGreaterThanOrEqual(4_096);
  expect(statSync(join(whole, "index.db-wal")).size).toBeGreaterThan(100_000);
  expect(answers.size).toBe(4);
});

test(`damage at ${PLACES} places is detected or harmless`, async () => {
  const outcomes = { harmless: 0, detected: 0 };
  for (const damage of places) {
    // Half of the places are in the log, half in a checkpointed database.
    const location = join(base, `damaged-${damage.seed}`);
    cpSync(damage.seed % 2 === 0 ? whole : join(base, "made"), location, { recursive: true });
    spoil(location, damage);
    outcomes[await outcomeOf(location, damage)]++;
    rmSync(location, { recursive: true, force: true });
  }
  expect(outcomes.harmless + outcomes.detected).toBe(PLACES);
  expect(outcomes.detected).toBeGreaterThan(PLACES / 10);
}, 600_000);

test.each(["flip", "cut", "empty", "other file", "pointer", "control"])("a reset repairs damage: %s", async (kind) => {
  const location = join(base, `reset-${kind}`);
  cpSync(join(base, "made"), location, { recursive: true });
  const path = join(location, "index.db");
  if (kind === "flip") flip(path, 30);
  if (kind === "cut") truncateSync(path, 20_000);
  if (kind === "empty") truncateSync(path, 0);
  if (kind === "other file") writeFileSync(path, "SQL is not my format\n".repeat(1000));
  if (kind === "pointer") writeFileSync(join(location, "CURRENT"), "../../etc/passwd\n");
  if (kind === "control") writeFileSync(join(location, "control.db"), "broken".repeat(900));
  const store = await open(location);
  await publishFiles(store, roundTree(9), { mode: "reset" });
  expect((await store.inspect()).status).toBe("compatible");
  expect(await store.verify("full")).toEqual([]);
  const fresh = await open(join(base, `fresh-${kind}`));
  await publishFiles(fresh, roundTree(9));
  expect(await dumpAnswers(store)).toEqual(await dumpAnswers(fresh));
  await store.close();
  await fresh.close();
});

async function outcomeOf(location: string, damage: { seed: number; kind: string }): Promise<"harmless" | "detected"> {
  const store = await open(location);
  const { status } = await store.inspect();
  expect(["compatible", "not_indexed", "reindex_required", "corrupt_manifest"]).toContain(status);
  try {
    await store.jobs(10);
    const answer = await dumpAnswers(store);
    if (answer === undefined) expect(status).not.toBe("compatible");
    else expect(answers.has(answer), `a wrong answer after damage ${JSON.stringify(damage)}`).toBe(true);
    return answer === undefined ? "detected" : "harmless";
  } catch (error) {
    if (!(error instanceof CompassError)) throw error;
    expect(["index_incompatible", "internal_error"]).toContain(error.code);
    return "detected";
  } finally {
    await store.close();
  }
}

/** The same damage for the same seed. */
function spoil(location: string, { seed, kind }: { seed: number; kind: "flip" | "cut" }): void {
  const names = seed % 2 === 0 ? ["index.db-wal", "index.db-wal", "index.db"] : ["index.db", "index.db", "control.db"];
  const path = join(location, names[Math.floor(seed / 2) % 3]!);
  if (!existsSync(path)) throw new Error(`${path} is missing`);
  const at = random(seed, statSync(path).size);
  if (kind === "cut") truncateSync(path, at);
  else flip(path, at, 1 << (seed % 8));
}

function flip(path: string, at: number, mask = 0xff): void {
  const bytes = readFileSync(path);
  bytes[at]! ^= mask;
  writeFileSync(path, bytes);
}

function random(seed: number, below: number): number {
  return Number(BigInt(`0x${sha256(`place ${seed}`).slice(0, 12)}`) % BigInt(below));
}

// Each answer of the tools is that of the intact store, or an error, or says that it is not complete. A plain
// `index`, or a query to a server, repairs the store.

const LONG = process.env.CODECOMPASS_LONG !== undefined;
/** The number of cases of one round that a normal run checks. */
const GATE_CASES = 32;

const box = sandbox();
let root: string;
let healthy: readonly string[];

const QUESTIONS: readonly (readonly [tool: string, input: object])[] = [
  ["locate_symbol", { name: "step_7" }],
  ["find_references", { symbol_name: "shared_helper" }],
  ["find_references", { symbol_name: "step_3" }],
  ["search_code", { query: "retry the network transfer" }],
  ["search_code", { query: "step_12" }],
  ["semantic_search", { query: "how is a payment retried", threshold: 0 }],
  ["regex_search", { pattern: "wait_\\d+ = " }],
  ["get_file_outline", { path: "src/module_4.py" }],
  ["get_code_context", { query: "shared helper of all modules" }],
  ["get_symbol_hierarchy", { symbol_name: "run", path: "src/module_5.py" }],
  ["find_related_symbols", { symbol_name: "step_8", scope: "package" }],
  ["get_call_graph", { symbol_name: "shared_helper" }],
  ["locate_symbol", { name: "only_on_feature", ref: "feature" }],
  ["find_references", { symbol_name: "shared_helper", ref: "feature" }],
  ["search_code", { query: "step_2", ref: "feature" }],
  ["list_refs", {}],
];

beforeAll(async () => {
  root = box.repository(filesOf(24));
  branch(root, "feature", () => write(root, featureFiles()));
  const made = join(base, "indexed");
  const compass = localCompass(made, root);
  await compass.index();
  await reportedBy(compass);
  // Another generation, so that rows are closed and contents are stored as differences.
  write(root, { "src/module_1.py": moduleText(1, "edited") });
  await compass.ask("sync_repo", { wait_seconds: 60 });
  // A rebuilt index has its own file, and a pointer to it.
  await compass.ask("index_repo", { force: true, wait_seconds: 60 });
  await reportedBy(compass);
  write(root, { "src/module_2.py": moduleText(2, "edited") });
  await compass.ask("sync_repo", { wait_seconds: 60 });
  healthy = await reportedBy(compass);
  await compass.close();
}, 120_000);

afterAll(() => {
  box[Symbol.dispose]();
});

test("the intact store answers every query, twice with the same result", async () => {
  const compass = localCompass(join(base, "indexed"), root, "best_effort");
  expect(await reportedBy(compass)).toEqual(healthy);
  expect(healthy.filter((text) => text.startsWith("error"))).toEqual([]);
  await compass.close();
});

test(
  "damage never gives a wrong answer, and is repaired without --force",
  async () => {
    const all = damages(join(base, "indexed"), LONG ? 3 : 1);
    const cases = LONG ? all : spread(all, GATE_CASES);
    const outcome = { cases: 0, noticed: 0, wrong: [] as string[], unhealed: [] as string[] };
    for (const [at, damage] of cases.entries()) {
      const found = await outcomeAsked(damage, at);
      outcome.cases++;
      if (found.noticed) outcome.noticed++;
      outcome.wrong.push(...found.wrong);
      outcome.unhealed.push(...found.unhealed);
    }
    if (LONG) {
      const { cases, noticed, wrong, unhealed } = outcome;
      console.log(`${cases} damaged stores: ${noticed} noticed, ${wrong.length} wrong, ${unhealed.length} not healed`);
    }
    expect(outcome.wrong).toEqual([]);
    expect(outcome.unhealed).toEqual([]);
    expect(outcome.noticed).toBeGreaterThan(cases.length / 4);
  },
  LONG ? 10_800_000 : 180_000,
);

async function outcomeAsked(damage: Damage, at: number) {
  const home = join(base, `case-${at}`);
  cpSync(join(base, "indexed"), home, { recursive: true });
  try {
    damage.apply(home);
    const asked = localCompass(home, root, "best_effort");
    // An index that was not queried since is repaired as well: no damage is noted yet.
    const given = at % 4 === 2 ? [] : await reportedBy(asked);
    await asked.close();
    const wrong = given.flatMap((text, i) =>
      isHonest(text, healthy[i]!) ? [] : [`${damage.name}: ${JSON.stringify(QUESTIONS[i])}: ${text}`],
    );
    const healer = localCompass(home, root);
    const unhealed: string[] = [];
    try {
      // Half of them by a command, half by a query to a server.
      if (at % 2 === 0) await healer.index();
      else
        for (const [i, text] of (await reportedBy(healer)).entries())
          if (!isHonest(text, healthy[i]!)) wrong.push(`${damage.name}: ${text}`);
      await healer.idle();
      const healed = await reportedBy(healer);
      for (const [i, text] of healed.entries())
        if (text !== healthy[i]) unhealed.push(`${damage.name}: ${JSON.stringify(QUESTIONS[i])}: ${text}`);
    } catch (error) {
      unhealed.push(`${damage.name}: ${error}`);
    }
    await healer.close();
    return { noticed: given.some((text, i) => text !== healthy[i]), wrong, unhealed };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function reportedBy({ ask }: LocalCompass): Promise<string[]> {
  const given: string[] = [];
  for (const [tool, input] of QUESTIONS) {
    const { isError, body } = await ask(tool, input);
    if (isError) given.push(`error ${body.error.code}: ${body.error.message}`);
    else given.push(textOf(body));
  }
  return given;
}

/** The answer and its metadata, without what belongs to one store or one moment. */
function textOf({ metadata, ...body }: { readonly metadata: Record<string, unknown> }): string {
  const { result_completeness, freshness_status, warnings } = metadata;
  const said = { result_completeness, freshness_status, warnings };
  return JSON.stringify({ said, body }, (key, value) =>
    /_at$|_ms$|_bytes$|cursor|generation/.test(key) ? undefined : value,
  );
}

const MAY_BE_REFUSED =
  /^error (index_incompatible|internal_error|index_not_ready|overlay_not_ready|workspace_not_registered|project_not_found):/;

function isHonest(given: string, whole: string): boolean {
  if (given === whole || MAY_BE_REFUSED.test(given)) return true;
  if (given.startsWith("error")) return false;
  const { said } = JSON.parse(given);
  return said.result_completeness === "partial" || said.freshness_status !== "fresh";
}

/** That many of them, evenly spaced. */
function spread<T>(all: readonly T[], count: number): T[] {
  return Array.from({ length: count }, (_, at) => all[Math.floor((at * all.length) / count)]!);
}

function filesOf(count: number): Record<string, string> {
  const files: Record<string, string> = {
    "src/shared.py": 'def shared_helper(value):\n    """Shared helper of all modules."""\n    return value\n',
    "README.md": "# Payments\n\nHow a payment is retried: see src.\n",
    "notes.txt": "nothing but words\n",
  };
  for (let at = 0; at < count; at++) files[`src/module_${at}.py`] = moduleText(at, "first");
  return files;
}

function featureFiles(): Record<string, string> {
  return {
    "src/module_2.py": moduleText(2, "on the branch"),
    "src/feature.py": "from shared import shared_helper\n\ndef only_on_feature():\n    return shared_helper(1)\n",
  };
}

function moduleText(at: number, word: string): string {
  const steps = Array.from(
    { length: 12 },
    (_, step) =>
      `    def part_${at}_${step}(self, amount):\n        """Retry the network transfer of a payment, ${word} ${step * at}."""\n        wait_${step} = shared_helper(amount * ${step})\n        return step_${(at + 1) % 24}(wait_${step})\n`,
  );
  return `from shared import shared_helper\n\ndef step_${at}(value):\n    return shared_helper(value)\n\nclass Module${at}:\n    def run(self):\n        return self.part_${at}_1(2)\n\n${steps.join("\n")}`;
}
