/** What a command is: its words, its flags, its examples and `run`. Help, completions and docs/cli.md derive from it. */

import type { Compass } from "../compass/compass.ts";
import type { OpenOptions } from "../compose/compose.ts";

/** 0 found or done, 1 nothing found, 2 error, 130 interrupted. */
export type ExitCode = 0 | 1 | 2 | 130;

export interface CommandFlag {
  /** As commander spells it: `-v, --verbose`, `--path <path>`. */
  readonly flags: string;
  readonly doc: string;
  readonly choices?: readonly string[];
  readonly default?: string;
  /** May be given several times. */
  readonly repeatable?: boolean;
  /** For the program's own use: neither in help nor in completions. */
  readonly hidden?: boolean;
}

export interface CommandArgument {
  /** As commander spells it: `<query...>`, `[path]`. */
  readonly name: string;
  readonly doc: string;
  readonly choices?: readonly string[];
}

export interface CommandSpec {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly summary: string;
  /** Heading under which help lists it. */
  readonly group: "Commands:" | "Short commands:" | "Tools (the same answers as over MCP):";
  readonly argument?: CommandArgument;
  /** What follows the argument. */
  readonly second?: CommandArgument;
  readonly flags: readonly CommandFlag[];
  /** Argument lists without the program's name. */
  readonly examples: readonly string[];
  /** A query that the daemon may answer. */
  readonly isQuery?: true;
  run(call: Call): Promise<ExitCode>;
}

/** One invocation, with everything of the process that a command may use. */
export interface Call {
  readonly words: readonly string[];
  readonly flags: Readonly<Record<string, unknown>>;
  readonly globals: GlobalFlags;
  readonly terminal: Terminal;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** Set in the daemon, which keeps the index open. Absent: the command opens and closes it. */
  readonly openCompass?: (options: OpenOptions) => Promise<OpenedCompass>;
  /** Every command there is. */
  commands(): Promise<readonly CommandSpec[]>;
  /** Runs another command line, for the daemon. */
  execute(argv: readonly string[], given: Invocation): Promise<ExitCode>;
}

/** What a command line is run with. */
export interface Invocation extends Pick<Call, "terminal" | "signal" | "env" | "cwd" | "openCompass"> {
  /** With --json, usage errors are JSON too. */
  readonly json?: boolean;
}

export interface OpenedCompass {
  readonly compass: Compass;
  close(): Promise<void>;
}

export interface GlobalFlags {
  readonly verbose: boolean;
  /** Given as -v, which inverts a pattern search. */
  readonly shortVerbose?: boolean;
  readonly json: boolean;
  readonly config?: string;
  readonly store?: string;
  readonly readStore?: string;
  readonly hyperlinkFormat?: string;
}

/** Where a command writes. Colour and the progress bar exist only on a terminal. */
export interface Terminal {
  /** Control, bidirectional and zero-width characters are written as escapes. */
  out(text: string): void;
  err(text: string): void;
  /** Matches for other programs to read: into a pipe they go as they are, as those of grep and ripgrep do. */
  matches(text: string): void;
  readonly outIsTty: boolean;
  readonly colour: boolean;
  readonly errIsTty: boolean;
  readonly columns: number;
  /** What follows goes through a pager if it is longer than the screen. */
  page?(): void;
}

export const GLOBAL_FLAGS: readonly CommandFlag[] = [
  { flags: "--verbose", doc: "Log progress to stderr (also -v, which inverts the match of search --regex)" },
  { flags: "-v", doc: "Log progress to stderr", hidden: true },
  { flags: "--config <file>", doc: "Use this config file instead of the repository's and the user's" },
  { flags: "--store <address>", doc: "Store the index in PostgreSQL (postgres://…) instead of on this machine" },
  { flags: "--read-store <address>", doc: "Read from this replica of --store" },
  { flags: "--json", doc: "Print JSON" },
  { flags: "--no-color", doc: "Disable colors" },
  { flags: "--no-pager", doc: "Do not show long output in $PAGER" },
  {
    flags: "--hyperlink-format <format>",
    doc: "Links of paths on a terminal, as in ripgrep: default, none, file, vscode …, or an address with {path} and {line}",
  },
];

/** Two words for the same thing, on every command. */
export const WORKSPACE_FLAGS: readonly CommandFlag[] = [
  { flags: "--path <dir>", doc: "Workspace (default: the current directory)" },
  { flags: "--workspace <dir>", doc: "Alias of --path" },
];

/** A third way to name it, for commands without words of their own: `index ../other`. */
export const WORKSPACE_ARGUMENT: CommandArgument = { name: "[dir]", doc: "Workspace (default: the current directory)" };

/** For commands that can search several workspaces. */
export const WORKSPACES_FLAGS: readonly CommandFlag[] = [
  WORKSPACE_FLAGS[0]!,
  {
    flags: "--workspace <words>",
    doc: "Alias of --path; also repository names in the shared store, comma-separated, repo:github.com/acme/*, or all",
  },
];

export const OPEN_FLAG: CommandFlag = { flags: "--open <n>", doc: "Open the n-th result in $VISUAL or $EDITOR" };

export const WALK_FLAGS: readonly CommandFlag[] = [
  { flags: "--hidden", doc: "Index hidden files too" },
  { flags: "--no-ignore", doc: "Do not respect ignore files" },
];

export const MODEL_FLAG: CommandFlag = { flags: "--model <name>", doc: "Embedding model (default: built-in)" };

export const REF_FLAG: CommandFlag = { flags: "--ref <ref>", doc: "Branch, tag or commit (default: the working tree)" };
