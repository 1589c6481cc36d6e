/** C71–C73: a moved index, a locked store, unused branches; and the hooks, as commands. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { systemEnv } from "../../src/adapters/env/system.ts";
import { sqliteStores } from "../../src/adapters/sqlite/stores.ts";
import { codecompass as startCommand } from "../kit/command.ts";
import { codecompass } from "../kit/inline-command.ts";
import { F_RUST } from "../kit/repos/f-rust.ts";
import { branch, commit, git, sandbox, write } from "../kit/sandbox.ts";
import { PROJECT, sha256, takeLease } from "../kit/store.ts";

const box = sandbox();
afterAll(() => box[Symbol.dispose]());
const run = (cwd: string, ...args: string[]) => codecompass(args, { cwd, env: box.env });
const state = (root: string) =>
  ["status --porcelain", "rev-parse HEAD", "for-each-ref", "worktree list"].map((it) => git(root, ...it.split(" ")));

/** Another machine: its own data directory. */
const elsewhere = () => ({ ...box.env, CODECOMPASS_HOME: join(box.home, "..", `home-${Math.random()}`) });

describe("C71: export, wipe, import", () => {
  const root = box.repository(F_RUST);
  const archive = join(root, "..", "index.tar.zst");
  const question = ["search_code", "validate token", "--json"];
  // biome-ignore lint/suspicious/noExplicitAny: replies as they come
  const answers = (found: any) =>
    found.results.map(({ path, line_start, name, score }: Record<string, unknown>) => [path, line_start, name, score]);

  test("another machine and directory give the same answers; then only differences are indexed", async () => {
    branch(root, "feat/x", () => write(root, { "src/extra.rs": "pub fn only_on_feat() {}\n" }));
    await run(root, "index");
    await run(root, "index", "--ref", "feat/x");
    const before = (await run(root, ...question)).json();
    const exported = await run(root, "state", "export", archive, "--json");
    expect(exported).toMatchObject({ code: 0, err: "" });
    const refs = ["feat/x", "worktree"];
    expect(exported.json()).toMatchObject({ refs, file_versions: Object.keys(F_RUST).length + 1 });
    const after = state(root);

    const clone = join(root, "..", "cloned");
    git(root, "clone", "-q", root, clone);
    const env = elsewhere();
    const there = (...args: string[]) => codecompass(args, { cwd: clone, env });
    expect((await there("state", "import", archive, "--json")).json()).toMatchObject({ refs });
    const synced = await there("sync", "--json");
    expect(synced.json()).toMatchObject({ changed_files: 0, file_count: Object.keys(F_RUST).length });
    const found = (await there(...question)).json();
    expect(answers(found)).toEqual(answers(before));
    const [{ symbol_id: id, name }] = found.results.filter((hit: { symbol_id?: string }) => hit.symbol_id);
    expect((await there("locate_symbol", name, "--symbol-id", id, "--json")).json().results[0]).toMatchObject({ name });
    write(clone, { "src/auth.rs": `${F_RUST["src/auth.rs"]}\npub fn brand_new() {}\n` });
    expect((await there("sync", "--json")).json()).toMatchObject({ changed_files: 1 });
    expect((await there("locate_symbol", "brand_new", "--json")).json().results).toHaveLength(1);
    expect(state(root)).toEqual(after);
  });

  test("the same state gives the same bytes, also after a rebuild from scratch", async () => {
    const [one, two] = [join(root, "..", "one.tar.zst"), join(root, "..", "two.tar.zst")];
    await run(root, "state", "export", one);
    const env = elsewhere();
    const fresh = (...args: string[]) => codecompass(args, { cwd: root, env });
    await fresh("index", "--ref", "feat/x");
    await fresh("index");
    await fresh("state", "export", two);
    expect(readFileSync(two).equals(readFileSync(one))).toBe(true);
    expect(readdirSync(join(root, "..")).filter((name) => /\.tmp|^\.\w+\.tar/.test(name))).toEqual([]);
  });

  test("a damaged archive changes nothing, and the error says so", async () => {
    const bad = join(root, "..", "bad.tar.zst");
    writeFileSync(bad, readFileSync(archive).subarray(0, 500));
    const refused = await run(root, "state", "import", bad);
    expect(refused).toMatchObject({ code: 2, out: "" });
    expect(refused.err).toMatch(/not an archive that can be imported.*\nNothing was changed here\./);
    expect(answers((await run(root, ...question)).json()).length).toBeGreaterThan(0);
  });

  test("invalid arguments", async () => {
    expect(await run(root, "state", "export", "x.zip")).toMatchObject({ code: 2, out: "" });
    expect(await run(root, "state", "burn", archive)).toMatchObject({ code: 2, out: "" });
    expect((await run(box.repository({ "a.rs": "" }), "state", "export", "x.tar.zst")).err).toMatch(/not ready/);
  });
});

