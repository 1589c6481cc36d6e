/** Reads the state of processes from /proc (Linux). */
import { readdirSync, readFileSync } from "node:fs";

interface ProcessState {
  /** `Z`: it has exited and was not reaped. */
  readonly state: string;
  readonly parent: number;
  readonly niceness: number;
}

export function processState(pid: number): ProcessState | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0]!, parent: Number(fields[1]), niceness: Number(fields[16]) };
  } catch {
    return undefined;
  }
}

export function isRunning(pid: number): boolean {
  const { state = "Z" } = processState(pid) ?? {};
  return state !== "Z" && state !== "X";
}

/** The child processes, including those that have exited. */
export function childrenOf(parent: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => processState(pid)?.parent === parent);
}

export function descendantsOf(pid: number): number[] {
  const children = childrenOf(pid);
  return [...children, ...children.flatMap(descendantsOf)];
}

/** The niceness of each of its threads. */
export function threadNiceness(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) => processState(Number(thread))?.niceness ?? []);
  } catch {
    return [];
  }
}

/** Empty if the process has exited. */
export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}
