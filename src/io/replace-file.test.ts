import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { replaceFile } from "./replace-file.ts";

const base = mkdtempSync(join(tmpdir(), "codecompass-replace-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** A system whose rename fails `failures` times. */
function system(platform: NodeJS.Platform, code: string, failures: number) {
  const waits: number[] = [];
  let renamed = 0;
  const rename = () => {
    if (failures-- > 0) throw Object.assign(new Error(code), { code });
    renamed++;
  };
  return { platform, rename, wait: (ms: number) => void waits.push(ms), waits, done: () => renamed };
}

test("the draft takes the place of the file", () => {
  writeFileSync(join(base, "draft"), "new");
  writeFileSync(join(base, "file"), "old");
  replaceFile(join(base, "draft"), join(base, "file"));
  expect(readFileSync(join(base, "file"), "utf8")).toBe("new");
  expect(existsSync(join(base, "draft"))).toBe(false);
});

test.each(["EPERM", "EACCES", "EBUSY"])("Windows: %s of an open file is tried again", (code) => {
  const it = system("win32", code, 3);
  replaceFile("a", "b", it);
  expect([it.done(), it.waits]).toEqual([1, [5, 10, 15]]);
});

test("Windows: a file that stays open is an error in the end", () => {
  const it = system("win32", "EPERM", 1_000);
  expect(() => replaceFile("a", "b", it)).toThrow("EPERM");
  expect(it.waits.length).toBe(10);
});

test.each<[NodeJS.Platform, string]>([
  ["linux", "EPERM"],
  ["darwin", "EACCES"],
  ["win32", "ENOENT"],
])("%s: %s is an error at once", (platform, code) => {
  const it = system(platform, code, 1);
  expect(() => replaceFile("a", "b", it)).toThrow(code);
  expect(it.waits).toEqual([]);
});
