import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { git, sandbox } from "../../../test/kit/sandbox.ts";
import { gitHooks } from "./hooks.ts";

const hooks = gitHooks();
const box = sandbox();
afterAll(() => box[Symbol.dispose]());

const COMMAND = ["/opt/a b/node", "/opt/it's/main.js", "sync"];
const outcomes = async (report: ReturnType<typeof hooks.install>) =>
  (await report)!.hooks.map(({ hook, outcome }) => `${hook} ${outcome}`);
const all = (outcome: string) => ["checkout", "commit", "merge", "rewrite"].map((name) => `post-${name} ${outcome}`);
/** Every file of the hooks' directory with its mode and text. */
const filesIn = (directory: string) =>
  existsSync(directory)
    ? readdirSync(directory)
        .sort()
        .map((name) => [
          name,
          statSync(join(directory, name)).mode & 0o777,
          readFileSync(join(directory, name), "utf8"),
        ])
    : undefined;

test("install and uninstall, twice each, leave what was there before", async () => {
  const root = box.repository({ "a.txt": "" });
  const directory = join(root, ".git/hooks");
  const before = filesIn(directory);
  expect(await outcomes(hooks.install(root, COMMAND))).toEqual(all("installed"));
  const installed = filesIn(directory);
  expect(await outcomes(hooks.install(root, COMMAND))).toEqual(all("present"));
  expect(filesIn(directory)).toEqual(installed);
  expect(readFileSync(join(directory, "post-commit"), "utf8")).toContain(
    `('/opt/a b/node' '/opt/it'\\''s/main.js' 'sync'`,
  );
  expect(statSync(join(directory, "post-commit")).mode & 0o111).toBe(0o111);
  expect(await outcomes(hooks.install(root, ["/other"]))).toEqual(all("updated"));
  expect(await outcomes(hooks.uninstall(root))).toEqual(all("removed"));
  expect(filesIn(directory)).toEqual(before);
  expect(await outcomes(hooks.uninstall(root))).toEqual(all("absent"));
  expect(git(root, "status", "--porcelain")).toBe("");
});

test("a user's hook is never touched, nor a link", async () => {
  const root = box.repository({ "a.txt": "" });
  const own = join(root, ".git/hooks/post-commit");
  mkdirSync(join(root, ".git/hooks"), { recursive: true });
  writeFileSync(own, "#!/bin/sh\necho mine\n", { mode: 0o700 });
  symlinkSync("/nowhere", join(root, ".git/hooks/post-merge"));
  const expected = ["post-checkout installed", "post-commit kept", "post-merge kept", "post-rewrite installed"];
  expect(await outcomes(hooks.install(root, COMMAND))).toEqual(expected);
  expect([readFileSync(own, "utf8"), statSync(own).mode & 0o777]).toEqual(["#!/bin/sh\necho mine\n", 0o700]);
  await hooks.uninstall(root);
  expect([readFileSync(own, "utf8"), statSync(own).mode & 0o777]).toEqual(["#!/bin/sh\necho mine\n", 0o700]);
});

test("lines of the user around ours stay", async () => {
  const root = box.repository({ "a.txt": "" });
  await hooks.install(root, COMMAND);
  const file = join(root, ".git/hooks/post-commit");
  const theirs = Buffer.from("#!/bin/sh\necho \xff mine\n", "latin1");
  writeFileSync(
    file,
    Buffer.concat([theirs, readFileSync(file).subarray("#!/bin/sh\n".length), Buffer.from("echo more\n")]),
  );
  chmodSync(file, 0o700);
  await hooks.uninstall(root);
  expect(readFileSync(file)).toEqual(Buffer.concat([theirs, Buffer.from("echo more\n")]));
  expect(statSync(file).mode & 0o777).toBe(0o700);
});

for (const [what, path, shared] of [
  ["inside", "tools/hooks", false],
  ["outside", "../shared-hooks", true],
] as const) {
  test(`core.hooksPath ${what} the repository is where hooks go`, async () => {
    const root = box.repository({ "a.txt": "" });
    git(root, "config", "core.hooksPath", path);
    const report = (await hooks.install(root, COMMAND))!;
    expect(report).toMatchObject({ directory: join(root, path), shared });
    expect(existsSync(join(root, path, "post-commit"))).toBe(true);
    expect(existsSync(join(root, ".git/hooks/post-commit"))).toBe(false);
    await hooks.uninstall(root);
    expect(existsSync(join(root, path))).toBe(false);
  });
}

test("a linked worktree shares the hooks; without a repository there are none", async () => {
  const root = box.repository({ "a.txt": "" });
  git(root, "worktree", "add", "-q", `${root}-linked`);
  expect((await hooks.install(`${root}-linked`, COMMAND))?.directory).toBe(join(root, ".git/hooks"));
  expect(await hooks.install(box.tree({}), COMMAND)).toBeUndefined();
});

test("a hook runs its command in the background, after a commit", async () => {
  const root = box.repository({ "a.txt": "" });
  const seen = join(root, "..", "seen");
  rmSync(seen, { force: true });
  await hooks.install(root, ["sh", "-c", `echo ran > '${seen}'`]);
  git(root, "commit", "-q", "--allow-empty", "-m", "x");
  await expect.poll(() => existsSync(seen), { timeout: 5_000 }).toBe(true);
});
