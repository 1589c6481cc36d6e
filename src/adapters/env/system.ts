/** The real clock and process. Boot id and start time distinguish two processes that had the same pid. */
import { randomBytes } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { performance } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Env, ProcessIdentity } from "../../ports/env.ts";

const LONGEST_TIMER_MS = 2 ** 31 - 1;

export function systemEnv(): Env {
  const self: ProcessIdentity = {
    pid: process.pid,
    incarnation: readIncarnation(process.pid) ?? portableIncarnation(),
  };
  return {
    now: () => Date.now(),
    monotonic: () => performance.now(),
    sleep: (ms) =>
      new Promise((resolve) => {
        // Longer than any process lives: a timer would only keep the waiting code in memory.
        if (ms < LONGEST_TIMER_MS) setTimeout(resolve, ms).unref();
      }),
    self,
    machine: machineName(),
    isAlive: (other) => isAlive(other, self),
    freeMemory: () => collectGarbage(),
    uniqueWord: () => randomBytes(8).toString("hex"),
  };
}

/** Containers of one machine share its boot, but not their process numbers. */
function machineName(): string {
  const boot = orEmpty(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
  return [hostname(), boot, orEmpty(() => readlinkSync("/proc/self/ns/pid"))].join(" ");
}

function orEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}

/**
 * V8 collects the heap of an idle thread only after about a hundred seconds. The flag exposes `gc` in contexts that are
 * created afterwards.
 */
function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}

function isAlive(other: ProcessIdentity, self: ProcessIdentity): boolean {
  if (other.pid === self.pid) return other.incarnation === self.incarnation;
  if (!answersToSignals(other.pid)) return false;
  const now = readIncarnation(other.pid);
  // Without /proc the pid alone must do: a reused pid then keeps a dead lease until its time runs out.
  return now === undefined || now === other.incarnation;
}

function answersToSignals(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, but under another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Boot id and start time in clock ticks since boot; undefined where there is no /proc or no such process. */
function readIncarnation(pid: number): string | undefined {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The command name in parentheses may hold spaces and parentheses itself; field 22 is the 20th after it.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (fields[0] === "Z" || fields[0] === "X") return "dead";
    return `${boot}:${fields[19]}`;
  } catch {
    return undefined;
  }
}

function portableIncarnation(): string {
  return `started:${Math.round(performance.timeOrigin)}`;
}
