/** Contents in bulk through one `cat-file --batch`: a process for all of them, a buffer for each that is wanted. */
import { Buffer } from "node:buffer";
import type { Blob } from "../../ports/history.ts";
import { gitProcess } from "./command.ts";
import { isObjectId } from "./head.ts";

export async function readBlobs(
  root: string,
  ids: Iterable<string>,
  maxBytes: number,
): Promise<ReadonlyMap<string, Blob>> {
  const wanted = [...new Set(ids)].filter(isObjectId);
  if (wanted.length === 0) return new Map();
  const child = gitProcess(root, ["cat-file", "--batch"]);
  const failed = new Promise<never>((_, reject) => child.once("error", reject));
  // A git that cannot be started is told by `failed`; a pipe that it closed says nothing more.
  child.stdin.on("error", () => {});
  child.stdin.end(`${wanted.join("\n")}\n`);
  try {
    return await Promise.race([answersOf(child.stdout, wanted, maxBytes), failed]);
  } finally {
    child.kill();
  }
}

async function answersOf(
  output: AsyncIterable<Buffer>,
  wanted: readonly string[],
  maxBytes: number,
): Promise<ReadonlyMap<string, Blob>> {
  const found = new Map<string, Blob>();
  const reader = new Answers(output);
  for (const id of wanted) {
    const head = (await reader.line())?.split(" ");
    if (head === undefined) break;
    if (head.length !== 3) {
      found.set(id, "missing");
      continue;
    }
    const size = Number(head[2]);
    const keep = head[1] === "blob" && size <= maxBytes;
    const bytes = await reader.bytes(size, keep);
    found.set(id, bytes ?? (head[1] === "blob" ? "too_large" : "missing"));
    await reader.bytes(1, false);
  }
  for (const id of wanted) if (!found.has(id)) found.set(id, "missing");
  return found;
}

/** Lines and counted bytes of a stream; what is not kept is not held. */
class Answers {
  readonly #source: AsyncIterator<Buffer>;
  #held: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  async line(): Promise<string | undefined> {
    for (;;) {
      const end = this.#held.indexOf(10);
      if (end >= 0) {
        const line = this.#held.toString("latin1", 0, end);
        this.#held = this.#held.subarray(end + 1);
        return line;
      }
      if (!(await this.#more())) return undefined;
    }
  }

  async bytes(count: number, keep: boolean): Promise<Uint8Array | undefined> {
    const kept = keep ? new Uint8Array(count) : undefined;
    for (let at = 0; at < count; ) {
      if (this.#held.length === 0 && !(await this.#more())) return undefined;
      const part = this.#held.subarray(0, count - at);
      kept?.set(part, at);
      this.#held = this.#held.subarray(part.length);
      at += part.length;
    }
    return kept;
  }

  async #more(): Promise<boolean> {
    const { value, done } = await this.#source.next();
    if (done) return false;
    this.#held = this.#held.length === 0 ? value : Buffer.concat([this.#held, value]);
    return true;
  }
}
