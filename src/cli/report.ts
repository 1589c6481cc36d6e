/** What a person reads when a command fails: what happened and what to do next. */
import { CompassError } from "../model/errors.ts";
import type { ExitCode, Terminal } from "./command.ts";
import { printable } from "./render/style.ts";

export function report(error: unknown, { terminal, verbose }: { terminal: Terminal; verbose: boolean }): ExitCode {
  const refusal = error instanceof CompassError ? error : new CompassError("internal_error", { reason: text(error) });
  const lines = [`codecompass: ${refusal.message}`, ...details(refusal)].flatMap((text) => text.split("\n"));
  for (const line of lines) terminal.err(`${printable(line)}\n`);
  if (verbose && error instanceof Error) terminal.err(`${error.stack}\n`);
  return 2;
}

function details({ data, code }: CompassError): string[] {
  // The remedy of `invalid_input` speaks to a program; its reason already says what is allowed.
  const next = data.suggestion ?? (code === "invalid_input" ? undefined : data.remediation);
  return [...candidates(data.candidates), ...(typeof next === "string" ? [next] : [])];
}

/** What an ambiguous name can mean, to be copied into the next question. */
function candidates(list: unknown): string[] {
  if (!Array.isArray(list)) return [];
  return (list as Record<string, unknown>[]).flatMap(({ path, line_start, kind, qualified_name }) =>
    typeof path === "string" ? [`  ${path}:${line_start}  ${kind} ${qualified_name}`] : [],
  );
}

function text(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
