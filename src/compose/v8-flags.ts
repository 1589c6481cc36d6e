/**
 * V8 flags that hold for the whole process, so each is set only while it is needed. Gains, and the check that the flags
 * exist: docs/decisions/0012-v8-flags.md.
 *
 * The first ones choose the compiler of WebAssembly. Lexers of grammars stay at the baseline compiler. The optimising one takes up to 700 MB and five seconds for one of those
 * huge functions (3.6 GB at the peak of a mixed million lines), and most of the time goes into tree-sitter's own
 * functions. Functions that ran before the switch are still optimised, so one tiny file is read first: parsing is as fast
 * as by default (140 ms a round against 250 ms without any optimising), and the peak stays below 400 MB.
 *
 * Kernels are optimised at once, since code that first runs after the switch stays at the baseline compiler: 2.2 ms for
 * 50,000 vectors instead of 0.9.
 */
import { setFlagsFromString } from "node:v8";
import type { Worker } from "node:worker_threads";
import { createKernel, type Kernel } from "../embed/kernel.ts";
import { compileAdder } from "../embed/vector-sum.ts";
import type { Hash } from "../model/ids.ts";
import type { Grammars } from "../ports/grammars.ts";

export function optimisedKernel(): Kernel {
  return optimising(createKernel);
}

/** V8 throws code away with its last user. */
const kept: { adder?: object | undefined } = {};

/**
 * For the parse workers, before there is one: the flag holds for all threads, and a worker that meets a grammar meanwhile
 * would have its lexer optimised.
 */
export function optimiseAdder(): void {
  kept.adder ??= optimising(compileAdder);
}

function optimising<T>(work: () => T): T {
  setFlagsFromString("--no-liftoff");
  try {
    return work();
  } finally {
    setFlagsFromString("--liftoff");
  }
}

/** A language with a small lexer, and a text that makes parser and query do all they ever do. */
const LANGUAGE = "lua";
const TEXT = "-- c\nlocal function a(b) return b + 1 end\nfunction m.x(y)\n if y then return { a = 1 } end\nend\n";

export async function keepLexersAtBaseline(grammars: Grammars, hash: Hash): Promise<void> {
  await grammars.prepare([LANGUAGE]);
  grammars.parse(LANGUAGE, TEXT, 1_000);
  hash(TEXT);
  setFlagsFromString("--no-wasm-tier-up");
  setFlagsFromString("--no-wasm-dynamic-tiering");
}

/**
 * While one of these differs from its default, V8 also rejects compiled code that was cached without it, Node's own
 * included: a thread that starts then takes 170 ms of CPU until it can parse instead of 85, which only a long job earns back.
 */
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
