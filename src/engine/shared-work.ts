/** Work in progress that equal requests wait for together, as long as they have the same rights. */
export class SharedWork {
  readonly #principal: () => string;
  readonly #running = new Map<string, Promise<unknown>>();

  /** `principal` names whose rights apply to the present request. */
  constructor(principal: () => string) {
    this.#principal = principal;
  }

  /** `name` tells the work from other work. Two principals never share: one may lose its rights before the work is done. */
  run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const key = `${this.#principal()} ${name}`;
    const running = this.#running.get(key) as Promise<T> | undefined;
    if (running !== undefined) return running;
    const started = work().finally(() => this.#running.delete(key));
    this.#running.set(key, started);
    return started;
  }
}
