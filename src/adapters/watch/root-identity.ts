/**
 * Notices that a directory is back after it was gone, or is another one: moved away and put back, deleted and cloned
 * again, exchanged together with the one above. Reports are bound to the directory that was there before, and never come.
 */
import { stat } from "node:fs/promises";

const INTERVAL_MS = 1_000;

export class Place {
  readonly #root: string;
  readonly #onReturn: () => void;
  readonly #onLook: () => void;
  #known: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  /** `onLook`: what else is to be looked at from time to time, as nothing reports it. */
  constructor(root: string, onReturn: () => void, onLook: () => void) {
    this.#root = root;
    this.#onReturn = onReturn;
    this.#onLook = onLook;
  }

  /** Remembers which directory is there now, and looks again from time to time. */
  async start(): Promise<void> {
    this.#known = await identity(this.#root);
    this.#later();
  }

  /** The directory is known to have gone: whatever is there next is a return. */
  lost(): void {
    this.#known = undefined;
    void this.#look();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    const before = this.#known;
    const now = await identity(this.#root);
    this.#known = now;
    if (this.#closed) return;
    this.#later();
    if (now !== undefined && now !== before) this.#onReturn();
    this.#onLook();
  }

  #later(): void {
    clearTimeout(this.#timer);
    if (!this.#closed) this.#timer = setTimeout(() => void this.#look(), INTERVAL_MS).unref();
  }
}

async function identity(root: string): Promise<string | undefined> {
  const stats = await stat(root, { bigint: true }).catch(() => undefined);
  return stats?.isDirectory() ? `${stats.dev} ${stats.ino}` : undefined;
}
