import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchDirectory } from "../../test/kit/scratch.ts";
import { findReadProblem, readBounded, readBoundedText } from "./bounded-read.ts";

const directory = scratchDirectory("bounded-read");
const at = (name: string) => join(directory, name);
const LIMIT = 1000;

test("a file up to the limit is read whole, one byte more is refused", () => {
  writeFileSync(at("fits"), "x".repeat(LIMIT));
  writeFileSync(at("over"), "x".repeat(LIMIT + 1));
  expect(readBoundedText(at("fits"), LIMIT)).toBe("x".repeat(LIMIT));
  expect(readBounded(at("over"), LIMIT)).toMatchObject({ problem: { code: "too_large" } });
  expect(readBoundedText(at("over"), LIMIT)).toBeUndefined();
  expect(findReadProblem(at("over"))).toBeUndefined();
});

test("an empty file and a file larger than the first buffer", () => {
  writeFileSync(at("empty"), "");
  writeFileSync(at("large"), "0123456789".repeat(10_000));
  expect(readBoundedText(at("empty"), LIMIT)).toBe("");
  expect(readBoundedText(at("large"), 100_000)).toBe("0123456789".repeat(10_000));
});

const makers: Record<string, (path: string) => void> = {
  fifo: (path) => execFileSync("mkfifo", [path]),
  zero: (path) => symlinkSync("/dev/zero", path),
  random: (path) => symlinkSync("/dev/random", path),
  tty: (path) => symlinkSync("/dev/tty", path),
};

test.skipIf(process.platform === "win32").each(Object.entries(makers))("%s is not a regular file", (name, make) => {
  make(at(name));
  expect(readBounded(at(name), LIMIT)).toMatchObject({ problem: { code: "not_regular" } });
  expect(findReadProblem(at(name))).toMatchObject({ code: "not_regular" });
});

test("a directory is not a regular file, and opening it does not hang", () => {
  mkdirSync(at("directory"));
  expect(readBounded(at("directory"), LIMIT)).toMatchObject({ problem: { code: "directory" } });
});

test.skipIf(process.platform === "win32")("a socket is not a regular file", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(at("socket"), resolve));
  expect(readBounded(at("socket"), LIMIT)).toMatchObject({ problem: { code: "not_regular" } });
  await new Promise((resolve) => server.close(resolve));
});

test.skipIf(process.platform === "win32")("links: broken is missing, a loop is unreadable", () => {
  symlinkSync("nowhere", at("broken"));
  symlinkSync("loop", at("loop"));
  expect(readBounded(at("broken"), LIMIT)).toMatchObject({ problem: { code: "missing" } });
  expect(findReadProblem(at("broken"))).toBeUndefined();
  expect(readBounded(at("loop"), LIMIT)).toMatchObject({ problem: { code: "unreadable" } });
  expect(readBounded(at("fits/below"), LIMIT)).toMatchObject({ problem: { code: "missing" } });
});

test("a sparse file of 10 GB is refused by its size", () => {
  writeFileSync(at("sparse"), "");
  truncateSync(at("sparse"), 10 * 2 ** 30);
  expect(readBounded(at("sparse"), LIMIT)).toMatchObject({ problem: { code: "too_large" } });
});

test.skipIf(!existsSync("/proc/self/maps"))("a file that claims to be empty is bounded by what comes out of it", () => {
  expect(readBounded("/proc/self/maps", LIMIT)).toMatchObject({ problem: { code: "too_large" } });
  expect(readBoundedText("/proc/self/status", 1 << 20)).toContain("Pid:");
});

test.skipIf(process.platform === "win32")("a link to /dev/null is an empty file", () => {
  symlinkSync("/dev/null", at("null"));
  expect(readBoundedText(at("null"), LIMIT)).toBe("");
  expect(findReadProblem(at("null"))).toBeUndefined();
});
