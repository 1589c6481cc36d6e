/** Adds the server to a client's configuration, keeps a receipt of the change, and reverts it byte for byte. */

import { createHash } from "node:crypto";
import { rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readBoundedText, SMALL_FILE_BYTES } from "../../io/bounded-read.ts";
import { makeDirectories } from "../../io/make-directories.ts";
import { replaceFile } from "../../io/replace-file.ts";
import type { Client, StartCommand } from "./clients.ts";
import { type ConfigFile, refuseReadOnly, removeConfig, replaceConfig } from "./file.ts";
import { type Added, addedBy, type ConfigTarget, parsed, withEntry, withoutEntry } from "./plan.ts";
import { type InstallRequest, openFor, renderDiff, targetIn, understood } from "./request.ts";
import { at } from "./value.ts";

export interface InstallOutcome {
  readonly status: "installed" | "updated" | "unchanged";
  readonly path: string;
  /** Empty where nothing changes. */
  readonly diff: string;
}

export interface InstallOptions {
  readonly start: StartCommand;
  /** Data directory, which holds the receipts. */
  readonly home: string;
  readonly dryRun: boolean;
}

export function install(request: InstallRequest, { start, home, dryRun }: InstallOptions): InstallOutcome {
  const { client, path } = request;
  const file = openFor(request);
  const target = targetIn(request, file);
  const receipt = readReceipt(home, path);
  const { text, next, isNew } = understood(file, () => planned(file, target, { entry: client.entry(start), receipt }));
  if (text === file.text) return { status: "unchanged", path, diff: "" };
  const diff = renderDiff(path, file.text, text);
  if (!dryRun) write({ file, text, next, home, mode: request.scope === "user" ? 0o600 : 0o644 });
  return { status: isNew ? "installed" : "updated", path, diff };
}

/** What `--print` shows: a file that holds nothing but our entry. */
export function snippet(client: Client, start: StartCommand): string {
  const target: ConfigTarget = { format: client.format, path: [...client.section, "codecompass"] };
  return withEntry("", target, client.entry(start));
}

interface PlannedEntry {
  readonly entry: Readonly<Record<string, unknown>>;
  readonly receipt: Receipt | undefined;
}

interface PlannedEdit {
  readonly text: string;
  readonly next: Receipt;
  /** There was no entry of this name. */
  readonly isNew: boolean;
}

/** Reverts an earlier installation first, so that one receipt covers everything. */
function planned(file: ConfigFile, target: ConfigTarget, { entry, receipt }: PlannedEntry): PlannedEdit {
  const now = file.text ?? "";
  const text = withEntry(now, target, entry);
  const fresh: Receipt = {
    format: 1,
    file: file.path,
    created: file.text === undefined,
    directories: [],
    ...addedBy(now, text, target),
  };
  const isNew = fresh.previous === undefined;
  if (!receipt || file.text === undefined || text === now) return { text, next: fresh, isNew };
  const original = withoutEntry(now, target, receipt);
  const again = withEntry(original, target, entry);
  return { text: again, next: { ...receipt, ...addedBy(original, again, target), depth: receipt.depth }, isNew };
}

interface PendingWrite {
  readonly file: ConfigFile;
  readonly text: string;
  readonly next: Receipt;
  readonly home: string;
  readonly mode: number;
}

/** Writes the receipt before the change, so that a crash in between can be reverted. */
function write({ file, text, next, home, mode }: PendingWrite): void {
  refuseReadOnly(file);
  const before = readReceipt(home, file.path);
  writeReceipt(home, next);
  try {
    const made = replaceConfig(file, text, { mode });
    if (made.length > 0) writeReceipt(home, { ...next, directories: made });
  } catch (error) {
    if (before) writeReceipt(home, before);
    else dropReceipt(home, file.path);
    throw error;
  }
}

export interface RemovalOutcome {
  readonly status: "removed" | "restored" | "unchanged";
  readonly path: string;
  readonly diff: string;
}

export function uninstall(
  request: InstallRequest,
  { home, dryRun }: { home: string; dryRun: boolean },
): RemovalOutcome {
  const { path } = request;
  const file = openFor(request);
  const target = targetIn(request, file);
  const receipt = readReceipt(home, path);
  const { text } = file;
  if (text === undefined || at(parsed(text, target), target.path) === undefined) {
    if (!dryRun) dropReceipt(home, path);
    return { status: "unchanged", path, diff: "" };
  }
  const left = understood(file, () => withoutEntry(text, target, receipt));
  const isOurs = receipt?.created === true && isEmpty(left);
  const diff = renderDiff(path, text, isOurs ? undefined : left);
  if (!dryRun) {
    refuseReadOnly(file);
    if (isOurs) removeConfig(file, receipt.directories);
    else replaceConfig(file, left, { mode: 0o600 });
    dropReceipt(home, path);
  }
  return { status: receipt?.previous === undefined ? "removed" : "restored", path, diff };
}

/** A file that we made and in which others left nothing. */
function isEmpty(text: string): boolean {
  return /^\s*(\{\s*\}\s*)?$/.test(text);
}

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
  makeDirectories(dirname(place), 0o700);
  writeFileSync(`${place}.${process.pid}`, `${JSON.stringify(receipt)}\n`, { mode: 0o600 });
  replaceFile(`${place}.${process.pid}`, place);
}

export function dropReceipt(home: string, file: string): void {
  rmSync(receiptPath(home, file), { force: true });
}

function receiptPath(home: string, file: string): string {
  return join(home, "clients", `${createHash("sha256").update(file).digest("hex").slice(0, 16)}.json`);
}
