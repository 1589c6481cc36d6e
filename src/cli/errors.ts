/** A failed command's error: sentences for people, or with `--json` the same JSON that tools answer with. */
import { CompassError } from "../model/errors.ts";
import type { Fields } from "../tools/define.ts";
import type { ExitCode, Terminal } from "./command.ts";
import { printable } from "./render/style.ts";

export function reportError(error: unknown, { terminal, verbose }: { terminal: Terminal; verbose: boolean }): ExitCode {
  const refusal =
    error instanceof CompassError ? error : new CompassError("internal_error", { reason: errorText(error) });
  const lines = [`codecompass: ${refusal.message}`, ...details(refusal)].flatMap((text) => text.split("\n"));
  for (const line of lines) terminal.err(`${printable(line)}\n`);
  if (verbose && error instanceof Error) terminal.err(`${error.stack}\n`);
  return 2;
}

function details({ data, code }: CompassError): string[] {
  // The remediation of `invalid_input` is for programs; its reason already says what is allowed.
  const next = data.suggestion ?? (code === "invalid_input" ? undefined : data.remediation);
  return [...candidates(data.candidates), ...(typeof next === "string" ? [next] : [])];
}

/** The candidates of an ambiguous name, to copy into the next command. */
function candidates(list: unknown): string[] {
  if (!Array.isArray(list)) return [];
  return (list as Record<string, unknown>[]).flatMap(({ path, line_start, kind, qualified_name }) =>
    typeof path === "string" ? [`  ${path}:${line_start}  ${kind} ${qualified_name}`] : [],
  );
}

function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

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
    const { failureReply } = await import("../tools/run.ts");
    terminal.out(`${failureReply(error, flags).text}\n`);
    return 2;
  }
}