/** The only index of a machine. */
const storeOf = (env: NodeJS.ProcessEnv) => {
  const stores = join(env.CODECOMPASS_HOME!, "stores");
  return join(stores, readdirSync(stores)[0]!);
};

test("C72: while another process writes, an import fails at once and changes nothing", async () => {
  const env = elsewhere();
  const root = box.repository({ "a.rs": "fn alpha() {}\n" });
  const here = (...args: string[]) => codecompass(args, { cwd: root, env });
  await here("index");
  const archive = join(root, "..", "held.tar.zst");
  await here("state", "export", archive);
  const store = await sqliteStores({ env: systemEnv(), hash: sha256 }).open(storeOf(env), {
    create: true,
    project: PROJECT,
  });
  // This process lives: the lease of a dead one would be taken over.
  const lease = await takeLease(store, systemEnv().self);
  const refused = await startCommand(["state", "import", archive], { cwd: root, env });
  expect(refused).toMatchObject({ code: 2, out: "" });
  expect(refused.err).toMatch(/already running/);
  await lease.release();
  await store.close();
  expect((await here("locate_symbol", "alpha", "--json")).json().results).toHaveLength(1);
  expect(await here("state", "import", archive)).toMatchObject({ code: 0 });
});

describe("C73: prune-overlays", () => {
  const env = elsewhere();
  const root = box.repository({ "a.rs": "fn alpha() {}\n" });
  const here = (...args: string[]) => codecompass(args, { cwd: root, env });
  const branches = ["old", "recent", "linked"];

  test("old unused views are removed, everything else stays with a reason", async () => {
    for (const name of branches) {
      git(root, "switch", "-qc", name, "main");
      write(root, { [`${name}.rs`]: `fn on_${name}() {}\n` });
      commit(root, name);
    }
    git(root, "switch", "-q", "main");
    git(root, "worktree", "add", "-q", join(root, "..", "linked-tree"), "linked");
    await here("index");
    for (const name of branches) await here("index", "--ref", name);
    const before = state(root);
    const dry = (await here("prune-overlays", "--older-than", "0", "--dry-run", "--json")).json();
    expect(dry.removed.map((row: { ref: string }) => row.ref)).toEqual(["old", "recent"]);
    expect((await here("locate_symbol", "on_old", "--ref", "old", "--json")).json().results).toHaveLength(1);

    const nothing = (await here("prune-overlays", "--json")).json();
    expect(nothing.removed).toEqual([]);
    const reasons = (rows: { ref: string; reason: string }[]) =>
      Object.fromEntries(rows.map((it) => [it.ref, it.reason]));
    expect(reasons(nothing.kept)).toMatchObject({
      old: "recently_used",
      linked: "checked_out",
      worktree: "checked_out",
    });

    const done = (await here("prune-overlays", "--older-than", "0", "--json")).json();
    expect(done.removed.map((row: { ref: string }) => row.ref)).toEqual(["old", "recent"]);
    expect(reasons(done.kept)).toEqual({ base: "base_of_others", linked: "checked_out", worktree: "checked_out" });
    expect((await here("locate_symbol", "on_linked", "--ref", "linked", "--json")).json().results).toHaveLength(1);
    expect((await here("locate_symbol", "alpha", "--json")).json().results).toHaveLength(1);
    expect(state(root)).toEqual(before);
  });

  test("the base is removed with the last view stored against it", async () => {
    const alone = elsewhere();
    const tree = box.repository({ "a.rs": "fn alpha() {}\n", "gone.rs": "fn long_gone() {}\n" });
    const at = async (...args: string[]) => (await codecompass([...args, "--json"], { cwd: tree, env: alone })).json();
    git(tree, "branch", "side");
    await at("index");
    await at("index", "--ref", "side");
    rmSync(join(tree, "gone.rs"));
    commit(tree, "gone");
    await at("sync");
    const before = state(tree);
    const dry = await at("prune-overlays", "--older-than", "0", "--dry-run");
    const done = await at("prune-overlays", "--older-than", "0");
    for (const { removed } of [dry, done])
      expect(removed.map((row: { ref: string }) => row.ref).sort()).toEqual(["base", "side"]);
    expect(done).toMatchObject({ kept: [{ ref: "worktree" }] });
    expect((await at("locate_symbol", "alpha")).results).toHaveLength(1);
    expect((await at("locate_symbol", "long_gone", "--ref", "side")).results).toHaveLength(1);
    expect(state(tree)).toEqual(before);
  });

  test("an index outside the data directory is left alone", async () => {
    await here("index", "--ref", "old");
    const store = storeOf(env);
    const outside = join(root, "..", "outside");
    renameSync(store, outside);
    symlinkSync(outside, store);
    const report = (await here("prune-overlays", "--older-than", "0", "--json")).json();
    expect(report.removed).toEqual([]);
    expect(new Set(report.kept.map((row: { reason: string }) => row.reason))).toEqual(
      new Set(["outside_data_directory"]),
    );
    rmSync(store);
    renameSync(outside, store);
    expect((await here("locate_symbol", "on_old", "--ref", "old", "--json")).json().results).toHaveLength(1);
  });

  test("an invalid number of days", async () => {
    for (const days of ["-1", "x", ""]) {
      expect(await here("prune-overlays", "--older-than", days)).toMatchObject({ code: 2, out: "" });
    }
  });
});

