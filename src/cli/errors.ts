/** A failed command's error: sentences for people, or with `--json` the same JSON that tools answer with. */
import { CompassError, causeOf, errorMessage } from "../model/errors.ts";
import { compactJson } from "../tools/json.ts";
import { remedyLines } from "../tools/text/answer.ts";
import { printable } from "../tools/text/style.ts";
import type { ExitCode, Terminal } from "./command.ts";

export function reportError(error: unknown, { terminal, verbose }: { terminal: Terminal; verbose: boolean }): ExitCode {
  const refusal =
    error instanceof CompassError
      ? error
      : new CompassError("internal_error", { reason: errorMessage(error), ...causeOf(error) });
  const lines = [`codecompass: ${refusal.message}`, ...remedyLines(refusal.data)].flatMap((text) => text.split("\n"));
  for (const line of lines) terminal.err(`${printable(line)}\n`);
  if (verbose && error instanceof Error) terminal.err(`${error.stack}\n`);
  return 2;
}

export async function withJsonErrors(terminal: Terminal, work: () => Promise<ExitCode>): Promise<ExitCode> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CompassError)) throw error;
    const { failureBody } = await import("../tools/run.ts");
    terminal.out(`${compactJson(failureBody(error))}\n`);
    return 2;
  }
}
