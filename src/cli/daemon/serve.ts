/**
 * The daemon: keeps one compass open and answers queries of commands that share its environment and its build. It only
 * reads. What needs a job (a stale index, a new ref) and whatever fails is declined, and the command does it itself.
 */
import { randomBytes } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { dirname, join } from "node:path";
import type { Compass } from "../../compass/compass.ts";
import { type OpenOptions, openCompass } from "../../compose/compose.ts";
import { replaceFile } from "../../io/replace-file.ts";
import type { Call, ExitCode, OpenedCompass, Terminal } from "../command.ts";
import {
  buildFingerprint,
  type DaemonAddress,
  type DaemonReply,
  type DaemonRequest,
  environmentFingerprint,
  lineSplitter,
  readDaemonFile,
} from "./protocol.ts";

/** Ends after this long without a command. */
const IDLE_MS = 5 * 60_000;
/** How soon it notices that it was replaced, or that its program was removed or upgraded. */
const CHECK_MS = 5_000;
const LONGEST_REQUEST = 4 * 1024 * 1024;
/** Output is held back until it is this long, so that a command that fails can still be declined. */
const HELD_CHARACTERS = 256 * 1024;
/** How often it says that it is at work. */
const WORKING_MS = 1_000;
/** The longest path of a socket on macOS is 104 bytes. */
const LONGEST_SOCKET_PATH = 100;

/** Resolves when it has ended. `file`: see `daemonFile`. */
export async function serveDaemon(file: string, { env, execute }: Pick<Call, "env" | "execute">): Promise<void> {
  const own = { address: socketAddress(file), token: randomBytes(32).toString("hex"), pid: process.pid };
  const build = buildFingerprint();
  if (own.address.length > LONGEST_SOCKET_PATH || build === undefined) return;
  const compasses = new SharedCompasses();
  const environment = environmentFingerprint(env);
  let usedAt = performance.now();
  let active = 0;
  const stopped = new AbortController();
  const serving = { own, build, environment, env, execute, compasses, answered: 0, stop: () => stopped.abort() };
  const server = createServer((socket) => {
    active++;
    socket.on("close", () => {
      active--;
      usedAt = performance.now();
    });
    answer(socket, serving);
  });
  await listen(server, own);
  publish(file, own);
  await new Promise<void>((ended) => {
    stopped.signal.addEventListener("abort", () => ended());
    const check = () => {
      const isIdle = active === 0 && performance.now() - usedAt > IDLE_MS;
      const isReplaced = readDaemonFile(file)?.token !== own.token || buildFingerprint() !== build;
      if (isIdle || isReplaced) ended();
    };
    const timer = setInterval(check, CHECK_MS);
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.once(signal, () => ended());
    server.once("close", () => clearInterval(timer));
  });
  if (readDaemonFile(file)?.token === own.token) rmSync(file, { force: true });
  server.close();
  if (process.platform !== "win32") rmSync(own.address, { force: true });
  await compasses.close();
}

/** A name that cannot be guessed: it stands only in the file. */
function socketAddress(file: string): string {
  const name = `daemon-${randomBytes(8).toString("hex")}`;
  return process.platform === "win32" ? `\\\\.\\pipe\\codecompass-${name}` : join(dirname(file), `${name}.sock`);
}

async function listen(server: Server, { address }: DaemonAddress): Promise<void> {
  const before = process.umask(0o177);
  try {
    await new Promise<void>((resolve, reject) => server.once("error", reject).listen(address, resolve));
  } finally {
    process.umask(before);
  }
}

/** Takes the place of an earlier daemon, which notices and ends. */
function publish(file: string, own: DaemonAddress): void {
  const earlier = readDaemonFile(file);
  const draft = `${file}.${own.pid}`;
  writeFileSync(draft, JSON.stringify(own), { mode: 0o600 });
  replaceFile(draft, file);
  if (earlier !== undefined && process.platform !== "win32") rmSync(earlier.address, { force: true });
}

