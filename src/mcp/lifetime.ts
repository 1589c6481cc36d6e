/** How long a stdio server lives: until its input ends, its parent dies or somebody asks it to leave. Never longer. */
import type { Log } from "./log.ts";

/** Nothing of a session may be left two seconds after its client died. */
const PARENT_CHECK_MS = 500;

export interface Lifetime {
  /** Somebody asks us to leave: running requests may still be answered. */
  onStopRequested(): void;
  /** Nobody is there any more. */
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
    log(`unhandled: ${reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)}`);
  });
}
