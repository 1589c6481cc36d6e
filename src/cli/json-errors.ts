/** With `--json` a refusal is JSON, too, in the words of the tools: whatever refuses, and whichever command was asked. */
import { CompassError } from "../model/errors.ts";
import type { Fields } from "../tools/define.ts";
import type { ExitCode, Terminal } from "./command.ts";

interface Refusing {
  readonly terminal: Terminal;
  /** The flags; a ref among them is what the refusal is about. */
  readonly asked: Fields;
}

export async function refusedInJson({ terminal, asked }: Refusing, work: () => Promise<ExitCode>): Promise<ExitCode> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CompassError)) throw error;
    const { failure } = await import("../tools/failure.ts");
    terminal.out(`${failure(error, asked).text}\n`);
    return 2;
  }
}
