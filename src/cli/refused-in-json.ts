/** With `--json` a refusal is JSON, too, in the words of the tools. */
import { CompassError } from "../model/errors.ts";
import type { Fields } from "../tools/define.ts";
import type { Call, ExitCode } from "./command.ts";

/** What is refused before a tool is asked, as a ref that does not exist, is said as the tool would. */
export async function refusedInJson(call: Call, given: Fields, work: () => Promise<ExitCode>): Promise<ExitCode> {
  try {
    return await work();
  } catch (error) {
    if (!call.globals.json || !(error instanceof CompassError)) throw error;
    const { failure } = await import("../tools/failure.ts");
    call.terminal.out(`${failure(error, given).text}\n`);
    return 2;
  }
}
