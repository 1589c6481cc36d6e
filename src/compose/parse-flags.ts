/**
 * V8 flags for parse workers. They hold for the whole process, so each is set only while it is needed. While one differs
 * from its default, V8 also rejects compiled code that was cached without it, Node's own included: a thread that starts
 * then takes 170 ms of CPU until it can parse instead of 85, which only a long job earns back. Gains and the check that
 * they exist: docs/decisions/0012-v8-flags.md.
 */
import { setFlagsFromString } from "node:v8";
import type { Worker } from "node:worker_threads";

const PLAIN_CODE = ["--max-inlined-bytecode-size-cumulative=0", "--no-turbo-loop-peeling"];
const DEFAULT_CODE = ["--max-inlined-bytecode-size-cumulative=920", "--turbo-loop-peeling"];

let readers = 0;

/** Without inlining and loop peeling: every worker compiles the same code for itself, and copies of it once more each. */
export async function withPlainCode<T>(read: () => Promise<T>): Promise<T> {
  if (readers++ === 0) for (const flag of PLAIN_CODE) setFlagsFromString(flag);
  try {
    return await read();
  } finally {
    if (--readers === 0) for (const flag of DEFAULT_CODE) setFlagsFromString(flag);
  }
}

/** V8 would begin with 10 MB, and collect as often. A thread reads the flag when it starts. */
const OLD_SPACE_MB = 56;

export function withLargerHeap(start: () => Worker): Worker {
  setFlagsFromString(`--initial-old-space-size=${OLD_SPACE_MB}`);
  const reset = () => setFlagsFromString("--initial-old-space-size=0");
  return start().once("online", reset).once("exit", reset);
}
