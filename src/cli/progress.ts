/** Progress of a job: a progress bar on a terminal, occasional lines with --verbose, else nothing. */
import { completionPct, type JobProgress, progressMessage } from "../model/jobs.ts";
import type { Call } from "./command.ts";

export interface ProgressLine {
  show(progress: JobProgress): void;
  end(): void;
}

const BAR_CELLS = 24;
/** Work that ends sooner needs no bar. */
const QUIET_MS = 300;
const REDRAW_MS = 80;
const PLAIN_MS = 2_000;

export function createProgress({ terminal, globals }: Call): ProgressLine {
  if (terminal.errIsTty) return new Bar(terminal.err);
  return globals.verbose ? new PlainLines(terminal.err) : { show: () => {}, end: () => {} };
}

class Bar implements ProgressLine {
  readonly #write: (text: string) => void;
  readonly #start = performance.now();
  #drawnAt = 0;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  show(progress: JobProgress): void {
    const now = performance.now();
    if (now - this.#start < QUIET_MS || now - this.#drawnAt < REDRAW_MS) return;
    this.#drawnAt = now;
    this.#write(`\r\x1b[2K${barLine(progress)}`);
  }

  end(): void {
    if (this.#drawnAt > 0) this.#write("\r\x1b[2K");
    this.#drawnAt = 0;
  }
}

export function barLine(progress: JobProgress): string {
  const percent = completionPct(progress);
  const filled = Math.round((BAR_CELLS * percent) / 100);
  return `${"█".repeat(filled)}${"░".repeat(BAR_CELLS - filled)} ${String(percent).padStart(3)}% ${progressMessage(progress)}`;
}

class PlainLines implements ProgressLine {
  readonly #write: (text: string) => void;
  #saidAt = 0;

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  show(progress: JobProgress): void {
    const now = performance.now();
    if (this.#saidAt > 0 && now - this.#saidAt < PLAIN_MS) return;
    this.#saidAt = now;
    this.#write(`${progressMessage(progress)}\n`);
  }

  end(): void {}
}
