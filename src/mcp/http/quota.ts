/** What one principal may ask of a server that others share: so many requests a second, so many at a time. */

const A_SECOND = 20;
/** An agent asks in bursts; a whole one may come at once. */
const BURST = 40;
const AT_ONCE = 4;
/** More than these wait for too long: they are told to come back. */
const WAITING = 32;

interface Account {
  left: number;
  at: number;
  running: number;
  readonly waiting: (() => void)[];
}

export class Quota {
  readonly #accounts = new Map<string, Account>();
  readonly #now: () => number;

  /** `now`: milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Runs the work as soon as its turn comes; undefined where there were too many before it. */
  async use<T>(name: string, work: () => Promise<T>): Promise<T | undefined> {
    const account = this.#account(name);
    if (account.left < 1 || account.waiting.length >= WAITING) return undefined;
    account.left--;
    if (account.running >= AT_ONCE) await new Promise<void>((resolve) => account.waiting.push(resolve));
    else account.running++;
    try {
      return await work();
    } finally {
      const next = account.waiting.shift();
      // Its place goes to the next.
      if (next !== undefined) next();
      else account.running--;
      this.#tidy();
    }
  }

  #account(name: string): Account {
    const now = this.#now();
    const known = this.#accounts.get(name) ?? { left: BURST, at: now, running: 0, waiting: [] };
    known.left = Math.min(BURST, known.left + ((now - known.at) * A_SECOND) / 1_000);
    known.at = now;
    this.#accounts.set(name, known);
    return known;
  }

  /** Whoever has its whole burst again needs no account. */
  #tidy(): void {
    if (this.#accounts.size <= 1_000) return;
    for (const [name, { running, at }] of this.#accounts)
      if (running === 0 && ((this.#now() - at) * A_SECOND) / 1_000 > BURST) this.#accounts.delete(name);
  }
}
