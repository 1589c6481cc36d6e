/** From argv to the command that answers it. The tools' commands are made only when the line may mean one. */
import { Argument, Command, CommanderError, InvalidArgumentError, Option, type OutputConfiguration } from "commander";
import { CompassError } from "../model/errors.ts";
import { closest } from "../text/edit-distance.ts";
import {
  type Call,
  type CommandFlag,
  type CommandSpec,
  type ExitCode,
  GLOBAL_FLAGS,
  type GlobalFlags,
  type Invocation,
  WORKSPACE_ARGUMENT,
} from "./command.ts";
import { COMMANDS } from "./commands/index.ts";
import search from "./commands/search.ts";
import { withJsonErrors } from "./errors.ts";

export async function execute(argv: readonly string[], given: Invocation): Promise<ExitCode> {
  let exit: ExitCode = 0;
  const typed = normalizeArguments(argv);
  const json = typed.includes("--json");
  try {
    const { line, specs } = await commandLine(typed);
    const program = buildProgram(specs, { ...given, json }, (code) => {
      exit = code;
    });
    await program.parseAsync([...line], { from: "user" });
  } catch (error) {
    if (json && error instanceof CompassError) return withJsonErrors(given.terminal, () => Promise.reject(error));
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 0;
    return json ? withJsonErrors(given.terminal, () => Promise.reject(usageError(error))) : 2;
  }
  return exit;
}

/** The library's words for a line that it does not understand. */
function usageError({ message }: CommanderError): CompassError {
  return new CompassError("invalid_input", { reason: message.replace(/^error: /, "").replaceAll("\n", " ") });
}

/** Every command, for help, completions and docs. */
export async function allSpecs(): Promise<readonly CommandSpec[]> {
  const [{ toolCommands }, { shortCommands }] = await Promise.all([
    import("./tool-commands.ts"),
    import("./short-commands.ts"),
  ]);
  return [...shortCommands(), ...COMMANDS, ...toolCommands()];
}

export function buildProgram(
  specs: readonly CommandSpec[],
  given: Invocation,
  onExit: (code: ExitCode) => void,
): Command {
  const program = new Command("codecompass")
    .description("Search and navigate code: an MCP server for agents and the same answers on the command line.")
    .usage("<query> | <command> [options]")
    .helpCommand("help [command]", "show help for a command")
    .option("-V, --version", "print the version")
    .option("--serve", "start the MCP server on stdio (the same as serve-mcp)")
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput(outputConfiguration(given))
    .configureHelp({ subcommandTerm: (command) => [command.name(), argumentsText(command)].join(" ").trim() });
  for (const flag of GLOBAL_FLAGS) program.addOption(option(flag));
  for (const spec of specs) program.addCommand(build(spec, given, onExit));
  return program;
}

interface CommandLine {
  readonly line: readonly string[];
  readonly specs: readonly CommandSpec[];
}

/** A line without a command is a search. A built-in command needs no tools. */
async function commandLine(argv: readonly string[]): Promise<CommandLine> {
  const word = firstWord(argv);
  const builtIn = COMMANDS.find(({ name }) => name === word);
  if (builtIn !== undefined) return { line: argv, specs: [builtIn] };
  const specs = await allSpecs();
  if (word === undefined) return { line: argv, specs };
  const named = specs.find(({ name, aliases = [] }) => name === word || aliases.includes(word));
  if (named !== undefined) return { line: argv, specs: [named] };
  if (word === "help") return { line: argv, specs };
  const names = ["help", ...specs.flatMap(({ name, aliases = [] }) => [name, ...aliases])];
  const meant = /^[\w-]+$/.test(word) ? closest(word, names) : undefined;
  if (meant === undefined) return { line: ["search", ...argv], specs: COMMANDS };
  throw new CompassError("invalid_input", {
    reason: `unknown command '${word}'. Did you mean ${meant}?`,
    suggestion: `To search for it: codecompass search ${word}`,
  });
}

const VALUED = [...GLOBAL_FLAGS, ...search.flags].flatMap(({ flags }) => (flags.includes("<") ? flagWords(flags) : []));

function flagWords(flags: string): string[] {
  return flags.split(/,\s*/).map((word) => word.split(" ")[0]!);
}

/** The first word that is neither a flag nor the value of one. */
function firstWord(argv: readonly string[]): string | undefined {
  return argv.find((part, at) => (part === "-" || !part.startsWith("-")) && !VALUED.includes(argv[at - 1] ?? ""));
}

