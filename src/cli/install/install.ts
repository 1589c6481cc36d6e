/** Adds the server to a client's configuration, or brings the entry that is there up to date. */
import type { Client, StartCommand } from "./clients.ts";
import { renderDiff } from "./diff.ts";
import { type ConfigFile, refuseReadOnly, replaceConfig } from "./file.ts";
import { addedBy, type ConfigTarget, withEntry, withoutEntry } from "./plan.ts";
import { dropReceipt, type Receipt, readReceipt, writeReceipt } from "./receipt.ts";
import { type InstallRequest, openFor, targetIn, understood } from "./request.ts";

export interface InstallOutcome {
  readonly status: "installed" | "updated" | "unchanged";
  readonly path: string;
  /** Empty where nothing changes. */
  readonly diff: string;
}

export interface InstallOptions {
  readonly start: StartCommand;
  /** Where receipts are kept. */
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

interface Planned {
  readonly text: string;
  readonly next: Receipt;
  /** There was no entry of this name. */
  readonly isNew: boolean;
}

/** An entry of an earlier installation is taken back first, so that one receipt tells all. */
function planned(file: ConfigFile, target: ConfigTarget, { entry, receipt }: PlannedEntry): Planned {
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

/** The receipt is there before the change is: what a crash leaves in between can be taken back. */
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
