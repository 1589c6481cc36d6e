/**
 * Git's objects by name or id, or what their headers say, through one `git cat-file`: thousands of them cost one process.
 * Requests are written ahead and answered in order. A damaged object ends the process; it costs that object, and another
 * process goes on with the others.
 */
import { gitProcess } from "./command.ts";

type Process = NonNullable<ReturnType<typeof gitProcess>>;

export type GitObject =
  | { readonly id: string; readonly type: string; readonly bytes: Uint8Array }
  | { readonly id: string; readonly type: string; readonly tooLarge: number }
  /** Where only its header was asked for. */
  | { readonly id: string; readonly type: string; readonly size: number }
  | { readonly missing: true }
  /** The repository cannot be read, or this object of it. */
  | { readonly corrupt: true };

interface ObjectRequest {
  readonly name: string;
  /** Undefined: the header is enough. */
  readonly maxBytes: number | undefined;
  readonly answer: (object: GitObject) => void;
}

/** A content on its way: its place in `into`, or only counted when nobody keeps it. */
interface PendingObject {
  readonly id: string;
  readonly type: string;
  readonly size: number;
  readonly into: Uint8Array | undefined;
  got: number;
}

const IDLE_MS = 10_000;
/** A process that says nothing for this long waits for a file that never answers. */
const STALLED_MS = 30_000;

/** What is asked for of each object. `either` is known to git 2.36 and newer. */
const OPTIONS = { contents: "--batch", headers: "--batch-check", either: "--batch-command" } as const;
/** What git says to an option that it does not know. */
const USAGE = 129;

