/** Reads what is stored of file versions; what is asked for in one turn of the event loop is fetched in one question. */
import type { Limits } from "../../ports/limits.ts";
import type { Asking } from "./asking.ts";

type Kind = "record" | "text" | "facts";

interface Waiting {
  readonly promise: Promise<Uint8Array | undefined>;
  settle(bytes: Uint8Array | undefined): void;
  fail(error: unknown): void;
}

/** More would keep the server's answer in memory for long. */
const MOST_AT_ONCE = 256;

export class FileLoader {
  readonly #asking: Asking;
  readonly #kind: Kind;
  #queue = new Map<number, Waiting>();
  readonly #running = new Map<number, Waiting>();
  #repo = 0;

  constructor(asking: Asking, kind: Kind) {
    this.#asking = asking;
    this.#kind = kind;
  }

  /** Undefined: nothing is stored. */
  load(repo: number, version: number): Promise<Uint8Array | undefined> {
    const known = this.#running.get(version) ?? this.#queue.get(version);
    if (known !== undefined) return known.promise;
    this.#repo = repo;
    if (this.#queue.size === 0) queueMicrotask(() => this.#flush());
    const waiting = newWaiting();
    this.#queue.set(version, waiting);
    return waiting.promise;
  }

  #flush(): void {
    const asked = [...this.#queue];
    this.#queue = new Map();
    for (let from = 0; from < asked.length; from += MOST_AT_ONCE)
      void this.#fetch(asked.slice(from, from + MOST_AT_ONCE));
  }

  async #fetch(asked: readonly (readonly [number, Waiting])[]): Promise<void> {
    for (const [version, waiting] of asked) this.#running.set(version, waiting);
    try {
      const found = await readBlobs(
        this.#asking,
        this.#kind,
        this.#repo,
        asked.map(([version]) => version),
      );
      for (const [version, waiting] of asked) waiting.settle(found.get(version));
    } catch (error) {
      for (const [, waiting] of asked) waiting.fail(error);
    } finally {
      for (const [version] of asked) this.#running.delete(version);
    }
  }
}

/** By version; a version without such a blob is left out. */
export async function readBlobs(
  asking: Asking,
  kind: Kind,
  repo: number,
  versions: readonly number[],
  limits?: Limits,
): Promise<Map<number, Uint8Array>> {
  const sql = `SELECT v.id, b.bytes FROM codecompass.file_version v JOIN codecompass.blob b ON b.key = v.${kind}_key
    WHERE v.repo = $1 AND v.id = ANY($2)`;
  const rows = await asking.rows<{ id: number; bytes: Buffer }>(sql, [repo, versions], {
    limits,
    prepared: `${kind}s`,
  });
  return new Map(rows.map(({ id, bytes }) => [id, bytes]));
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
