/** A directory for the tests of one file, removed after them. */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

export function scratchDirectory(name: string): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), `${name}-`)));
  afterAll(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
