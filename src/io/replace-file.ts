/**
 * Renames a finished draft over a file. Windows refuses that for a moment while another process reads the file: a second
 * codecompass, a virus scanner, an indexer of the desktop.
 */
import { renameSync } from "node:fs";

const BUSY: ReadonlySet<string> = new Set(["EPERM", "EACCES", "EBUSY"]);
/** 5 + 10 + … + 50 ms: longer than a scanner holds a small file, shorter than a user notices. */
const ATTEMPTS = 10;
const STEP_MS = 5;

interface System {
  readonly platform: NodeJS.Platform;
  readonly rename: (from: string, to: string) => void;
  readonly wait: (ms: number) => void;
}

const SYSTEM: System = { platform: process.platform, rename: renameSync, wait };

export function replaceFile(draft: string, file: string, system: System = SYSTEM): void {
  for (let attempt = 1; ; attempt++) {
    try {
      system.rename(draft, file);
      return;
    } catch (error) {
      const isBusy = system.platform === "win32" && BUSY.has(String((error as NodeJS.ErrnoException).code));
      if (!isBusy || attempt > ATTEMPTS) throw error;
    }
    system.wait(attempt * STEP_MS);
  }
}

function wait(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
