/**
 * Answers that were given lately. A published view never changes, so the same question has the same answer until the
 * next publication: agents that share a server often ask what another has just asked.
 */
import type { Readers, ViewAddress } from "../../ports/readers.ts";
import { RequestQueue } from "../projects/request-queue.ts";
import { READ_POLICIES, type ReadApi, type ReadMethod } from "./read-methods.ts";

const MOST_ANSWERS = 256;
/** One question cannot fill the cache. */
const MOST_KEY_CHARS = 2_000;

type ReadResult<M extends ReadMethod> = Awaited<ReturnType<ReadApi[M]>>;

export class AnswerCache {
  /** A map remembers the order of insertion: the first was not asked for longest. */
  readonly #kept = new Map<string, unknown>();
  readonly #readers: Readers<ReadApi>;
  /** What is not remembered waits here. */
  readonly turns = new RequestQueue();

  constructor(readers: Readers<ReadApi>) {
    this.#readers = readers;
  }

  async read<M extends ReadMethod>(
    at: ViewAddress,
    stateId: string,
    method: M,
    args: Parameters<ReadApi[M]>,
    signal?: AbortSignal,
  ): Promise<ReadResult<M>> {
    const key = JSON.stringify([at, stateId, method, args]);
    if (this.#kept.has(key)) return this.#again(key) as ReadResult<M>;
    const read = () => this.#readers.read(at, method, args, signal);
    const { answer, stateId: answered } = await this.turns.take(read, signal);
    // A thread answers from the newest state; one that was published meanwhile is not what was asked about.
    const lasts = READ_POLICIES[method].cached === true && answered === stateId;
    if (lasts && key.length <= MOST_KEY_CHARS) this.#keep(key, answer);
    return answer;
  }

  #again(key: string): unknown {
    const answer = this.#kept.get(key);
    this.#kept.delete(key);
    this.#kept.set(key, answer);
    return answer;
  }

  #keep(key: string, answer: unknown): void {
    this.#kept.set(key, answer);
    if (this.#kept.size > MOST_ANSWERS) this.#kept.delete(this.#kept.keys().next().value!);
  }
}
