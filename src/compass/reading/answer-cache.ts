/**
 * Answers that were given lately. A published view never changes, so the same question has the same answer until the
 * next publication: agents that share a server often ask what another has just asked.
 */
import type { Readers, ViewAddress } from "../../ports/readers.ts";
import type { Reading } from "../compass.ts";
import { RequestQueue } from "../projects/request-queue.ts";
import type { Halves } from "./reading.ts";

/** Answers that are made of the stored view alone; a pattern, for one, may also be looked for in files beside it. */
const LASTING: ReadonlySet<string> = new Set<keyof Reading | keyof Halves>(["find", "search", "explain", "references"]);
const MOST_ANSWERS = 256;
/** One question cannot fill the cache. */
const MOST_KEY_CHARS = 2_000;

export class AnswerCache {
  /** A map remembers the order of insertion: the first was not asked for longest. */
  readonly #kept = new Map<string, unknown>();
  readonly #readers: Readers;
  /** What is not remembered waits here. */
  readonly turns = new RequestQueue();

  constructor(readers: Readers) {
    this.#readers = readers;
  }

  async ask(
    at: ViewAddress,
    stateId: string,
    method: string,
    args: readonly unknown[],
    signal?: AbortSignal,
  ): Promise<unknown> {
    const key = JSON.stringify([at, stateId, method, args]);
    if (this.#kept.has(key)) return this.#again(key);
    const asking = () => this.#readers.ask(at, method, args, signal);
    const { answer, stateId: answered } = await this.turns.take(asking, signal);
    // A thread answers from the newest state; one that was published meanwhile is not what was asked about.
    const lasts = LASTING.has(method) && answered === stateId;
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
