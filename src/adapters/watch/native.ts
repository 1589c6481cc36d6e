/** The system's own change reports, through @parcel/watcher. Loaded when first needed: it is a shared library. */
import { relative, sep } from "node:path";

export interface NativeEvents {
  onPaths(paths: readonly string[]): void;
  /** The system dropped reports or a limit was hit. */
  onError(error: Error): void;
}

/** Neither belongs to the tree, and both change by the thousand. */
const IGNORE = ["**/.git", "**/.git/**", "**/node_modules", "**/node_modules/**"];

/** Rejects when the library cannot be loaded or a limit of the system is hit. */
export async function watchNatively(root: string, events: NativeEvents): Promise<{ close(): Promise<void> }> {
  const { subscribe } = await import("@parcel/watcher");
  const subscription = await subscribe(
    root,
    (error, reports) => {
      if (error) events.onError(error);
      else events.onPaths(reports.map(({ path }) => inTree(root, path)).filter((path) => path !== ""));
    },
    { ignore: IGNORE },
  );
  return { close: () => subscription.unsubscribe() };
}

/** A name that is not UTF-8 arrives damaged; its directory is reported instead. */
function inTree(root: string, path: string): string {
  const parts = relative(root, path).split(sep);
  const damaged = parts.findIndex((part) => part.includes("\uFFFD"));
  return (damaged < 0 ? parts : parts.slice(0, damaged)).join("/");
}
