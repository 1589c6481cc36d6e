/**
 * Lets a test end the process at a named step, as a power cut would: `CODECOMPASS_FAILPOINT=publish:after`, with `#3`
 * for the third time; `?` writes every step's name to stderr instead. Unset, it does nothing.
 */
import { writeSync } from "node:fs";
import type { Failpoint } from "../ports/env.ts";

export function failpointOf(wanted: string | undefined): Failpoint {
  if (!wanted) return () => {};
  if (wanted === "?") return (step) => void writeSync(2, `failpoint ${step}\n`);
  const [name, count = "1"] = wanted.split("#");
  let left = Number(count);
  return (step) => {
    if (step === name && --left === 0) process.kill(process.pid, "SIGKILL");
  };
}
