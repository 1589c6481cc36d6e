/** How long a stdio server lives: until its input ends, its parent dies or somebody asks it to leave. Never longer. */
import type { Log } from "./log.ts";

const PARENT_CHECK_MS = 1_000;

/** Calls `end` once for any reason to leave but the end of input; returns a function that stops listening. */
export function watchLifetime(end: (why: string) => void): () => void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid !== parent) end("the parent process died");
  }, PARENT_CHECK_MS);
  timer.unref();
  const onTerminate = () => end("SIGTERM");
  const onInterrupt = () => end("SIGINT");
  process.once("SIGTERM", onTerminate);
  process.once("SIGINT", onInterrupt);
  return () => {
    clearInterval(timer);
    process.off("SIGTERM", onTerminate);
    process.off("SIGINT", onInterrupt);
  };
}

/** stdout belongs to the protocol: whatever else is printed goes to stderr. Returns the writer that may use it. */
export function claimStdout(): NodeJS.WriteStream {
  const { stdout, stderr } = process;
  const protocol = Object.create(stdout, { write: { value: stdout.write.bind(stdout) } }) as NodeJS.WriteStream;
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  console.log = console.info = console.debug = console.error;
  return protocol;
}

/** A bug in the background is logged; it does not end a session that works. */
export function surviveBugs(log: Log): void {
  process.on("uncaughtException", (error) => log(`uncaught: ${error.stack ?? error.message}`));
  process.on("unhandledRejection", (reason) => {
    log(`unhandled: ${reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)}`);
  });
}
