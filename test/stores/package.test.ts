/** The tarball as users get it: its sizes, every command of an installation in an empty prefix, and the library's types. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { install, type PackageSizes, smoke } from "../../scripts/smoke.ts";

const root = join(import.meta.dirname, "../..");
let base: string;
let prefix: string;
let sizes: PackageSizes;

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), "codecompass package é "));
  const npm = (...args: string[]) =>
    execFileSync("npm", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  npm("run", "--silent", "build");
  const name = npm("pack", "--silent", "--ignore-scripts", "--pack-destination", base).trim().split("\n").at(-1)!;
  ({ prefix, sizes } = install(join(base, name), base));
}, 300_000);

afterAll(() => rmSync(base, { recursive: true, force: true, maxRetries: 3 }));

test("it is small and runs nothing when it is installed", () => {
  expect(sizes.tarballBytes).toBeLessThanOrEqual(14e6);
  expect(sizes.installedBytes).toBeLessThanOrEqual(90e6);
  expect(sizes.packages).toBeLessThanOrEqual(60);
  expect(sizes.installScripts).toEqual([]);
});

test("every command of the installed package runs", () => smoke(prefix, base), 120_000);

test("the library's types need no other package", () => {
  const consumer = `
    import { CompassError, open } from "codecompass-mcp";
    await using workspace = await open(".");
    const { results, metadata } = await workspace.search("cart", { limit: 3 });
    const path: string | undefined = results[0]?.path;
    const freshness: "fresh" | "stale" | "syncing" = metadata.freshness_status;
    // @ts-expect-error: limit is a number
    await workspace.search("cart", { limit: "3" });
    console.log(path, freshness, new CompassError("invalid_input").code);
  `;
  writeFileSync(join(prefix, "consumer.mts"), consumer);
  const options = [
    "--strict",
    "--noEmit",
    "--module",
    "nodenext",
    "--target",
    "es2024",
    "--lib",
    "es2024,esnext.disposable,dom",
  ];
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  execFileSync(process.execPath, [tsc, ...options, "--types", "", "consumer.mts"], { cwd: prefix, stdio: "pipe" });
});
