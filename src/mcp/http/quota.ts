/**
 * Per-principal rate limit of a shared server: requests per second and at once. Excess requests are queued, because a
 * slow answer keeps an agent working while a refusal makes it retry at once. A request beyond a full queue is refused
 * after a pause.
 */

const A_SECOND = 20;
/** Agents send requests in bursts. */
const BURST = 40;
const AT_ONCE = 4;
/** The last of them waits for a second and a half. */
const WAITING = 32;
const REFUSED_AFTER_MS = 1_000;

interface QueuedRequest {
  readonly begin: (isTurn: boolean) => void;
  readonly isGone: () => boolean;
}

interface Account {
  left: number;
  at: number;
  running: number;
  /** Set while the next waits for time to go by. */
  timer?: NodeJS.Timeout | undefined;
  readonly waiting: QueuedRequest[];
}

export class Quota {
  readonly #accounts = new Map<string, Account>();

  /** Runs the work when its turn comes, unless the client has disconnected by then. False: the queue is full. */
  async use(name: string, work: () => Promise<void>, isGone: () => boolean): Promise<boolean> {
    const account = this.#account(name);
    this.#advance(account);
    if (account.waiting.length >= WAITING) {
      await new Promise((resolve) => setTimeout(resolve, REFUSED_AFTER_MS));
      return false;
    }
    const isTurn = await new Promise<boolean>((begin) => {
      account.waiting.push({ begin, isGone });
      this.#advance(account);
    });
    if (!isTurn) return true;
    try {
      await work();
    } finally {
      account.running--;
      this.#advance(account);
      this.#tidy();
    }
    return true;
  }

  #account(name: string): Account {
    const known = this.#accounts.get(name) ?? { left: BURST, at: performance.now(), running: 0, waiting: [] };
    this.#accounts.set(name, known);
    return known;
  }

  /** Starts what may start now, and sets a timer if the rate limit is what blocks the rest. */
  #advance(account: Account): void {
    refill(account);
    for (let next = account.waiting[0]; next !== undefined; next = account.waiting[0]) {
      const isGone = next.isGone();
      if (!isGone && account.running >= AT_ONCE) return;
      if (!isGone && account.left < 1) {
        account.timer ??= setTimeout(
          () => {
            account.timer = undefined;
            this.#advance(account);
          },
          ((1 - account.left) * 1_000) / A_SECOND,
        );
        return;
      }
      account.waiting.shift();
      if (!isGone) {
        account.left--;
        account.running++;
      }
      next.begin(!isGone);
    }
  }

  /** A principal with its full burst available needs no account. */
  #tidy(): void {
    if (this.#accounts.size <= 1_000) return;
    for (const [name, account] of this.#accounts) {
      refill(account);
      if (account.running === 0 && account.left === BURST) this.#accounts.delete(name);
    }
  }
}

function refill(account: Account): void {
  const now = performance.now();
  account.left = Math.min(BURST, account.left + ((now - account.at) * A_SECOND) / 1_000);
  account.at = now;
}
