/** What a command and the daemon send each other: one JSON value per line over a local socket. */
import { statSync } from "node:fs";
import { extname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { dataHome } from "../../config/data-home.ts";
import { readBoundedText } from "../../io/bounded-read.ts";
import type { ExitCode, Terminal } from "../command.ts";

/** Where a daemon listens. The file is readable by its owner only; its token is proof of having read it. */
export interface DaemonAddress {
  /** A socket in the data directory, or a named pipe on Windows. */
  readonly address: string;
  readonly token: string;
  readonly pid: number;
}

export type DaemonRequest = DaemonQuery | DaemonControl;

/** Answered with `status`. */
export interface DaemonControl {
  readonly token: string;
  readonly control: "status" | "stop";
}

/** A command line to answer, and the parts of its process that matter to the answer. */
export interface DaemonQuery {
  readonly token: string;
  readonly build: string;
  readonly environment: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly terminal: Pick<Terminal, "outIsTty" | "colour" | "errIsTty" | "columns">;
}

/**
 * `accepted` comes first. `declined`: the command runs in its own process, and nothing was printed. `exit` comes last.
 */
export type DaemonReply =
  | readonly ["accepted"]
  | readonly ["declined"]
  | readonly ["out", string]
  | readonly ["err", string]
  | readonly ["matches", string]
  | readonly ["exit", ExitCode]
  | readonly ["status", DaemonStatus];

export interface DaemonStatus {
  readonly pid: number;
  /** Queries that it has answered. */
  readonly answered: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

export function daemonFile(env: Environment): string {
  return join(dataHome(env), "daemon.json");
}

/** Undefined: there is no daemon, the file is not its owner's alone, or it is damaged. */
export function readDaemonFile(file: string): DaemonAddress | undefined {
  try {
    const { mode, uid } = statSync(file);
    if (process.getuid !== undefined && (uid !== process.getuid() || (mode & 0o077) !== 0)) return undefined;
    const read = JSON.parse(readBoundedText(file, LONGEST_ADDRESS) ?? "") as Partial<DaemonAddress>;
    // Anything else might be taken for a port.
    const isAddress = typeof read.address === "string" && isAbsolute(read.address);
    const isWhole = isAddress && typeof read.token === "string" && typeof read.pid === "number";
    return isWhole ? (read as DaemonAddress) : undefined;
  } catch {
    return undefined;
  }
}

const LONGEST_ADDRESS = 4_096;

/** Undefined for a line that no daemon sends. */
export function parseReply(line: string): DaemonReply | undefined {
  try {
    const [kind, value] = JSON.parse(line) as [unknown, unknown];
    const isReply =
      kind === "accepted" ||
      kind === "declined" ||
      ((kind === "out" || kind === "err" || kind === "matches") && typeof value === "string") ||
      (kind === "exit" && [0, 1, 2, 130].includes(value as number)) ||
      (kind === "status" && typeof value === "object" && value !== null);
    return isReply ? ([kind, value] as unknown as DaemonReply) : undefined;
  } catch {
    return undefined;
  }
}

/** Changes when this program is rebuilt, upgraded or replaced; undefined once it has been removed. */
export function buildFingerprint(): string | undefined {
  try {
    const own = fileURLToPath(new URL(`../main${extname(import.meta.url)}`, import.meta.url));
    const { mtimeMs, size, ino } = statSync(own);
    return `${own} ${mtimeMs} ${size} ${ino} ${process.version}`;
  } catch {
    return undefined;
  }
}

/** Variables that decide what is read or run. A daemon answers only a caller that has the same. */
const DECISIVE = /^(CODECOMPASS_|GIT_|XDG_|PG|(HOME|USERPROFILE|PATH|Path|APPDATA|LOCALAPPDATA)$)/;
/** The caller has found the data directory, and asks a daemon, by now. */
const OBEYED = ["CODECOMPASS_HOME", "CODECOMPASS_CLI_DAEMON"];

export function environmentFingerprint(env: Environment): string {
  const decisive = Object.entries(env).filter(([name]) => DECISIVE.test(name) && !OBEYED.includes(name));
  return JSON.stringify(decisive.sort());
}

/** Calls back with each complete line; a line longer than `most` ends the connection. */
export function lineSplitter(onLine: (line: string) => void, onTooLong: () => void, most: number) {
  let held = "";
  return (text: string) => {
    const lines = (held + text).split("\n");
    held = lines.pop()!;
    for (const line of lines) onLine(line);
    if (held.length > most) onTooLong();
  };
}
