/** A job loop's own thread or process: whichever this file was started as. */
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { endGitAtExit } from "../adapters/git/command.ts";
import { JobLoop } from "./job-loop.ts";
import type { FromJobs, JobData, ToJobs } from "./job-protocol.ts";

if (parentPort === null) inProcess();
else inThread(parentPort);

function inThread(port: MessagePort): void {
  const tell = (message: FromJobs) => port.postMessage(message);
  const loop = new JobLoop({ data: workerData as JobData, tell, leave: () => port.close() });
  port.on("message", (message: ToJobs) => loop.hear(message));
}

/** What to start with is the first message: a password must not stand in a list of processes. */
function inProcess(): void {
  endGitAtExit();
  // Whoever is not there any more to be told is noticed by `disconnect`.
  const tell = (message: FromJobs) => void process.send?.(message, undefined, undefined, () => {});
  let loop: JobLoop | undefined;
  process.on("message", (message: JobData | ToJobs) => {
    if (loop === undefined) loop = new JobLoop({ data: message as JobData, tell, leave: () => process.disconnect() });
    else loop.hear(message as ToJobs);
  });
  // Whoever wanted the jobs has gone, in good order or not; what is not published is begun again by the next one.
  process.on("disconnect", () => process.exit());
  // A terminal tells all its processes; the one that started us tells us what to do about it.
  process.on("SIGINT", () => {});
}
