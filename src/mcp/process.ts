/** What a server needs from its process: signals, streams and a bounded log. */
import { fstatSync } from "node:fs";
import { Socket } from "node:net";
import type { Readable } from "node:stream";
import { errorStack } from "../model/errors.ts";
import { visibleText } from "../tools/json.ts";

/** Nothing of a session may be left two seconds after its client died. */
const PARENT_CHECK_MS = 500;

interface Lifetime {
  /** SIGTERM or SIGINT: running requests may still be answered. */
  onStopRequested(): void;
  /** The parent process has died. */
  onOrphaned(): void;
}

/** Returns a function that stops listening. */
export function watchLifetime({ onStopRequested, onOrphaned }: Lifetime): () => void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid !== parent) onOrphaned();
  }, PARENT_CHECK_MS);
  timer.unref();
  process.once("SIGTERM", onStopRequested);
  process.once("SIGINT", onStopRequested);
  return () => {
    clearInterval(timer);
    process.off("SIGTERM", onStopRequested);
    process.off("SIGINT", onStopRequested);
  };
}

/** stdout belongs to the protocol: whatever else is printed goes to stderr. Returns the one way to write to it. */
export function claimStdout(): NodeJS.WriteStream["write"] {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  console.log = console.info = console.debug = console.error;
  return write as NodeJS.WriteStream["write"];
}

/** A bug in the background is logged; it does not end a session that works. */
export function surviveBugs(log: Log): void {
  process.on("uncaughtException", (error) => log(`uncaught: ${error.stack ?? error.message}`));
  process.on("unhandledRejection", (reason) => {
    log(`unhandled: ${errorStack(reason)}`);
  });
}

const BUFFER_BYTES = 64 * 1024;

/**
 * `process.stdin` allocates a buffer for every read and leaves it to the garbage collector: a flood of 256 MB raised the
 * process by 110 MB on a busy machine. A pipe or socket is read into one buffer instead; a listener must copy what it
 * keeps. Files and terminals do not flood.
 */
export function openStdin(): Readable {
  const kind = fstatSync(0);
  if (!kind.isFIFO() && !kind.isSocket()) return process.stdin;
  const socket: Socket = new Socket({
    fd: 0,
    readable: true,
    writable: false,
    onread: {
      buffer: Buffer.allocUnsafe(BUFFER_BYTES),
      callback: (length, buffer) => {
        socket.emit("data", (buffer as Buffer).subarray(0, length));
        return true;
      },
    },
  });
  // Importing node:process reads every property of it, and a second stream on the same pipe cannot be opened.
  Object.defineProperty(process, "stdin", { value: socket, configurable: true, enumerable: true });
  return socket;
}

export type Log = (line: string) => void;

const BURST = 50;
const PER_SECOND = 5;
const LONGEST = 2_000;

export function rateLimited(write: (text: string) => void, now: () => number): Log {
  let allowance = BURST;
  let dropped = 0;
  let last = now();
  return (line) => {
    const time = now();
    allowance = Math.min(BURST, allowance + ((time - last) / 1000) * PER_SECOND);
    last = time;
    if (allowance < 1) {
      dropped++;
      return;
    }
    allowance--;
    const missed = dropped > 0 ? ` (${dropped} lines dropped)` : "";
    dropped = 0;
    // Paths come from repositories and may contain terminal control sequences.
    write(`codecompass: ${visibleText(line.slice(0, LONGEST))}${missed}\n`);
  };
}

/** A value made by the first caller and shared by the others; one that could not be made is tried again. */
export function onceUnlessFailed<T>(make: () => T | Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= (async () => make())().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

/** Waits for the work, but not longer than `ms`. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  const timeout = Promise.withResolvers<undefined>();
  const timer = setTimeout(timeout.resolve, ms, undefined);
  return Promise.race([work, timeout.promise]).finally(() => clearTimeout(timer));
}
