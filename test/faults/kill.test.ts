/** C1: an indexer killed at any moment leaves a complete published state, and loses nothing that it acknowledged. */
import { rmSync } from "node:fs";
import { expect, test } from "vitest";
import { codecompass } from "../kit/command.ts";
import { publishedContents, publishedRound, roundFiles, unchangedFiles, wasKilled } from "../kit/faults.ts";
import { prng } from "../kit/prng.ts";
import { type Sandbox, sandbox, write } from "../kit/sandbox.ts";

/** Two in parallel, each with its own tree and data directory. */
const LANES = 2;
const KILLS = (process.env.CODECOMPASS_LONG ? 2_000 : 20) / LANES;
const FULL_EVERY = 10;
const TIMEOUT_MS = 3_600_000;

test.concurrent.each(Array.from({ length: LANES }, (_, lane) => lane))(
  `${KILLS} kills of sync and index at random moments, lane %i: 0 bad`,
  async (lane) => {
    using box = sandbox();
    using again = sandbox();
    const root = box.tree({ ...unchangedFiles(145), ...roundFiles(0) });
    const kills = await killRounds(box, root, prng(1_000 + lane));
    expect(kills).toBe(KILLS);

    const last = await codecompass(["sync"], { cwd: root, env: box.env });
    expect(wasKilled(last)).toBe(false);
    const fresh = await codecompass(["index"], { cwd: root, env: again.env });
    expect(wasKilled(fresh)).toBe(false);
    expect(await publishedContents(box.home)).toEqual(await publishedContents(again.home));
  },
  TIMEOUT_MS,
);

async function killRounds(box: Sandbox, root: string, random: () => number): Promise<number> {
  let kills = 0;
  /** The last round whose process reported success. */
  let acknowledged: number | undefined;
  /** The duration of a run here and now; kills are spread over it. */
  let usualMs = 1_500;
  for (let round = 1; kills < KILLS; round++) {
    if (round % FULL_EVERY === 0) {
      rmSync(box.home, { recursive: true, force: true });
      acknowledged = undefined;
    }
    write(root, roundFiles(round));
    const { killed, tookMs } = await killedAt(0.25 + random(), usualMs, [commandOf(round)], root, box);
    if (killed) kills++;
    else acknowledged = round;
    usualMs = killed ? Math.max(usualMs, tookMs * 0.9) : (usualMs + 3 * tookMs) / 4;
    const shown = await publishedRound(box.home);
    if (acknowledged !== undefined) expect(shown).toBeGreaterThanOrEqual(acknowledged);
    if (shown !== undefined) expect(shown).toBeLessThanOrEqual(round);
  }
  return kills;
}

function commandOf(round: number): string {
  return round % 3 === 0 ? "index" : "sync";
}

/** Runs the command, or kills it after this share of the usual time. */
async function killedAt(share: number, usualMs: number, args: string[], cwd: string, box: Sandbox) {
  const started = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const ran = await codecompass(args, {
    cwd,
    env: box.env,
    onStart: (child) => {
      timer = setTimeout(() => child.kill("SIGKILL"), share * usualMs);
    },
  });
  clearTimeout(timer);
  return { killed: wasKilled(ran), tookMs: performance.now() - started };
}
