import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { makeDirectories } from "./make-directories.ts";

const base = mkdtempSync(join(tmpdir(), "codecompass-directories-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

test("makes all parents with the mode, and names the topmost new one", () => {
  expect(makeDirectories(join(base, "a", "b", "c"), 0o700)).toBe(join(base, "a"));
  expect(makeDirectories(join(base, "a", "b", "d"))).toBe(join(base, "a", "b", "d"));
  expect(makeDirectories(join(base, "a", "b", "c"))).toBe(undefined);
  if (process.platform !== "win32") expect(statSync(join(base, "a", "b")).mode & 0o777).toBe(0o700);
});

test("a file in the way is an error", () => {
  writeFileSync(join(base, "file"), "");
  expect(() => makeDirectories(join(base, "file"))).toThrow("EEXIST");
  expect(() => makeDirectories(join(base, "file", "below"))).toThrow(/ENOTDIR|ENOENT/);
});

// Node's recursive mkdir does not return for this path.
test.runIf(existsSync("/proc/self"))("a file system that makes no directories is an error", () => {
  expect(() => makeDirectories("/proc/nobody/.codecompass/stores")).toThrow("ENOENT");
});
