/** What runs beside a process, as Linux tells it. */
import { readdirSync, readFileSync } from "node:fs";

interface ProcessState {
  /** `Z`: it has ended, and nobody asked how. */
  readonly state: string;
  readonly parent: number;
}

export function stateOf(pid: number): ProcessState | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { state: state!, parent: Number(parent) };
  } catch {
    return undefined;
  }
}

export function runs(pid: number): boolean {
  const { state = "Z" } = stateOf(pid) ?? {};
  return state !== "Z" && state !== "X";
}

/** Its children, the ended ones included. */
export function childrenOf(parent: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => stateOf(pid)?.parent === parent);
}

export function descendantsOf(pid: number): number[] {
  const children = childrenOf(pid);
  return [...children, ...children.flatMap(descendantsOf)];
}

/** Empty for one that has ended. */
export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}
