/** Works on several things at once, and gives what comes of them in their order, whichever was done first. */

export interface QueueLimits {
  /** Worked on at once; asked again each time. */
  readonly atOnce: () => number;
  /** How many more may be begun and not taken: those that are done wait for an earlier one. */
  readonly ahead: number;
}

export class OrderedQueue<T, R> {
  readonly #waiting: T[];
  readonly #work: (one: T) => Promise<R>;
  readonly #pace: QueueLimits;
  readonly #begun: Promise<R>[] = [];
  #atWork = 0;
  #isOver = false;

  constructor(waiting: readonly T[], work: (one: T) => Promise<R>, pace: QueueLimits) {
    this.#waiting = [...waiting];
    this.#work = work;
    this.#pace = pace;
  }

  get isDone(): boolean {
    return this.#waiting.length === 0 && this.#begun.length === 0;
  }

  /** Behind all others. */
  add(more: readonly T[]): void {
    this.#waiting.push(...more);
  }

  /** What came of the next one; the one after it is begun before whoever asked has done anything with it. */
  async next(): Promise<R> {
    this.#begin();
    const result = await this.#begun[0]!;
    this.#begun.shift();
    this.#begin();
    return result;
  }

  /** Nothing more is begun. */
  stop(): void {
    this.#isOver = true;
  }

  #begin(): void {
    const { atOnce, ahead } = this.#pace;
    while (!this.#isOver && this.#waiting.length > 0 && this.#atWork < atOnce()) {
      if (this.#begun.length >= atOnce() + ahead) return;
      const result = this.#work(this.#waiting.shift()!);
      this.#begun.push(result);
      this.#atWork++;
      const done = () => {
        this.#atWork--;
        this.#begin();
      };
      // A failure is told to whoever asks for it.
      result.then(done, done);
    }
  }
}
