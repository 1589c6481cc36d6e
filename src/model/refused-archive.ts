import { CompassError } from "./errors.ts";

const suggestion =
  "Nothing was changed here. Archives are made by `codecompass state export`, and have to arrive whole.";

/** An archive that is not imported, whatever is wrong with it. */
export function refusedArchive(reason: string, cause?: unknown): CompassError {
  return new CompassError("invalid_input", { parameter: "archive", reason, suggestion }, { cause });
}
