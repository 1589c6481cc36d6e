/**
 * Starts git's processes for a server, in a thread that exists while it is needed: starting a process blocks its starter,
 * 10 ms in a process of 400 MB, and more than 30 where all cores are busy.
 */
import { runHere } from "../adapters/git/command.ts";
import type { GitApi } from "./git-worker.ts";
import { WorkerClient, WorkerExit } from "./worker-client.ts";
import { siblingModule, startThread, threadTransport } from "./worker-protocol.ts";

const IDLE_MS = 60_000;

export class GitThread {
  readonly #client: WorkerClient<GitApi>;

  constructor(module = siblingModule("git-worker")) {
    this.#client = new WorkerClient(
      threadTransport("git", () => startThread(module)),
      { idleMs: IDLE_MS },
    );
  }

  async run(args: readonly string[]): Promise<Buffer | undefined> {
    try {
      const output = await this.#client.call("run", [args]);
      return output && Buffer.from(output.buffer, output.byteOffset, output.byteLength);
    } catch (error) {
      // A machine that has no thread to spare still gets its answers.
      if (error instanceof WorkerExit) return runHere(args);
      throw error;
    }
  }
}
