/** The command line: argv in, exit code out. Everything heavy is loaded by the command that needs it. */
import type { ExitCode, Invocation, Terminal } from "./command.ts";
import { askDaemon } from "./daemon/client.ts";
import { createPager, type Pager } from "./pager.ts";
import { safeOutput } from "./render/style.ts";

/** Of a terminal that does not tell. */
const LEAST_ROWS = 24;
/** Lines that go into a pipe are cut only where they would be absurd. */
const PIPE_COLUMNS = 400;

export async function main(argv: readonly string[]): Promise<void> {
  quietlyEndOnClosedPipe();
  // A command that waits for another process's job has nothing else that keeps it alive.
  setInterval(() => {}, 60_000);
  const { show, ...screen } = terminal();
  const given = { terminal: screen, signal: interruption(), env: process.env, cwd: process.cwd() };
  const code = (await askDaemon(argv, given)) ?? (await runCommand(argv, given));
  await show();
  await flushed();
  // Nothing may keep a finished command alive: neither an open stdin nor a thread that is still ending.
  process.exit(code);
}

/** Runs one command line and turns whatever goes wrong into a message and a code. */
export async function runCommand(argv: readonly string[], given: Invocation): Promise<ExitCode> {
  const { terminal, signal } = given;
  try {
    const { execute } = await import("./program.ts");
    return await execute(argv, given);
  } catch (error) {
    if (signal.aborted) return 130;
    const { reportError } = await import("./errors.ts");
    return reportError(error, { terminal, verbose: argv.includes("--verbose") || argv.includes("-v") });
  }
}

function flushed(): Promise<void> {
  return new Promise((resolve) => process.stdout.write("", () => resolve()));
}

/** `show`: waits until everything that was written can be seen. */
function terminal(): Terminal & { show(): Promise<void> } {
  const colourAllowed = !process.env.NO_COLOR && !process.argv.includes("--no-color") && process.env.TERM !== "dumb";
  const outIsTty = process.stdout.isTTY === true;
  const colour = colourAllowed && outIsTty;
  const pages = outIsTty && !process.argv.includes("--no-pager");
  const write = (text: string) => void process.stdout.write(text);
  let pager: Pager | undefined;
  const out = (text: string) => (pager?.out ?? write)(safeOutput(text, { colour }));
  const err = (text: string) => void process.stderr.write(safeOutput(text, { colour }));
  return {
    out,
    err: (text) => (pager?.holds ? pager.after(() => err(text)) : err(text)),
    page: () => {
      if (pages) pager ??= createPager({ rows: process.stdout.rows || LEAST_ROWS, env: process.env, write });
    },
    show: async () => pager?.end(),
    matches: outIsTty ? out : (text) => void process.stdout.write(text),
    outIsTty,
    colour,
    errIsTty: process.stderr.isTTY === true && process.env.TERM !== "dumb",
    columns: process.stdout.columns || PIPE_COLUMNS,
  };
}

/** The first Ctrl-C lets the running step end (what was published stays usable), the second ends at once. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(130);
      controller.abort();
    });
  }
  return controller.signal;
}

/** `codecompass search x | head -1` is no error. */
function quietlyEndOnClosedPipe(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") process.exit(process.exitCode ?? 0);
      throw error;
    });
  }
}
