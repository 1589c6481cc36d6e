/**
 * Keeps V8 from inlining and from peeling loops while files are read. Each parse worker has the same code compiled for
 * itself, and what is copied into other places is compiled once more for each: for a branch of 50 files that took as
 * long as parsing them. Without inlining, indexing that of redis took 12 % less CPU (in turns, 3.7 → 3.3 s); without a
 * second copy of each loop, V8's compiling threads took 20 % less. A million lines take no more than with both.
 *
 * Where little is read, V8 also compiles at once instead of in threads of its own, which wait for a core while the slow
 * code goes on, and optimises to the utmost only what is called 15,000 times: that branch took 7 % less CPU.
 *
 * The flags hold for the whole process: whoever answers questions gets them back when nothing is read any more.
 */
import { setFlagsFromString } from "node:v8";
import type { ReadRequest } from "../ports/parsers.ts";

/** While files are read, and V8's own; the size is in bytes of bytecode. */
const PLAIN = switchOf([
  { on: "--max-inlined-bytecode-size-cumulative=0", off: "--max-inlined-bytecode-size-cumulative=920" },
  { on: "--no-turbo-loop-peeling", off: "--turbo-loop-peeling" },
]);

/** The V8 before says on the standard error that it does not know the flag. */
const KNOWS_EFFICIENCY = Number.parseInt(process.versions.v8, 10) >= 13;

const THRIFTY = switchOf(KNOWS_EFFICIENCY ? [{ on: "--efficiency-mode", off: "--no-efficiency-mode" }] : []);

export function withPlainCode<T>({ isLittle }: Pick<ReadRequest, "isLittle">, read: () => Promise<T>): Promise<T> {
  return PLAIN(isLittle === true ? () => THRIFTY(read) : read);
}

interface Flag {
  readonly on: string;
  readonly off: string;
}

/** Flags that are on while anybody reads with them. */
function switchOf(flags: readonly Flag[]): <T>(read: () => Promise<T>) => Promise<T> {
  let readers = 0;
  return async (read) => {
    if (readers++ === 0) for (const { on } of flags) setFlagsFromString(on);
    try {
      return await read();
    } finally {
      if (--readers === 0) for (const { off } of flags) setFlagsFromString(off);
    }
  };
}
