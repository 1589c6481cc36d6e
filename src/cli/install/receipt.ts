/** What an installation added, kept in the data directory so that `uninstall` takes back exactly that. */
import { createHash } from "node:crypto";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readBoundedText, SMALL_FILE_BYTES } from "../../io/bounded-read.ts";
import type { Added } from "./plan.ts";

export interface Receipt extends Added {
  readonly format: 1;
  readonly file: string;
  /** The file did not exist before. */
  readonly created: boolean;
  /** Directories that were made for it, the outermost first. */
  readonly directories: readonly string[];
}

/** A receipt that cannot be read is none: `uninstall` then goes by the file's structure. */
export function readReceipt(home: string, file: string): Receipt | undefined {
  try {
    const receipt = JSON.parse(readBoundedText(receiptPath(home, file), SMALL_FILE_BYTES) ?? "") as Receipt;
    return receipt.format === 1 && receipt.file === file ? receipt : undefined;
  } catch {
    return undefined;
  }
}

export function writeReceipt(home: string, receipt: Receipt): void {
  const place = receiptPath(home, receipt.file);
  mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
  writeFileSync(`${place}.${process.pid}`, `${JSON.stringify(receipt)}\n`, { mode: 0o600 });
  renameSync(`${place}.${process.pid}`, place);
}

export function dropReceipt(home: string, file: string): void {
  rmSync(receiptPath(home, file), { force: true });
}

function receiptPath(home: string, file: string): string {
  return join(home, "clients", `${createHash("sha256").update(file).digest("hex").slice(0, 16)}.json`);
}
