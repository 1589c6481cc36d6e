/** Reads what is stored of file versions; what is asked for in one turn of the event loop is fetched in one question. */
import { readBlobs } from "./blobs.ts";
import { nodeOf } from "./data-nodes.ts";
import type { Asking } from "./query-interface.ts";

type Kind = "record" | "text" | "facts";

interface Waiting {
  readonly promise: Promise<Uint8Array | undefined>;
  settle(bytes: Uint8Array | undefined): void;
  fail(error: unknown): void;
}

/** More would keep the server's answer in memory for long. */
const MOST_AT_ONCE = 256;

/** By version: those that are still collected, and those that were asked for and are not answered yet. */
interface Batch {
  readonly queued: Map<number, Waiting>;
  readonly running: Map<number, Waiting>;
}

export class FileLoader {
  readonly #asking: Asking;
  readonly #kind: Kind;
  /** By principal and repository: a batch is read with the rights of one principal. */
  readonly #batches = new Map<string, Batch>();

  constructor(asking: Asking, kind: Kind) {
    this.#asking = asking;
    this.#kind = kind;
  }

  /** Undefined: nothing is stored. */
  load(repo: number, version: number): Promise<Uint8Array | undefined> {
    const key = `${this.#asking.asker?.() ?? ""} ${repo}`;
    const batch = this.#batches.get(key) ?? { queued: new Map(), running: new Map() };
    this.#batches.set(key, batch);
    const known = batch.running.get(version) ?? batch.queued.get(version);
    if (known !== undefined) return known.promise;
    // Runs in the context of this request, and so with the rights of its principal.
    if (batch.queued.size === 0) queueMicrotask(() => void this.#flush(key, batch, repo));
    const waiting = newWaiting();
    batch.queued.set(version, waiting);
    return waiting.promise;
  }

  async #flush(key: string, batch: Batch, repo: number): Promise<void> {
    const asked = [...batch.queued];
    batch.queued.clear();
    const parts: Promise<void>[] = [];
    for (let from = 0; from < asked.length; from += MOST_AT_ONCE)
      parts.push(this.#fetch(batch, repo, asked.slice(from, from + MOST_AT_ONCE)));
    await Promise.all(parts);
    if (batch.queued.size === 0 && batch.running.size === 0) this.#batches.delete(key);
  }

  async #fetch({ running }: Batch, repo: number, asked: readonly (readonly [number, Waiting])[]): Promise<void> {
    for (const [version, waiting] of asked) running.set(version, waiting);
    try {
      const found = await readFileBlobs(
        this.#asking,
        this.#kind,
        repo,
        asked.map(([version]) => version),
      );
      for (const [version, waiting] of asked) waiting.settle(found.get(version));
    } catch (error) {
      for (const [, waiting] of asked) waiting.fail(error);
    } finally {
      for (const [version] of asked) running.delete(version);
    }
  }
}

/** By version; a version without such a blob is left out. */
export function readFileBlobs(
  asking: Asking,
  kind: Kind,
  repo: number,
  versions: readonly number[],
): Promise<Map<number, Uint8Array>> {
  const sql = `SELECT v.id, v.${kind}_key AS key FROM codecompass.file_version v WHERE v.repo = $1 AND v.id = ANY($2)`;
  return readBlobs(asking, nodeOf(repo), { sql, values: [repo, versions] }, { prepared: `${kind}s` });
}

function newWaiting(): Waiting {
  let settle!: (bytes: Uint8Array | undefined) => void;
  let fail!: (error: unknown) => void;
  const promise = new Promise<Uint8Array | undefined>((resolve, reject) => {
    settle = resolve;
    fail = reject;
  });
  // Whoever asked ahead may never come back for it.
  promise.catch(() => {});
  return { promise, settle, fail };
}
