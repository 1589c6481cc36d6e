/** How much CPU time a file may cost this thread: parsing it and reading its tree, all tries together. */
import { readFileSync } from "node:fs";

export interface Budget {
  /**
   * Whether this thread has worked longer than the budget allows. Asked every 100 steps of parser and queries, which
   * costs nothing that can be measured. Time in which the thread could not run does not count: a stopped process or a
   * busy machine would otherwise cost an ordinary file its symbols.
   */
  readonly isLate: () => boolean;
  /** A share of what is left. */
  part(share: number): Budget;
}

export function budgetOf(ms: number): Budget {
  const end = threadCpuMs() + ms;
  // A thread works no faster than the clock runs, so CPU time is read only when the clock says that it may be used up.
  let nextLook = performance.now() + ms;
  const isLate = () => {
    const now = performance.now();
    if (now < nextLook) return false;
    const left = end - threadCpuMs();
    nextLook = now + left;
    return left <= 0;
  };
  return { isLate, part: (share) => budgetOf(Math.max(0, end - threadCpuMs()) * share) };
}

/**
 * Node knows the CPU time of a thread since 23.9, Linux always. Elsewhere an older Node knows only that of the whole
 * process, which is at least as much: with several threads, a file may then be given up early on a busy machine.
 */
function threadCpuMs(): number {
  if (typeof process.threadCpuUsage === "function") return milliseconds(process.threadCpuUsage());
  try {
    return Number(readFileSync("/proc/thread-self/schedstat", "latin1").split(" ")[0]) / 1e6;
  } catch {
    return milliseconds(process.cpuUsage());
  }
}

function milliseconds({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1000;
}
