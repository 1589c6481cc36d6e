/**
 * Notices commits and checkouts, which may change no file of the tree. Git writes HEAD when another branch is checked
 * out, and logs/HEAD whenever HEAD comes to mean another commit; `git status` writes neither.
 */
import { type FSWatcher, watch } from "node:fs";
import { join } from "node:path";

export function watchHead(gitDirectory: string, onMove: () => void): { close(): void } {
  const watchers = [gitDirectory, join(gitDirectory, "logs")].flatMap((directory) =>
    watchName(directory, "HEAD", onMove),
  );
  return {
    close() {
      for (const watcher of watchers) watcher.close();
    },
  };
}

/** The directory is watched, not the file: git replaces files by renaming. */
function watchName(directory: string, name: string, onMove: () => void): FSWatcher[] {
  try {
    const watcher = watch(directory, { persistent: false }, (_, changed) => {
      if (changed === name) onMove();
    });
    // HEAD is read before every answer anyway; a watcher that fails only delays the background sync.
    watcher.on("error", () => watcher.close());
    return [watcher];
  } catch {
    return [];
  }
}
