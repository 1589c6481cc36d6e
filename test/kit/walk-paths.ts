/** Temporary trees, and what a walk finds in them. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll } from "vitest";
import { diskFiles } from "../../src/adapters/disk/files.ts";
import type { WalkOptions } from "../../src/ports/files.ts";

export const files = diskFiles();
const made: string[] = [];
afterAll(() => {
  for (const path of made) rmSync(path, { recursive: true, force: true });
});

/** A temporary tree; a value is a file's text, `null` makes an empty directory. */
export function tree(contents: Record<string, string | null>): string {
  const root = mkdtempSync(join(tmpdir(), "walk-"));
  made.push(root);
  for (const [path, text] of Object.entries(contents)) {
    mkdirSync(join(root, text === null ? path : dirname(path)), { recursive: true });
    if (text !== null) writeFileSync(join(root, path), text);
  }
  return root;
}

/** Paths of files, and skips as `path (reason)`. */
export async function walkPaths(root: string, options?: WalkOptions): Promise<string[]> {
  const out: string[] = [];
  for await (const batch of files.walk(root, options)) {
    for (const item of batch) out.push("file" in item ? item.file.path : `${item.skip.path} (${item.skip.reason})`);
  }
  return out;
}