export class CatFile {
  readonly #root: string;
  #what: keyof typeof OPTIONS;
  readonly #asked: ObjectRequest[] = [];
  #git: Process | undefined;
  #pending: Buffer = Buffer.alloc(0);
  #content: PendingObject | undefined;
  #idle: NodeJS.Timeout | undefined;
  #stalled: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(root: string, what: keyof typeof OPTIONS = "contents") {
    this.#root = root;
    this.#what = what;
  }

  /** Whether a header costs no more than its line; where this git does not know `either`, that shows with the first answer. */
  get tellsHeaders(): boolean {
    return this.#what !== "contents";
  }

  /** `name`: anything git resolves to an object. */
  get(name: string, maxBytes = Number.POSITIVE_INFINITY): Promise<GitObject> {
    // A line is one request: such a name cannot be asked for, and names nothing.
    if (this.#closed || name === "" || /[\n\0]/.test(name)) return Promise.resolve({ missing: true });
    return new Promise((answer) => {
      const asked = { name, maxBytes, answer };
      this.#asked.push(asked);
      this.#write([asked]);
    });
  }

  /** What the header of each id says, by one write. */
  headers(ids: readonly string[]): Promise<GitObject[]> {
    if (this.#closed) return Promise.resolve(ids.map(() => ({ missing: true })));
    const asked: ObjectRequest[] = [];
    const answers = ids.map(
      (name) => new Promise<GitObject>((answer) => asked.push({ name, maxBytes: undefined, answer })),
    );
    this.#asked.push(...asked);
    this.#write(asked);
    return Promise.all(answers);
  }

  /** Nobody will ask soon: the process leaves now. Whoever asks nevertheless starts another. */
  leave(): void {
    if (this.#asked.length === 0) this.#stop();
  }

  close(): void {
    this.#closed = true;
    // One that is busy may be waiting for a file that never answers.
    if (this.#asked.length > 0) this.#git?.kill();
    this.#stop();
  }

  #write(asked: readonly ObjectRequest[]): void {
    clearTimeout(this.#idle);
    this.#git ??= this.#begin();
    if (this.#git === undefined) {
      this.#giveUp();
      return;
    }
    this.#git.stdin.write(asked.map((one) => this.#lineOf(one)).join(""));
    this.#expectSoon();
  }

  /** Nothing that is asked for can be read. */
  #giveUp(): void {
    for (const { answer } of this.#asked.splice(0)) answer({ corrupt: true });
  }

  /** Starts counting anew; an end without an answer is the end of all that was asked for. */
  #expectSoon(): void {
    clearTimeout(this.#stalled);
    if (this.#asked.length === 0) return;
    this.#stalled = setTimeout(() => {
      this.#git?.kill();
      this.#git = undefined;
      this.#giveUp();
    }, STALLED_MS).unref();
  }

  #lineOf({ name, maxBytes }: ObjectRequest): string {
    if (this.#what !== "either") return `${name}\n`;
    return maxBytes === undefined ? `info ${name}\n` : `contents ${name}\n`;
  }

  #begin(): Process | undefined {
    const git = gitProcess(this.#root, ["cat-file", OPTIONS[this.#what]]);
    if (git === undefined) return undefined;
    git.stdout.on("data", (chunk: Buffer) => this.#hear(chunk));
    // Whatever breaks the pipe also ends the process, and that is where it is answered.
    git.stdin.on("error", () => {});
    git.on("error", () => this.#ended(git));
    git.on("close", (code) => {
      if (code === USAGE && this.#what === "either") this.#contentsOnly(git);
      else this.#ended(git);
    });
    return git;
  }

  #stop(): void {
    clearTimeout(this.#idle);
    clearTimeout(this.#stalled);
    const git = this.#git;
    this.#git = undefined;
    git?.stdin.end();
  }

  /** An older git: nothing was answered, and contents it knows. */
  #contentsOnly(git: Process): void {
    this.#what = "contents";
    if (this.#git !== git) return;
    this.#git = undefined;
    if (this.#asked.length > 0) this.#write(this.#asked);
  }

  /** The object that was being answered is the one that ended it. */
  #ended(git: Process): void {
    if (this.#git !== git && this.#git !== undefined) return;
    this.#git = undefined;
    this.#pending = Buffer.alloc(0);
    this.#content = undefined;
    const culprit = this.#asked.shift();
    if (culprit === undefined) return;
    culprit.answer({ corrupt: true });
    if (this.#asked.length > 0) this.#write(this.#asked);
  }

  #hear(chunk: Buffer): void {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    while (this.#step());
    this.#expectSoon();
    if (this.#asked.length === 0) this.#rest();
  }

  #rest(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#stop(), IDLE_MS).unref();
  }

  /** Takes one piece off what has arrived; false: wait for more. */
  #step(): boolean {
    return this.#content === undefined ? this.#header() : this.#fill(this.#content);
  }

  #header(): boolean {
    const end = this.#pending.indexOf(10);
    if (end < 0) return false;
    const line = this.#pending.toString("latin1", 0, end);
    this.#pending = this.#pending.subarray(end + 1);
    const match = /^([0-9a-f]{40}|[0-9a-f]{64}) (\w+) (\d+)$/.exec(line);
    if (match === null) {
      // "missing", "ambiguous" and what else git says when a name means no object.
      this.#asked.shift()?.answer({ missing: true });
      return true;
    }
    const [, id, type, digits] = match as unknown as [string, string, string, string];
    const size = Number(digits);
    const maxBytes = this.#asked[0]?.maxBytes;
    if (maxBytes === undefined && this.#what !== "contents") {
      this.#asked.shift()?.answer({ id, type, size });
      return true;
    }
    const wanted = maxBytes !== undefined && size <= maxBytes;
    this.#content = { id, type, size, into: wanted ? new Uint8Array(size) : undefined, got: 0 };
    return true;
  }

  #fill(content: PendingObject): boolean {
    const { id, type, size, into } = content;
    const part = this.#pending.subarray(0, size - content.got);
    into?.set(part, content.got);
    content.got += part.length;
    this.#pending = this.#pending.subarray(part.length);
    // A line feed follows the content.
    if (content.got < size || this.#pending.length === 0) return false;
    this.#pending = this.#pending.subarray(1);
    this.#content = undefined;
    const asked = this.#asked.shift();
    if (into !== undefined) asked?.answer({ id, type, bytes: into });
    else asked?.answer(asked.maxBytes === undefined ? { id, type, size } : { id, type, tooLarge: size });
    return true;
  }
}
