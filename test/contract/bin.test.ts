/** bin/codecompass.js on a Node that is too old: it starts a newer one from node_modules, or says what to do. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, expect, test } from "vitest";
import { until } from "../kit/faults.ts";
import { isRunning } from "../kit/processes.ts";
import { sandbox } from "../kit/sandbox.ts";

const box = sandbox();
afterAll(() => box[Symbol.dispose]());
const BIN = resolve(import.meta.dirname, "..", "..", "bin", "codecompass.js");

/** A package with the real bin, for which the running Node is too old if `oldest` says so. */
function installed(oldest: string): string {
  const root = box.tree({ "package.json": '{"type":"module"}' });
  mkdirSync(join(root, "bin"));
  cpSync(BIN, join(root, "bin", "codecompass.js"));
  const file = join(root, "bin", "codecompass.js");
  writeFileSync(file, readFileSync(file, "utf8").replace("[22, 18]", oldest));
  return root;
}

function start(root: string, ...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
  const bin = join(root, "bin", "codecompass.js");
  return new Promise((done) => {
    execFile(process.execPath, [bin, ...args], { env: box.env }, (error, out, err) =>
      done({ code: error === null ? 0 : Number(error.code), out, err }),
    );
  });
}

test("too old and no newer Node: exit 2 and what to do", async () => {
  const root = installed("[999, 0]");
  const { code, out, err } = await start(root);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toContain("needs Node 999.0 or newer");
  // npm refuses to install inside an installed package: npx brings a Node of its own.
  const { name } = JSON.parse(readFileSync(resolve(BIN, "..", "..", "package.json"), "utf8"));
  expect(err).toContain(`npx -y -p node@24 -p ${name} codecompass`);
});

test("too old in a checkout: npm install there brings a newer Node", async () => {
  const root = installed("[999, 0]");
  mkdirSync(join(root, "src"));
  expect((await start(root)).err).toContain(`npm install\` in ${root}`);
});

test.skipIf(process.platform === "win32")(
  "too old: the Node of node_modules is started with the same arguments",
  async () => {
    const root = installed("[999, 0]");
    const newer = join(root, "node_modules", "node", "bin");
    mkdirSync(newer, { recursive: true });
    writeFileSync(join(newer, "node"), '#!/bin/sh\nshift\necho "newer: $*"\nexit 7\n');
    chmodSync(join(newer, "node"), 0o755);
    expect(await start(root, "search", "a b")).toMatchObject({ code: 7, out: "newer: search a b\n" });
  },
);

/** The old Node and the newer one it starts, which runs until it is signalled. */
function startedByLauncher() {
  const root = installed("process.env.CODECOMPASS_REEXECUTED ? [0, 0] : [999, 0]");
  const newer = join(root, "node_modules", "node", "bin");
  mkdirSync(newer, { recursive: true });
  symlinkSync(process.execPath, join(newer, "node"));
  mkdirSync(join(root, "dist", "cli"), { recursive: true });
  const endless = "export function main() { console.log(process.pid); setInterval(() => {}, 1_000); }\n";
  writeFileSync(join(root, "dist", "cli", "main.js"), endless);
  const launcher = spawn(process.execPath, [join(root, "bin", "codecompass.js")], {
    env: box.env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  return { launcher, pid: once(launcher.stdout, "data").then(([data]) => Number(data)) };
}

test.skipIf(process.platform === "win32").each(["SIGKILL", "SIGTERM", "SIGINT"] as const)(
  "%s of the launcher ends the newer Node as well",
  async (signal) => {
    const { launcher, pid } = startedByLauncher();
    const child = await pid;
    expect(child).not.toBe(launcher.pid);
    launcher.kill(signal);
    await once(launcher, "exit");
    await until(`process ${child} has ended`, () => !isAlive(child));
  },
);

function isAlive(pid: number): boolean {
  // A process that has exited but was not reaped still accepts signals.
  if (process.platform === "linux") return isRunning(pid);
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test("not built yet: says so", async () => {
  const { code, err } = await start(installed("[22, 18]"));
  expect(code).toBe(2);
  expect(err).toContain("npm install");
});

test("the file parses on Node 12", () => {
  const source = readFileSync(BIN, "utf8");
  for (const later of [/\?\./, /\?\?/, /"node:/, /^await /m, /\bimport .* with\b/]) expect(source).not.toMatch(later);
});