interface Serving extends Pick<Call, "env" | "execute"> {
  readonly own: DaemonAddress;
  readonly build: string;
  readonly environment: string;
  readonly compasses: SharedCompasses;
  answered: number;
  stop(): void;
}

function answer(socket: Socket, serving: Serving): void {
  const gone = new AbortController();
  const stop = () => {
    gone.abort();
    socket.destroy();
  };
  socket.setEncoding("utf8");
  socket.on("error", stop);
  socket.on("close", () => gone.abort());
  const onLine = (line: string) => void answerLine(socket, line, serving, gone.signal).catch(stop);
  socket.on("data", lineSplitter(onLine, stop, LONGEST_REQUEST));
}

async function answerLine(socket: Socket, line: string, serving: Serving, signal: AbortSignal): Promise<void> {
  const { own, build, environment, env, compasses, execute } = serving;
  const request = JSON.parse(line) as DaemonRequest;
  const output = new Output(socket);
  if (request.token !== own.token) return output.decline();
  if ("control" in request) {
    output.send(["status", { pid: own.pid, answered: serving.answered }]);
    if (request.control === "stop") serving.stop();
    return;
  }
  if (request.environment !== environment) return output.decline();
  // The caller's build is newer, or this one's files are gone.
  if (request.build !== build || buildFingerprint() !== build) return output.decline();
  output.send(["accepted"]);
  const working = setInterval(() => output.send(["accepted"]), WORKING_MS);
  const { argv, cwd } = request;
  try {
    const terminal = { ...request.terminal, ...output.writers };
    output.end(await execute(argv, { terminal, signal, env, cwd, openCompass: compasses.open }));
    serving.answered++;
  } catch {
    output.decline();
  } finally {
    clearInterval(working);
  }
}

class Output {
  readonly writers: Pick<Terminal, "out" | "err" | "matches">;
  readonly #socket: Socket;
  #held: DaemonReply[] = [];
  #characters = 0;
  #isSent = false;

  constructor(socket: Socket) {
    this.#socket = socket;
    const writer = (kind: "out" | "err" | "matches") => (text: string) => this.#print([kind, text], text.length);
    this.writers = { out: writer("out"), err: writer("err"), matches: writer("matches") };
  }

  send(reply: DaemonReply): void {
    if (!this.#socket.destroyed) this.#socket.write(`${JSON.stringify(reply)}\n`);
  }

  /** A failed command is run again by its caller, with the same message, unless much of it was printed. */
  end(code: ExitCode): void {
    if (code === 2) this.decline();
    else {
      this.#flush();
      this.send(["exit", code]);
      this.#socket.end();
    }
  }

  decline(): void {
    if (this.#isSent) return void this.#socket.destroy();
    this.send(["declined"]);
    this.#socket.end();
  }

  #print(reply: DaemonReply, characters: number): void {
    this.#held.push(reply);
    this.#characters += characters;
    if (this.#characters > HELD_CHARACTERS) this.#flush();
  }

  #flush(): void {
    for (const reply of this.#held) this.send(reply);
    this.#isSent ||= this.#held.length > 0;
    this.#held = [];
    this.#characters = 0;
  }
}

/** Commands with other settings than these many open an index of their own. */
const MOST_SETTINGS = 4;

/** One open compass for all commands with the same settings. */
class SharedCompasses {
  readonly #opened = new Map<string, Promise<Compass>>();

  /** For `Call.openCompass`. */
  readonly open = async (options: OpenOptions): Promise<OpenedCompass> => {
    const settings = JSON.stringify(options.settings);
    if (options.settings.store !== "") throw new Error("a shared store is read by each command itself");
    if (!this.#opened.has(settings) && this.#opened.size === MOST_SETTINGS) throw new Error("too many settings");
    const opening = this.#opened.get(settings) ?? openCompass({ ...options, daemon: true });
    this.#opened.set(settings, opening);
    return { compass: await opening, close: async () => {} };
  };

  async close(): Promise<void> {
    await Promise.all([...this.#opened.values()].map(async (opening) => (await opening).close()));
  }
}
