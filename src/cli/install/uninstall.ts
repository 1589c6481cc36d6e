/** Takes back what `install` added, byte for byte where the file still allows it. */
import { renderDiff } from "./diff.ts";
import { refuseReadOnly, removeConfig, replaceConfig } from "./file.ts";
import { parsed, withoutEntry } from "./plan.ts";
import { dropReceipt, readReceipt } from "./receipt.ts";
import { type InstallRequest, openFor, targetIn, understood } from "./request.ts";
import { at } from "./value.ts";

export interface Removal {
  readonly status: "removed" | "restored" | "unchanged";
  readonly path: string;
  readonly diff: string;
}

export function uninstall(request: InstallRequest, { home, dryRun }: { home: string; dryRun: boolean }): Removal {
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
