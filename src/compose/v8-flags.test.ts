import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const FLAG = /[`"]--(?:no-)?([a-z0-9-]+)/g;

/** V8 ignores a flag that it does not know: docs/decisions/0012-v8-flags.md. */
test("every V8 flag that the sources set is known to this release of Node", () => {
  const known = new Set(
    execFileSync(process.execPath, ["--v8-options"], { encoding: "utf8" })
      .split("\n")
      .flatMap((line) => line.match(/^ {2}--([a-z0-9-]+)/)?.[1] ?? []),
  );
  const sources = globSync("src/**/*.ts", { exclude: (path) => path.endsWith(".test.ts") });
  const texts = sources.map((path) => readFileSync(path, "utf8")).filter((text) => text.includes("setFlagsFromString"));
  const set = texts.flatMap((text) => [...text.matchAll(FLAG)].map((match) => match[1]!));
  expect(set.length).toBeGreaterThan(10);
  expect(set.filter((flag) => !known.has(flag))).toEqual([]);
});
