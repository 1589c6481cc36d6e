/**
 * A process that is stopped (SIGSTOP, a suspended machine) or starved of CPU while it indexes, syncs or answers loses
 * nothing: no file's symbols, no output of git. Its index equals a clean index of the same tree.
 */
import type { ChildProcess } from "node:child_process";
import { rmSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { codecompass } from "../kit/command.ts";
import { publishedContents, withStore } from "../kit/faults.ts";
import { prng } from "../kit/prng.ts";
import { type Sandbox, sandbox, write } from "../kit/sandbox.ts";

/** Each lane has its own repository and data directory; all run at once, since a stopped process takes no CPU. */
const [LANES, ROUNDS] = process.env.CODECOMPASS_LONG ? [6, 10] : [4, 1];
/** Longer than the time limit of a file (2 s of CPU, once 8 s of wall time) and the timeout of a git command (10 s). */
const STOPPED_MS = 10_500;
const FAULTS = ["index", "sync", "query", "starved"] as const;
const FUNCTIONS = process.env.CODECOMPASS_LONG ? 4_500 : 2_000;
const TIMEOUT_MS = ROUNDS * 1_200_000;

type Fault = (typeof FAULTS)[number];

/** 90 kB, in the long form 200, whose parsing takes a large part of a run. */
function files(round: number): Record<string, string> {
  const big = Array.from({ length: FUNCTIONS }, (_, at) => `def round_${round}_fn_${at}(value):\n    return ${at}\n`);
  return { "big.py": big.join(""), "small.py": `def small_${round}():\n    return ${round}\n` };
}

describe.skipIf(process.platform === "win32")("freezes (Windows has no signal that stops a process)", () => {
  test.concurrent.each(Array.from({ length: LANES }, (_, lane) => lane))(
    `${ROUNDS} of ${LANES * ROUNDS} freezes, lane %i: the state equals a clean index`,
    async (lane) => {
      using box = sandbox();
      using again = sandbox();
      const root = box.repository(files(0));
      const random = prng(7_000 + lane);
      let usualMs = await timeOf(() => run(["index"], root, box));
      for (let round = 1, frozen = 0; frozen < ROUNDS; round++) {
        const fault = FAULTS[(lane + frozen) % FAULTS.length]!;
        write(root, files(round));
        if (fault === "index") rmSync(box.home, { recursive: true });
        const freeze = fault === "starved" ? starve : stopOnce((0.2 + 0.7 * random()) * usualMs);
        const isFrozen = await frozenRun(fault, round, { root, box, freeze });
        if (isFrozen) frozen++;
        else usualMs *= 0.8;
        await withStore(box.home, async (store) => {
          const [view] = await store.views();
          expect(view).toMatchObject({ fileCount: 2, symbolCount: FUNCTIONS + 1, coverage: { filesSkipped: 0 } });
          expect(await store.verify("full")).toEqual([]);
        });
      }
      await run(["index"], root, again);
      expect(await publishedContents(box.home, await viewOf(box))).toEqual(
        await publishedContents(again.home, await viewOf(again)),
      );
    },
    TIMEOUT_MS,
  );
});

interface Freezing {
  readonly root: string;
  readonly box: Sandbox;
  readonly freeze: Freeze;
}

/** Whether the process was still working when it was frozen. */
async function frozenRun(fault: Fault, round: number, { root, box, freeze }: Freezing): Promise<boolean> {
  let end: () => boolean = () => false;
  const onStart = (child: ChildProcess) => {
    end = freeze(child);
  };
  if (fault !== "query") {
    await run([fault === "sync" ? "sync" : "index"], root, box, onStart);
    return end();
  }
  const name = `round_${round}_fn_${FUNCTIONS - 1}`;
  const { results, metadata } = (await run(["locate_symbol", name, "--json"], root, box, onStart)).json();
  expect(results).toMatchObject([{ name, path: "big.py" }]);
  expect(metadata).toMatchObject({ freshness_status: "fresh", result_completeness: "complete" });
  return end();
}

async function run(args: string[], cwd: string, box: Sandbox, onStart?: (child: ChildProcess) => void) {
  const ran = await codecompass(args, { cwd, env: box.env, ...(onStart && { onStart }) });
  expect(`${ran.code} ${ran.err}`).toBe("0 ");
  return ran;
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

async function viewOf({ home }: Sandbox): Promise<string> {
  return (await withStore(home, async (store) => (await store.views())[0]!.ref))!;
}

/** Returns a function that ends the freeze and returns whether the process was ever stopped. */
type Freeze = (child: ChildProcess) => () => boolean;

function stopOnce(afterMs: number): Freeze {
  return (child) => {
    let stopped = false;
    const timer = setTimeout(() => {
      stopped = child.kill("SIGSTOP");
      setTimeout(() => child.kill("SIGCONT"), STOPPED_MS);
    }, afterMs);
    return () => {
      clearTimeout(timer);
      return stopped;
    };
  };
}

/** The process gets two of ten time slices. */
const starve: Freeze = (child) => {
  let slices = 0;
  const timer = setInterval(() => child.kill(slices++ % 10 < 2 ? "SIGCONT" : "SIGSTOP"), 25);
  child.on("exit", () => clearInterval(timer));
  return () => slices > 10;
};
