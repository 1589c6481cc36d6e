/** What exports that were killed have left beside an archive's place. One that runs touches its own again and again. */
import { readdir, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** An export of a million lines takes some seconds. */
const LEFT_MS = 3_600_000;

/** The names that an export gives what is not whole yet. */
export function draftPath(path: string, word: string): string {
  return `${path}.${word}.tmp`;
}

export function spoolPrefix(path: string): string {
  return join(dirname(path), `.${basename(path)}.`);
}

export async function removeLeftovers(path: string, now = Date.now()): Promise<void> {
  const [directory, base] = [dirname(path), escaped(basename(path))];
  const ours = new RegExp(`^(?:\\.${base}\\.\\w{6}|${base}\\.[0-9a-f]{8}-[0-9a-f-]{27}\\.tmp)$`);
  for (const name of (await readdir(directory)).filter((one) => ours.test(one))) {
    const left = join(directory, name);
    if (now - (await lastTouched(left)) > LEFT_MS) await rm(left, { recursive: true, force: true });
  }
}

/** Of a directory, also what lies in it; what is gone meanwhile was touched just now. */
async function lastTouched(path: string): Promise<number> {
  try {
    const stats = await stat(path);
    const inside = stats.isDirectory() ? await readdir(path) : [];
    const times = await Promise.all(inside.map((name) => lastTouched(join(path, name))));
    return Math.max(stats.mtimeMs, ...times);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
