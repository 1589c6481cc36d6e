/** With `--json` a refusal is JSON, too, in the words of the tools: whatever refuses, and whichever command was asked. */
import { CompassError } from "../model/errors.ts";
import type { Fields } from "../tools/define.ts";
import type { ExitCode, Terminal } from "./command.ts";

interface JsonErrorOptions {
  readonly terminal: Terminal;
  /** The flags; a ref among them is what the refusal is about. */
  readonly flags: Fields;
}

export async function withJsonErrors(
  { terminal, flags }: JsonErrorOptions,
  work: () => Promise<ExitCode>,
): Promise<ExitCode> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CompassError)) throw error;
    const { failureReply } = await import("../tools/failure.ts");
    terminal.out(`${failureReply(error, flags).text}\n`);
    return 2;
  }
}
