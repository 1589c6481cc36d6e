/** Asks a running daemon for the answer to a command line. Loads nothing of the program: the command lives for 100 ms. */
import { spawn } from "node:child_process";
import { connect, type Socket } from "node:net";
import type { Config } from "../../config/schema.ts";
import { afterAwake } from "../../model/event-loop.ts";
import type { Call, ExitCode, Terminal } from "../command.ts";
import {
  buildFingerprint,
  type DaemonControl,
  type DaemonQuery,
  type DaemonReply,
  type DaemonStatus,
  daemonFile,
  environmentFingerprint,
  lineSplitter,
  parseReply,
  readDaemonFile,
} from "./protocol.ts";

/** A daemon that does not take a request up by then is too busy: the command answers for itself. */
const ACCEPT_MS = 250;
/** It repeats every second that it is at work; one that is stopped for this long is given up. */
const SILENT_MS = 10_000;
const CONTROL_MS = 2_000;
const LONGEST_REPLY = 256 * 1024 * 1024;

/** Flags that need this process: its stdin, its editor, or files named relative to its directory. */
const LOCAL = /^(-|--(open|config|store|read-store|verbose)(=.*)?|-v)$/;

/** The exit code; undefined: nothing was printed, and the caller runs the command itself. */
export async function askDaemon(
  argv: readonly string[],
  { terminal, signal }: { readonly terminal: Terminal; readonly signal: AbortSignal },
): Promise<ExitCode | undefined> {
  if (process.env.CODECOMPASS_CLI_DAEMON === "off" || argv.some((word) => LOCAL.test(word))) return undefined;
  const found = readDaemonFile(daemonFile(process.env));
  const build = buildFingerprint();
  if (found === undefined || build === undefined) return undefined;
  const { outIsTty, colour, errIsTty, columns } = terminal;
  const request: DaemonQuery = {
    token: found.token,
    build,
    environment: environmentFingerprint(process.env),
    argv,
    cwd: process.cwd(),
    terminal: { outIsTty, colour, errIsTty, columns },
  };
  return exchange(connect(found.address), request, terminal, signal);
}

function exchange(
  socket: Socket,
  request: DaemonQuery,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<ExitCode | undefined> {
  return new Promise((resolve) => {
    let printed = false;
    const end = (code: ExitCode | undefined) => {
      clearTimeout(timeout);
      clearInterval(silence);
      socket.destroy();
      resolve(code);
    };
    const isLost = () => {
      if (!printed) return end(signal.aborted ? 130 : undefined);
      terminal.err("codecompass: the daemon ended during the answer. Run the command again.\n");
      end(2);
    };
    const timeout = setTimeout(() => end(undefined), ACCEPT_MS);
    let silence = afterAwake(SILENT_MS, isLost);
    const onReply = (reply: DaemonReply | undefined) => {
      clearInterval(silence);
      silence = afterAwake(SILENT_MS, isLost);
      if (reply === undefined) return isLost();
      if (reply[0] === "accepted") return clearTimeout(timeout);
      if (reply[0] === "declined") return end(undefined);
      if (reply[0] === "exit") return end(reply[1]);
      if (reply[0] === "status") return;
      if (!printed) terminal.page?.();
      printed = true;
      terminal[reply[0]](reply[1]);
    };
    socket.setEncoding("utf8");
    socket.on(
      "data",
      lineSplitter((line) => onReply(parseReply(line)), isLost, LONGEST_REPLY),
    );
    socket.on("error", isLost);
    socket.on("close", isLost);
    signal.addEventListener("abort", () => end(130), { once: true });
    socket.write(`${JSON.stringify(request)}\n`);
  });
}

/** What a running daemon reports; undefined: none runs. */
export function controlDaemon(env: Call["env"], control: DaemonControl["control"]): Promise<DaemonStatus | undefined> {
  const found = readDaemonFile(daemonFile(env));
  if (found === undefined) return Promise.resolve(undefined);
  const request: DaemonControl = { token: found.token, control };
  const socket = connect(found.address);
  return new Promise((resolve) => {
    const end = (status?: DaemonStatus) => {
      clearTimeout(timeout);
      socket.destroy();
      resolve(status);
    };
    const timeout = setTimeout(end, CONTROL_MS);
    const onLine = (line: string) => {
      const reply = parseReply(line);
      end(reply?.[0] === "status" ? reply[1] : undefined);
    };
    socket.setEncoding("utf8");
    socket.on("data", lineSplitter(onLine, end, LONGEST_REPLY));
    socket.on("error", () => end());
    socket.on("close", () => end());
    socket.write(`${JSON.stringify(request)}\n`);
  });
}

/** Never from CI, and by default only from a terminal: no script leaves a process behind. */
export async function startDaemonBehind({ env, terminal, globals }: Call, config: Config, home: string): Promise<void> {
  const mode = config["cli.daemon"];
  const isWanted = mode === "on" || (mode === "auto" && terminal.outIsTty);
  const entry = process.argv[1];
  // It would not be asked: it reads neither a store of many machines nor the config file of one command.
  if (!isWanted || env.CI || config.store !== "" || globals.config !== undefined || entry === undefined) return;
  if ((await controlDaemon(env, "status")) !== undefined) return;
  const { CODECOMPASS_REEXECUTED: _, ...inherited } = env;
  const child = spawn(process.execPath, [...process.execArgv, entry, "daemon", "run"], {
    cwd: home,
    env: { ...inherited, CODECOMPASS_HOME: home },
    detached: true,
    stdio: "ignore",
    windowsHide: true,
  });
  child.on("error", () => {});
  child.unref();
}