test("hooks: after a commit the index follows, and uninstall leaves nothing behind", async () => {
  const env = elsewhere();
  const root = box.repository({ "a.rs": "fn alpha() {}\n" });
  const here = (...args: string[]) => codecompass(args, { cwd: root, env });
  mkdirSync(join(root, ".git/hooks"), { recursive: true });
  const before = readdirSync(join(root, ".git/hooks")).sort();
  await here("index");
  expect(await here("hooks", "install")).toMatchObject({ code: 0, err: "" });
  expect((await here("hooks", "install", "--json")).json().hooks[0].outcome).toBe("present");
  write(root, { "b.rs": "fn beta() {}\n" });
  git(root, "add", "-A");
  spawnGit(root, env, "commit", "-q", "-m", "beta");
  const indexed = async () => (await here("index_status", "--json")).json().last_indexed_commit;
  await expect.poll(indexed, { timeout: 30_000, interval: 500 }).toBe(git(root, "rev-parse", "HEAD").trim());
  expect(await here("hooks", "uninstall")).toMatchObject({ code: 0, err: "" });
  expect(readdirSync(join(root, ".git/hooks")).sort()).toEqual(before);
  expect(existsSync(join(root, ".git/hooks/post-commit"))).toBe(false);
  expect((await here("hooks", "install", "--path", box.tree({ "a.rs": "" }))).err).toMatch(/no git repository/);
});

test("hooks: a sync that is rejected while another writes follows git afterwards", async () => {
  const env = elsewhere();
  const root = box.repository({ "a.rs": "fn alpha() {}\n" });
  const here = (...args: string[]) => codecompass(args, { cwd: root, env });
  await here("index");
  write(root, { "b.rs": "fn beta() {}\n" });
  commit(root, "beta");
  const store = await sqliteStores({ env: systemEnv(), hash: sha256 }).open(storeOf(env), {
    create: true,
    project: PROJECT,
  });
  const lease = await takeLease(store, systemEnv().self);
  // It prints its steps on stderr: the other one is released as soon as the lease was refused.
  const traced = { cwd: root, env: { ...env, CODECOMPASS_FAILPOINT: "?" } };
  const refused = Promise.withResolvers<void>();
  const hook = codecompass(["sync", "--after-git"], {
    ...traced,
    onStart: (child) => child.stderr!.on("data", (data) => /lease:after/.test(String(data)) && refused.resolve()),
  });
  await Promise.race([refused.promise, hook]);
  await lease.release();
  expect(await hook).toMatchObject({ code: 0, out: "" });
  await store.close();
  expect((await here("index_status", "--json")).json().last_indexed_commit).toBe(git(root, "rev-parse", "HEAD").trim());
});

test("hooks: a repository inside a registered plain directory has its own hooks; uninstall registers nothing", async () => {
  const env = elsewhere();
  const plain = box.tree({ "top.py": "def top(): pass\n", "below/a.rs": "fn alpha() {}\n" });
  const below = join(plain, "below");
  git(below, "init", "-q");
  const at = (cwd: string, ...args: string[]) => codecompass(args, { cwd, env });
  const known = async () => (await at(plain, "workspaces", "list", "--json")).json().length;
  await at(below, "hooks", "uninstall");
  expect(await known()).toBe(0);
  await at(plain, "init");
  expect((await at(below, "hooks", "install", "--json")).json().directory).toBe(join(below, ".git/hooks"));
  expect(await known()).toBe(1);
});

/** With the environment that the hook's own command must inherit. */
function spawnGit(root: string, env: NodeJS.ProcessEnv, ...args: string[]): void {
  const before = process.env.CODECOMPASS_HOME;
  process.env.CODECOMPASS_HOME = env.CODECOMPASS_HOME;
  try {
    git(root, ...args);
  } finally {
    if (before === undefined) delete process.env.CODECOMPASS_HOME;
    else process.env.CODECOMPASS_HOME = before;
  }
}
