/** C7: one flipped byte or a cut at 200 places. Each is detected or harmless; a reset restores. */
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sqliteStores } from "../../src/adapters/sqlite/stores.ts";
import { CompassError } from "../../src/model/errors.ts";
import { PROJECT, publishFiles, sha256, testEnv } from "../kit/store.ts";
import { answersOf, treeOf } from "../kit/store-answers.ts";

const base = mkdtempSync(join(tmpdir(), "codecompass-damage-"));
const stores = sqliteStores({ env: testEnv(), hash: sha256 });
const open = (location: string) => stores.open(location, { create: true, project: PROJECT });
const whole = join(base, "whole");
/** What each published state answers; a lost log may bring back an earlier one, never a mixture. */
const answers = new Set<string>();

beforeAll(async () => {
  const store = await open(join(base, "made"));
  for (let round = 0; round < 4; round++) {
    await publishFiles(store, treeOf(round).slice(0, round === 0 ? 24 : 6 * round));
    answers.add((await answersOf(store))!);
  }
  // Copied while the writer is open, so that the log is full; a closed store has none.
  cpSync(join(base, "made"), whole, { recursive: true });
  await store.close();
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

// The long tier looks at ten times as many.
const PLACES = process.env.CODECOMPASS_LONG ? 2_000 : 200;
const damages = Array.from({ length: PLACES }, (_, seed) => ({ seed, kind: seed % 4 === 3 ? "cut" : "flip" }) as const);

test("the copy holds a database and a log", () => {
  expect(statSync(join(whole, "index.db")).size).toBeGreaterThanOrEqual(4_096);
  expect(statSync(join(whole, "index.db-wal")).size).toBeGreaterThan(100_000);
  expect(answers.size).toBe(4);
});

test(`damage at ${PLACES} places is detected or harmless`, async () => {
  const outcomes = { harmless: 0, detected: 0 };
  for (const damage of damages) {
    // Half of the places lie in the log, half in a database that the log was written back into.
    const location = join(base, `damaged-${damage.seed}`);
    cpSync(damage.seed % 2 === 0 ? whole : join(base, "made"), location, { recursive: true });
    spoil(location, damage);
    outcomes[await outcomeOf(location, damage)]++;
    rmSync(location, { recursive: true, force: true });
  }
  expect(outcomes.harmless + outcomes.detected).toBe(PLACES);
  expect(outcomes.detected).toBeGreaterThan(PLACES / 10);
}, 600_000);

test.each(["flip", "cut", "empty", "other file", "pointer", "control"])(
  "a reset restores after damage: %s",
  async (kind) => {
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
    await publishFiles(store, treeOf(9), { mode: "reset" });
    expect((await store.inspect()).status).toBe("compatible");
    expect(await store.verify("full")).toEqual([]);
    const fresh = await open(join(base, `fresh-${kind}`));
    await publishFiles(fresh, treeOf(9));
    expect(await answersOf(store)).toEqual(await answersOf(fresh));
    await store.close();
    await fresh.close();
  },
);

async function outcomeOf(location: string, damage: { seed: number; kind: string }): Promise<"harmless" | "detected"> {
  const store = await open(location);
  const { status } = await store.inspect();
  expect(["compatible", "not_indexed", "reindex_required", "corrupt_manifest"]).toContain(status);
  try {
    await store.jobs(10);
    const answer = await answersOf(store);
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
