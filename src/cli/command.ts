/** What a command is: its words, its flags, its examples and `run`. Help, completions and docs/cli.md derive from it. */

/** 0 found or done, 1 nothing found, 2 error, 130 interrupted. */
export type ExitCode = 0 | 1 | 2 | 130;

export interface Flag {
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

export interface Argument {
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
  readonly group: "Commands:" | "Tools (the same answers as over MCP):";
  readonly argument?: Argument;
  /** What follows the argument. */
  readonly second?: Argument;
  readonly flags: readonly Flag[];
  /** Argument lists without the program's name. */
  readonly examples: readonly string[];
  run(call: Call): Promise<ExitCode>;
}

/** One invocation, with everything of the process that a command may use. */
export interface Call {
  readonly words: readonly string[];
  readonly flags: Readonly<Record<string, unknown>>;
  readonly globals: Globals;
  readonly terminal: Terminal;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly signal: AbortSignal;
  /** Every command there is. */
  commands(): Promise<readonly CommandSpec[]>;
}

export interface Globals {
  readonly verbose: boolean;
  readonly json: boolean;
  readonly config?: string;
  readonly store?: string;
  readonly readStore?: string;
}

/** Where a command writes. Colour and the progress bar exist only on a terminal. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  readonly colour: boolean;
  readonly errIsTty: boolean;
  readonly columns: number;
}

export const GLOBAL_FLAGS: readonly Flag[] = [
  { flags: "-v, --verbose", doc: "say on stderr what is being done" },
  { flags: "--config <file>", doc: "read this config file instead of the repository's and yours" },
  { flags: "--store <address>", doc: "keep the index in this PostgreSQL (postgres://…) instead of on this machine" },
  { flags: "--read-store <address>", doc: "read from this replica of --store" },
  { flags: "--json", doc: "print JSON" },
  { flags: "--no-color", doc: "no colours" },
];

/** Two words for the same thing, on every command. */
export const WORKSPACE_FLAGS: readonly Flag[] = [
  { flags: "--path <dir>", doc: "workspace to use (default: the current directory)" },
  { flags: "--workspace <dir>", doc: "the same as --path" },
];

/** Of commands that can ask several workspaces at once. */
export const WORKSPACES_FLAGS: readonly Flag[] = [
  WORKSPACE_FLAGS[0]!,
  {
    flags: "--workspace <words>",
    doc: "the same as --path; also a repository's name in the shared store, several with commas, repo:github.com/acme/*, or all",
  },
];

export const WALK_FLAGS: readonly Flag[] = [
  { flags: "--hidden", doc: "also index hidden files" },
  { flags: "--no-ignore", doc: "do not read ignore files" },
];

export const MODEL_FLAG: Flag = { flags: "--model <name>", doc: "embedding model (default: the built-in one)" };

export const REF_FLAG: Flag = { flags: "--ref <ref>", doc: "branch or ref (default: what is checked out)" };
