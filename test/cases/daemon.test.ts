/** The daemon behind queries on the command line: the same answers, never stale, and nothing left behind. */
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { codecompass } from "../kit/command.ts";
import { type Sandbox, sandbox } from "../kit/sandbox.ts";

let box: Sandbox;
let root: string;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  box = sandbox();
  root = box.tree({ "src/app.ts": "export function openStore() {\n  return 1;\n}\nopenStore();\n" });
  env = { ...box.env, CI: "", CODECOMPASS_CLI_DAEMON: "on" };
  expect((await codecompass(["index"], { cwd: root, env: box.env })).code).toBe(0);
}, 60_000);
beforeEach(async () => {
  await run(["daemon", "stop"]);
  await until(() => !existsSync(join(box.home, "daemon.json")));
});
afterAll(async () => {
  await run(["daemon", "stop"]);
  await until(() => !existsSync(join(box.home, "daemon.json")));
  box[Symbol.dispose]();
});

const run = (line: readonly string[], given = env) => codecompass(line, { cwd: root, env: given });
const answered = async () => (await run(["daemon", "status", "--json"])).json().answered as number | undefined;
const file = () => join(box.home, "daemon.json");

async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await new Promise(setImmediate);
}

async function started(): Promise<void> {
  await run(["search", "openStore"]);
  await until(() => existsSync(file()));
}

test("answers the same bytes as the command itself, with the same exit codes", async () => {
  const lines = [
    ["search", "openStore"],
    ["search", "openStore", "--json"],
    ["search", "--regex", "open\\w+", "-n"],
    ["search", "--regex", "absent_word"],
    ["find_references", "openStore"],
    ["search", "openStore", "--limit", "0"],
    ["get_file_outline", "absent.ts"],
  ];
  const own = [];
  for (const line of lines) own.push(await run(line, { ...env, CODECOMPASS_CLI_DAEMON: "off" }));
  await started();
  for (const [at, line] of lines.entries()) {
    const { code, out, err } = await run(line);
    expect({ line, code, out, err }).toEqual({ line, code: own[at]!.code, out: own[at]!.out, err: own[at]!.err });
  }
  // The two that fail were run by the command.
  expect(await answered()).toBe(5);
});

test("shows an edit at once: the command indexes it, the daemon answers the next one", async () => {
  await started();
  writeFileSync(join(root, "src/app.ts"), "export function closeStore() {\n  return 2;\n}\n");
  expect((await run(["search", "closeStore"])).out).toContain("closeStore");
  expect(await answered()).toBe(0);
  expect((await run(["search", "closeStore"])).out).toContain("closeStore");
  expect(await answered()).toBe(1);
  // A query that failed after the tree was compared must not vouch for the next one.
  await run(["search", "closeStore", "--limit", "0"]);
  writeFileSync(join(root, "src/app.ts"), "export function openStore() {\n  return 3;\n}\nopenStore();\n");
  expect((await run(["search", "closeStore"])).out).not.toContain("app.ts");
});

test("is reached by its owner only, with the token and the same environment", async () => {
  await started();
  const { address, token } = JSON.parse(readFileSync(file(), "utf8")) as { address: string; token: string };
  if (process.platform !== "win32") {
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(statSync(address).mode & 0o077).toBe(0);
  }
  expect(await ask(address, { token: "guess", control: "stop" })).toEqual([["declined"]]);
  expect(await ask(address, { token, build: "another", environment: "", argv: ["version"] })).toEqual([["declined"]]);
  expect(await ask(address, "no JSON")).toEqual([]);
  await run(["search", "openStore"], { ...env, GIT_DIR: join(root, "elsewhere") });
  expect(await answered()).toBe(0);
});

test("is not started by scripts, in CI or when it is off, and leaves nothing when it is stopped", async () => {
  for (const more of [{ CODECOMPASS_CLI_DAEMON: "auto" }, { CI: "1" }, { CODECOMPASS_CLI_DAEMON: "off" }])
    await run(["search", "openStore"], { ...env, ...more });
  expect((await run(["daemon", "status"])).code).toBe(1);
  await started();
  expect((await run(["daemon", "stop"])).code).toBe(0);
  await until(() => !existsSync(file()));
  expect(readdirSync(box.home).filter((name) => name.startsWith("daemon"))).toEqual([]);
});

const POSIX = process.platform !== "win32";

test.runIf(POSIX)("a damaged file costs no answer", async () => {
  const whole = { address: join(box.home, "absent.sock"), token: "t", pid: 1 };
  const changes = [{ address: "" }, { address: "8080" }, { address: "/a\0b" }, { address: `/${"x".repeat(2_000)}` }];
  const texts = [
    "",
    "null",
    "[]",
    "{",
    "[".repeat(100_000),
    ...changes.map((it) => JSON.stringify({ ...whole, ...it })),
  ];
  const makers: (() => void)[] = [
    ...texts.map((text) => () => writeFileSync(file(), text, { mode: 0o600 })),
    () => execFileSync("mkfifo", ["-m", "600", file()]),
    () => symlinkSync("/dev/zero", file()),
    () => mkdirSync(file(), { mode: 0o700 }),
  ];
  for (const make of makers) {
    make();
    const { code, out, err } = await run(["search", "openStore"], { ...env, CODECOMPASS_CLI_DAEMON: "auto" });
    expect({ make: String(make), code, out, err }).toMatchObject({
      code: 0,
      out: expect.stringContaining("app.ts"),
      err: "",
    });
    rmSync(file(), { recursive: true });
  }
});

const ACCEPTED = '["accepted"]\n';

test.runIf(POSIX)("a daemon that answers nonsense, or stops at work, costs no answer", async () => {
  const replies = ["hello\n", "null\n", "5\n", "{}\n", '["constructor",1]\n', '["page"]\n', "\xff\n"];
  const later = ['["out",5]\n', '["exit","x"]\n', '["exit",1e99]\n', ""].map((text) => ACCEPTED + text);
  const address = join(box.home, "daemon-false.sock");
  for (const reply of [...replies, ...later]) {
    const server = createServer((socket) => void socket.on("error", () => {}).once("data", () => socket.write(reply)));
    await new Promise<void>((resolve) => server.listen(address, resolve));
    writeFileSync(file(), JSON.stringify({ address, token: "t", pid: 1 }), { mode: 0o600 });
    const { code, out, err } = await run(["search", "openStore"], { ...env, CODECOMPASS_CLI_DAEMON: "auto" });
    expect({ reply, code, out, err }).toMatchObject({ code: 0, out: expect.stringContaining("app.ts"), err: "" });
    rmSync(file());
    await new Promise((resolve) => server.close(resolve));
  }
});

/** Sends one line and returns every reply. */
function ask(address: string, request: unknown): Promise<unknown[]> {
  const socket = connect(address);
  let text = "";
  socket.on("data", (data) => {
    text += data;
  });
  socket.on("error", () => {});
  socket.write(`${typeof request === "string" ? request : JSON.stringify(request)}\n`);
  return new Promise((resolve) =>
    socket.on("close", () =>
      resolve(
        text
          .split("\n")
          .filter(Boolean)
          .map((line) => JSON.parse(line)),
      ),
    ),
  );
}
