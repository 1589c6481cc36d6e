/**
 * Starts git's processes for a server, in a thread that is there while it is needed: to start one keeps its starter from
 * everything else, 10 ms in a process of 400 MB, and more than 30 where all cores are busy.
 */
import { Worker } from "node:worker_threads";
import { runHere } from "../adapters/git/command.ts";
import type { FromGit, ToGit } from "./git-protocol.ts";
import { siblingModule } from "./parse-protocol.ts";

interface Asked {
  readonly args: readonly string[];
  readonly answer: (output: Promise<Buffer | undefined> | Buffer | undefined) => void;
}

const IDLE_MS = 60_000;

export class GitThread {
  readonly #asked = new Map<number, Asked>();
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #lastId = 0;
  readonly #module: URL;

  constructor(module = siblingModule("git-worker")) {
    this.#module = module;
  }

  run(args: readonly string[]): Promise<Buffer | undefined> {
    clearTimeout(this.#idle);
    const worker = this.#started();
    worker.ref();
    return new Promise((answer) => {
      const id = ++this.#lastId;
      this.#asked.set(id, { args, answer });
      worker.postMessage({ id, args } satisfies ToGit);
    });
  }

  #started(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(this.#module);
    worker.on("message", (message: FromGit) => this.#hear(message));
    // What could not be started, or died, is gone like one that ended.
    worker.on("error", () => {});
    worker.on("exit", () => this.#ended(worker));
    this.#worker = worker;
    return worker;
  }

  #hear({ id, output }: FromGit): void {
    this.#asked.get(id)?.answer(output && Buffer.from(output.buffer, output.byteOffset, output.byteLength));
    this.#asked.delete(id);
    if (this.#asked.size > 0) return;
    const worker = this.#worker;
    worker?.unref();
    this.#idle = setTimeout(() => void worker?.terminate(), IDLE_MS).unref();
  }

  /** A machine that has no thread to spare still gets its answers. */
  #ended(worker: Worker): void {
    if (this.#worker === worker) this.#worker = undefined;
    for (const { args, answer } of this.#asked.values()) answer(runHere(args));
    this.#asked.clear();
  }
}
