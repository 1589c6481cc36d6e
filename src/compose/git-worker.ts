/** A thread that starts git's processes and hands on what they say. */
import { parentPort } from "node:worker_threads";
import { runHere } from "../adapters/git/command.ts";
import type { FromGit, ToGit } from "./git-protocol.ts";

const port = parentPort!;
port.on("message", async ({ id, args }: ToGit) => {
  const output = await runHere(args);
  port.postMessage({ id, ...(output && { output }) } satisfies FromGit);
});
