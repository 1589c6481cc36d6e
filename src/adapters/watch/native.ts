/** The system's own change reports, through @parcel/watcher. Loaded when first needed: it is a shared library. */
import { relative, sep } from "node:path";
import type { BackendType } from "@parcel/watcher";

export interface NativeEvents {
  onPaths(paths: readonly string[]): void;
  /** The tree itself was moved or deleted: nothing more is reported. */
  onLost(): void;
  /** The system dropped reports or a limit was hit. */
  onError(error: Error): void;
}

/** Neither belongs to the tree, and both change by the thousand. */
const IGNORE = ["**/.git", "**/.git/**", "**/node_modules", "**/node_modules/**"];

/** Left to choose, the library starts a shell to look for watchman: a process the user did not ask for, or a daemon that stays. */
const BACKENDS: Readonly<Record<string, BackendType>> = { linux: "inotify", darwin: "fs-events", win32: "windows" };

/** Rejects when the library cannot be loaded or a limit of the system is hit. */
export async function watchNatively(root: string, events: NativeEvents): Promise<{ close(): Promise<void> }> {
  const { subscribe } = await import("@parcel/watcher");
  const backend = BACKENDS[process.platform];
  const subscription = await subscribe(
    root,
    (error, reports) => {
      if (error) return events.onError(error);
      const paths = reports.map(({ path }) => inTree(root, path));
      events.onPaths(paths.filter((path) => path !== ""));
      if (reports.some(({ path, type }) => inTree(root, path) === "" && type === "delete")) events.onLost();
    },
    { ignore: IGNORE, ...(backend !== undefined && { backend }) },
  );
  return { close: () => subscription.unsubscribe() };
}

/** A name that is not UTF-8 arrives damaged; its directory is reported instead. */
function inTree(root: string, path: string): string {
  const parts = relative(root, path).split(sep);
  const damaged = parts.findIndex((part) => part.includes("\uFFFD"));
  return (damaged < 0 ? parts : parts.slice(0, damaged)).join("/");
}
