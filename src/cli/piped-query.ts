/** `search -`: the query is what is piped in, for example a stack trace or an issue. */
import { readSync } from "node:fs";
import { CompassError } from "../model/errors.ts";
import type { Call } from "./command.ts";

/** More than a query may have in any encoding; the tool cuts what is longer and says so. */
const MAX_BYTES = 1 << 18;

export function withPipedQuery(call: Call): Call {
  if (call.words.length !== 1 || call.words[0] !== "-") return call;
  const bytes = Buffer.alloc(MAX_BYTES);
  let filled = 0;
  while (filled < MAX_BYTES) {
    const read = readNext(bytes, filled);
    if (read === 0) break;
    filled += read;
  }
  return { ...call, words: [bytes.toString("utf8", 0, filled)] };
}

function readNext(bytes: Buffer, from: number): number {
  try {
    return readSync(0, bytes, from, bytes.length - from, null);
  } catch (error) {
    // Windows reports the end of a pipe as an error.
    if ((error as NodeJS.ErrnoException).code === "EOF") return 0;
    const reason = `stdin cannot be read: ${(error as Error).message}`;
    throw new CompassError("invalid_input", { reason }, { cause: error });
  }
}
