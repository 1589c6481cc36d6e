/** Looks at the whole tree again and again: what is left where the system cannot report changes. */
import type { Files } from "../../ports/files.ts";

const INTERVAL_MS = 2_000;
/** Looking must not take more than this share of the time. */
const SHARE = 0.1;

export function poll(
  root: string,
  files: Files,
  onPaths: (paths: readonly string[] | "everything") => void,
): { close(): void } {
  let before: Map<string, string> | undefined;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  const look = async () => {
    const started = performance.now();
    const now = await stamps(root, files).catch(() => undefined);
    if (closed) return;
    if (now !== undefined && before !== undefined) report(changed(before, now));
    before = now ?? before;
    timer = setTimeout(() => void look(), Math.max(INTERVAL_MS, (performance.now() - started) / SHARE)).unref();
  };
  const report = (paths: readonly string[]) => paths.length > 0 && onPaths(paths);
  void look();
  return {
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}

async function stamps(root: string, files: Files): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for await (const batch of files.walk(root)) {
    for (const item of batch) {
      if ("file" in item) found.set(item.file.path, item.file.stamp);
      else found.set(item.skip.path, item.skip.reason);
    }
  }
  return found;
}

function changed(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): string[] {
  const paths = [...now].filter(([path, stamp]) => before.get(path) !== stamp).map(([path]) => path);
  for (const path of before.keys()) if (!now.has(path)) paths.push(path);
  return paths.map((path) => path.replace(/\/$/, ""));
}
