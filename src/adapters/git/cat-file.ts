/**
 * Reads git objects through one `git cat-file` process: thousands of objects cost one process start. Requests are
 * pipelined and answered in order. A damaged object ends the process; the remaining requests go to a new one.
 */
import { afterAwake } from "../../model/event-loop.ts";
import { gitProcess } from "./command.ts";

type Process = NonNullable<ReturnType<typeof gitProcess>>;

export type GitObject =
  | { readonly id: string; readonly type: string; readonly bytes: Uint8Array }
  | { readonly id: string; readonly type: string; readonly tooLarge: number }
  /** From a header request. */
  | { readonly id: string; readonly type: string; readonly size: number }
  | { readonly missing: true }
  /** The object or the repository cannot be read. */
  | { readonly corrupt: true };

interface ObjectRequest {
  readonly name: string;
  readonly maxBytes: number;
  readonly resolve: (object: GitObject) => void;
}

/** An object whose content is arriving; `into` is absent when the content is too large to keep. */
interface PendingObject {
  readonly id: string;
  readonly type: string;
  readonly size: number;
  readonly into: Uint8Array | undefined;
  received: number;
}

const IDLE_MS = 10_000;
/** A process that prints nothing for this long is blocked on a file that never answers. */
const STALLED_MS = 30_000;

const OPTIONS = { contents: "--batch", headers: "--batch-check" } as const;

export class CatFile {
  readonly #root: string;
  readonly #mode: keyof typeof OPTIONS;
  readonly #requests: ObjectRequest[] = [];
  #git: Process | undefined;
  #pending: Buffer = Buffer.alloc(0);
  #object: PendingObject | undefined;
  #idle: NodeJS.Timeout | undefined;
  #stalled: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(root: string, mode: keyof typeof OPTIONS = "contents") {
    this.#root = root;
    this.#mode = mode;
  }

  /** `name`: anything git resolves to an object. */
  async get(name: string, maxBytes = Number.POSITIVE_INFINITY): Promise<GitObject> {
    // Requests are lines, so such a name cannot be sent; it names no object.
    if (name === "" || /[\n\0]/.test(name)) return { missing: true };
    return (await this.getAll([name], maxBytes))[0]!;
  }

  /** Sends all requests by one write. */
  getAll(names: readonly string[], maxBytes = Number.POSITIVE_INFINITY): Promise<GitObject[]> {
    if (this.#closed) return Promise.resolve(names.map(() => ({ missing: true })));
    const requests: ObjectRequest[] = [];
    const objects = names.map(
      (name) => new Promise<GitObject>((resolve) => requests.push({ name, maxBytes, resolve })),
    );
    this.#requests.push(...requests);
    this.#send(requests);
    return Promise.all(objects);
  }

  /** Ends an idle process now instead of after the timeout. */
  stopIfIdle(): void {
    if (this.#requests.length === 0) this.#stop();
  }

  close(): void {
    this.#closed = true;
    // A busy process may be blocked on a file that never answers.
    if (this.#requests.length > 0) this.#git?.kill();
    this.#stop();
  }

  #send(requests: readonly ObjectRequest[]): void {
    clearTimeout(this.#idle);
    this.#git ??= this.#start();
    if (this.#git === undefined) {
      this.#failAll();
      return;
    }
    this.#git.stdin.write(requests.map(({ name }) => `${name}\n`).join(""));
    this.#watchForStall();
  }

  #failAll(): void {
    for (const { resolve } of this.#requests.splice(0)) resolve({ corrupt: true });
  }

  #watchForStall(): void {
    clearInterval(this.#stalled);
    if (this.#requests.length === 0) return;
    // Time in which this process is suspended does not count: the output is waiting to be read.
    this.#stalled = afterAwake(STALLED_MS, () => {
      this.#git?.kill();
      this.#forget();
      this.#failAll();
    }).unref();
  }

  #start(): Process | undefined {
    const git = gitProcess(this.#root, ["cat-file", OPTIONS[this.#mode]]);
    if (git === undefined) return undefined;
    git.stdout.on("data", (chunk: Buffer) => {
      // What a process printed before it was given up answers no request that came after that.
      if (this.#git === git) this.#receive(chunk);
    });
    // A broken pipe also ends the process, which is handled there.
    git.stdin.on("error", () => {});
    git.on("error", () => this.#ended(git));
    git.on("close", () => this.#ended(git));
    return git;
  }

  #stop(): void {
    clearTimeout(this.#idle);
    clearInterval(this.#stalled);
    const git = this.#git;
    this.#git = undefined;
    git?.stdin.end();
  }

  /** The object that was being answered ended the process; the others are requested again. */
  #ended(git: Process): void {
    if (this.#git !== git) return;
    this.#forget();
    const culprit = this.#requests.shift();
    if (culprit === undefined) return;
    culprit.resolve({ corrupt: true });
    if (this.#requests.length > 0) this.#send(this.#requests);
  }

  #forget(): void {
    this.#git = undefined;
    this.#pending = Buffer.alloc(0);
    this.#object = undefined;
  }

  #receive(chunk: Buffer): void {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    while (this.#object === undefined ? this.#readHeader() : this.#readContent(this.#object));
    this.#watchForStall();
    if (this.#requests.length > 0) return;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#stop(), IDLE_MS).unref();
  }

  /** False: wait for more output. */
  #readHeader(): boolean {
    const end = this.#pending.indexOf(10);
    if (end < 0) return false;
    const line = this.#pending.toString("latin1", 0, end);
    this.#pending = this.#pending.subarray(end + 1);
    const match = /^([0-9a-f]{40}|[0-9a-f]{64}) (\w+) (\d+)$/.exec(line);
    if (match === null) {
      // "missing", "ambiguous" and other answers for a name without an object.
      this.#requests.shift()?.resolve({ missing: true });
      return true;
    }
    const [, id, type, digits] = match as unknown as [string, string, string, string];
    const size = Number(digits);
    if (this.#mode === "headers") this.#requests.shift()?.resolve({ id, type, size });
    else {
      const into = size <= (this.#requests[0]?.maxBytes ?? 0) ? new Uint8Array(size) : undefined;
      this.#object = { id, type, size, into, received: 0 };
    }
    return true;
  }

  /** False: wait for more output. */
  #readContent(object: PendingObject): boolean {
    const { id, type, size, into } = object;
    const part = this.#pending.subarray(0, size - object.received);
    into?.set(part, object.received);
    object.received += part.length;
    this.#pending = this.#pending.subarray(part.length);
    // A line feed follows the content.
    if (object.received < size || this.#pending.length === 0) return false;
    this.#pending = this.#pending.subarray(1);
    this.#object = undefined;
    this.#requests.shift()?.resolve(into === undefined ? { id, type, tooLarge: size } : { id, type, bytes: into });
    return true;
  }
}