/** No arguments mean --help; clients of the semantic family start the server with --serve. */
function normalizeArguments(argv: readonly string[]): readonly string[] {
  const hasCommand = argv.some((part) => !part.startsWith("-"));
  if (argv.includes("--serve")) {
    return ["serve-mcp", "--status-words", "health", ...argv.filter((part) => part !== "--serve")];
  }
  if (!hasCommand && (argv.includes("--version") || argv.includes("-V"))) return ["version"];
  return argv.length > 0 ? argv : ["--help"];
}

function outputConfiguration({ terminal, json }: Invocation): OutputConfiguration {
  return {
    writeOut: terminal.out,
    writeErr: json ? () => {} : terminal.err,
    outputError: (text, write) => write(text.replace(/^error: /, "codecompass: ")),
  };
}

/** `index DIR` is `index --path DIR`; next to --path, both have to be the same directory. */
function workspaceNamed(
  spec: CommandSpec,
  words: readonly string[],
  flags: Call["flags"],
): Pick<Call, "words" | "flags"> {
  const [directory] = words;
  if (spec.argument !== WORKSPACE_ARGUMENT || directory === undefined) return { words, flags };
  return { words: [], flags: { ...flags, path: flags.path ?? flags.workspace ?? directory, workspace: directory } };
}

function argumentsText(command: Command): string {
  return command.registeredArguments.map((one) => (one.required ? `<${one.name()}>` : `[${one.name()}]`)).join(" ");
}

function build(spec: CommandSpec, given: Invocation, onExit: (code: ExitCode) => void): Command {
  const command = new Command(spec.name)
    .description(spec.summary)
    .aliases([...(spec.aliases ?? [])])
    .helpGroup(spec.group)
    .exitOverride()
    .configureOutput(outputConfiguration(given))
    .showHelpAfterError("(run with --help for usage)")
    .addHelpText("after", examplesText(spec));
  for (const { name, doc, choices } of [spec.argument, spec.second].filter((one) => one !== undefined)) {
    const argument = new Argument(name, doc);
    command.addArgument(choices ? argument.choices([...choices]) : argument);
  }
  for (const flag of spec.flags) command.addOption(option(flag));
  return command.action(async () => {
    const globals = command.optsWithGlobals();
    const flags = command.opts();
    const own = {
      ...workspaceNamed(spec, command.args, flags),
      globals: globalFlags(globals),
      commands: allSpecs,
      execute,
    };
    const call: Call = { ...given, ...own };
    const run = async () => spec.run(call);
    const isDaemon = given.openCompass !== undefined;
    if (isDaemon && spec.isQuery !== true) throw new Error(`${spec.name} is not a query`);
    if (spec.isQuery === true) call.terminal.page?.();
    // What fails in the daemon is run again by its caller.
    onExit(await (call.globals.json && !isDaemon ? withJsonErrors(call.terminal, run) : run()));
  });
}

function option(flag: CommandFlag): Option {
  const made = new Option(flag.flags, flag.doc);
  if (flag.choices) made.choices([...flag.choices]);
  if (flag.default !== undefined) made.default(flag.default);
  if (flag.hidden) made.hideHelp();
  if (flag.repeatable)
    made.argParser((value: string, before: string[] | undefined) => [...(before ?? []), checked(value, flag)]);
  return made;
}

/** A parser of our own replaces commander's check of the choices. */
function checked(value: string, { choices }: CommandFlag): string {
  if (choices === undefined || choices.includes(value)) return value;
  throw new InvalidArgumentError(`Allowed choices are ${choices.join(", ")}.`);
}

function examplesText(spec: CommandSpec): string {
  if (spec.examples.length === 0) return "";
  return `\nExamples:\n${spec.examples.map((example) => `  codecompass ${example}`).join("\n")}\n`;
}

function globalFlags(all: Readonly<Record<string, unknown>>): GlobalFlags {
  return {
    verbose: all.verbose === true || all.v === true,
    ...(all.v === true && { shortVerbose: true }),
    json: all.json === true,
    ...(typeof all.config === "string" && { config: all.config }),
    ...(typeof all.store === "string" && { store: all.store }),
    ...(typeof all.readStore === "string" && { readStore: all.readStore }),
    ...(typeof all.hyperlinkFormat === "string" && { hyperlinkFormat: all.hyperlinkFormat }),
  };
}
