/**
 * Names that Windows reserves or cuts, in a commit and in the data directory. There a checkout has no such files, and what
 * their paths lead to instead may be a device. A FIFO in each place simulates it here: opening it waits for good.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { dirname, join, win32 } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type LocalCompass, localCompass } from "../kit/local-compass.ts";
import { branch, git, sandbox, write } from "../kit/sandbox.ts";

const NAMES = ["CON.ts", "aux.ts", "sub/COM1/nul.ts", "lpt1", "dot.", "space ", "stream.ts:x.ts", "PRN"];
const functionAt = (at: number) => `reserved_${at}`;

const box = sandbox();
let root: string;
let compass: LocalCompass;

beforeAll(async () => {
  root = box.repository({ "a.ts": "export function ordinary() {}\n" });
  branch(root, "aux", () =>
    write(root, Object.fromEntries(NAMES.map((name, at) => [name, `export function ${functionAt(at)}() {}\n`]))),
  );
  git(root, "update-ref", "refs/heads/CON.lock-2", "aux");
  for (const name of NAMES) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    execFileSync("mkfifo", [join(root, name)]);
  }
  compass = localCompass(box.home, root);
  await compass.index();
});
afterAll(async () => {
  await compass.close();
  box[Symbol.dispose]();
});

test.each(["aux", "CON.lock-2"])("files of the ref %s are read from git and never from disk", async (ref) => {
  for (const [at, path] of NAMES.entries()) {
    const { body } = await compass.ask("regex_search", { pattern: functionAt(at), ref });
    expect(body.results.map((it: { file: string }) => it.file)).toEqual([path]);
    expect((await compass.ask("get_file_outline", { path, ref })).body).not.toHaveProperty("error");
  }
  const { body } = await compass.ask("locate_symbol", { name: functionAt(0), ref });
  expect(body).toMatchObject({ results: [{ path: "CON.ts" }], metadata: { result_completeness: "complete" } });
});

test("the same after a checkout that could not write them", async () => {
  git(root, "symbolic-ref", "HEAD", "refs/heads/aux");
  expect((await compass.ask("sync_repo", { wait_seconds: 60 })).isError).toBe(false);
  const { body } = await compass.ask("locate_symbol", { name: "ordinary" });
  expect(body).toMatchObject({ results: [{ path: "a.ts" }], metadata: { ref: "aux", freshness_status: "fresh" } });
  const { body: other } = await compass.ask("locate_symbol", { name: functionAt(1), ref: "CON.lock-2" });
  expect(other.results).toMatchObject([{ path: "aux.ts" }]);
});

// Node passes absolute paths with this prefix, below which Windows gives no name a meaning of its own.
test.each(NAMES)("on Windows %s is an ordinary name below the root", (name) => {
  const path = win32.toNamespacedPath(`C:/repo/${name}`);
  expect(path).toBe(`\\\\?\\C:\\repo\\${name.replaceAll("/", "\\")}`);
});

test("Windows can hold every name of the data directory", () => {
  const names = (readdirSync(box.home, { recursive: true }) as string[]).map((path) =>
    path.slice(path.lastIndexOf("/") + 1),
  );
  expect(names.length).toBeGreaterThan(6);
  for (const name of names) {
    expect(name).toMatch(/^[\w.-]*\w$/);
    expect(name).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i);
  }
  expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(new Set(names).size);
});
