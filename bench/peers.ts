/** Runs a command as a measured child: wall time and peak memory. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";

export interface Measured {
  readonly ms: number;
  /** Peak resident set of the process (Linux), 0 if it cannot be read. */
  readonly peakMb: number;
  readonly code: number | null;
}

export function measure(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<Measured> {
  const started = performance.now();
  const child = spawn(command, args, { env, stdio: "ignore" });
  let peakMb = 0;
  const poll = setInterval(() => {
    peakMb = Math.max(peakMb, highWater(child.pid));
  }, 20);
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code) => {
      clearInterval(poll);
      resolve({ ms: performance.now() - started, peakMb, code });
    });
  });
}

function highWater(pid: number | undefined): number {
  try {
    const kb = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return Number(kb ?? 0) / 1024;
  } catch {
    return 0;
  }
}

export async function best(times: number, run: () => Promise<Measured>): Promise<Measured> {
  let quickest = await run();
  for (let i = 1; i < times; i++) {
    const next = await run();
    if (next.ms < quickest.ms) quickest = next;
  }
  return quickest;
}
