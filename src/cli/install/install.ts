/** Adds the server to a client's configuration, or brings the entry that is there up to date. */
import type { Client, Start } from "./clients.ts";
import { diffOf } from "./diff.ts";
import { type ConfigFile, refuseReadOnly, replaceConfig } from "./file.ts";
import { addedBy, type Target, withEntry, withoutEntry } from "./plan.ts";
import { dropReceipt, keepReceipt, type Receipt, receiptOf } from "./receipt.ts";
import { openFor, type Request, targetIn, understood } from "./request.ts";

export interface Outcome {
  readonly status: "installed" | "updated" | "unchanged";
  readonly path: string;
  /** Empty where nothing changes. */
  readonly diff: string;
}

export interface Intent {
  readonly start: Start;
  /** Where receipts are kept. */
  readonly home: string;
  readonly dryRun: boolean;
}

export function install(request: Request, { start, home, dryRun }: Intent): Outcome {
  const { client, path } = request;
  const file = openFor(request);
  const target = targetIn(request, file);
  const receipt = receiptOf(home, path);
  const { text, next, isNew } = understood(file, () => planned(file, target, { entry: client.entry(start), receipt }));
  if (text === file.text) return { status: "unchanged", path, diff: "" };
  const diff = diffOf(path, file.text, text);
  if (!dryRun) write({ file, text, next, home, mode: request.scope === "user" ? 0o600 : 0o644 });
  return { status: isNew ? "installed" : "updated", path, diff };
}

/** What `--print` shows: a file that holds nothing but our entry. */
export function snippet(client: Client, start: Start): string {
  const target: Target = { format: client.format, path: [...client.section, "codecompass"] };
  return withEntry("", target, client.entry(start));
}

interface Wanted {
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
function planned(file: ConfigFile, target: Target, { entry, receipt }: Wanted): Planned {
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

interface Write {
  readonly file: ConfigFile;
  readonly text: string;
  readonly next: Receipt;
  readonly home: string;
  readonly mode: number;
}

/** The receipt is there before the change is: what a crash leaves in between can be taken back. */
function write({ file, text, next, home, mode }: Write): void {
  refuseReadOnly(file);
  const before = receiptOf(home, file.path);
  keepReceipt(home, next);
  try {
    const made = replaceConfig(file, text, { mode });
    if (made.length > 0) keepReceipt(home, { ...next, directories: made });
  } catch (error) {
    if (before) keepReceipt(home, before);
    else dropReceipt(home, file.path);
    throw error;
  }
}
