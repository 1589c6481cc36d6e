/** An index in PostgreSQL as users see it: every command, both servers, clones that share it, archives that move. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { onTestDatabase } from "../kit/database-tests.ts";
import { startHttp } from "../kit/http.ts";
import { codecompass } from "../kit/inline-command.ts";
import { BACK_TO_STEP_7, type TestDatabase } from "../kit/postgres.ts";
import { F_RUST } from "../kit/repos/f-rust.ts";
import { branch, commit, git, type Sandbox, sandbox, write } from "../kit/sandbox.ts";
import { startServer } from "../kit/stdio.ts";

const PASSWORD = "geheim-4711";

await onTestDatabase(shared);

/** With a password that the server does not require, but that must never be shown. */
function withPassword(url: string): string {
  const secret = new URL(url);
  secret.password = PASSWORD;
  return secret.href;
}

function shared(database: TestDatabase): void {
  const box = sandbox();
  afterAll(async () => {
    await database.drop();
    box[Symbol.dispose]();
  });
  const store = withPassword(database.url);
  const run = (cwd: string, ...args: string[]) => codecompass(args, { cwd, env: box.env });
  const there = (cwd: string, ...args: string[]) => codecompass([...args, "--store", store], { cwd, env: box.env });

  describe("commands", () => {
    const root = box.repository(F_RUST);

    test("flag, environment and config can name the store", async () => {
      expect(await there(root, "index", "--json")).toMatchObject({ code: 0 });
      const found = async (args: string[], env: NodeJS.ProcessEnv) =>
        (await codecompass(["search_code", "validate token", "--json", ...args], { cwd: root, env })).json().results[0]
          .path;
      expect(await found(["--store", store], box.env)).toBe("src/auth.rs");
      expect(await found([], { ...box.env, CODECOMPASS_STORE: store })).toBe("src/auth.rs");
      write(box.home, { "own.toml": `store = "${store}"\n` });
      expect(await found(["--config", join(box.home, "own.toml")], box.env)).toBe("src/auth.rs");
      const views = await database.sql("SELECT ref FROM codecompass.view");
      expect(views).toEqual([{ ref: "worktree" }]);
    });

    test("a repository's own file cannot send code elsewhere", async () => {
      const other = box.repository({ ".codecompass/config.toml": `store = "${store}"\n`, "a.rs": "fn a() {}\n" });
      const { code, err } = await run(other, "index");
      expect({ code, said: /cannot set `store`/.test(err), secret: err.includes(PASSWORD) }).toEqual({
        code: 2,
        said: true,
        secret: false,
      });
    });

    test("an edit is indexed, and nothing is stored on this machine", async () => {
      await there(root, "index");
      write(root, { "src/extra.rs": "pub fn brand_new() {}\n" });
      expect((await there(root, "sync", "--json")).json()).toMatchObject({ changed_files: 1 });
      const { results } = (await there(root, "locate_symbol", "brand_new", "--json")).json();
      expect(results).toHaveLength(1);
      const { code } = await run(root, "locate_symbol", "brand_new", "--json", "--freshness-policy", "best_effort");
      expect(code).not.toBe(0);
    });

    test("tables of the previous release are migrated, even if there is nothing to index", async () => {
      await there(root, "index");
      const steps = () => database.sql("SELECT version FROM codecompass.migration ORDER BY version");
      const before = await steps();
      const list = box.tree({ "repositories.txt": `${root}\n` });
      for (const args of [["index"], ["index", "--repos", join(list, "repositories.txt")]]) {
        await database.sql(BACK_TO_STEP_7);
        expect(await there(root, ...args)).toMatchObject({
          code: 0,
          err: "",
          out: expect.stringMatching(/up to date/i),
        });
        expect(await steps()).toEqual(before);
      }
    });

    test("the end of an ingest is noted, also of one that changes nothing", async () => {
      const list = box.tree({ "repositories.txt": `${root}\n` });
      const ended = async () => (await database.sql("SELECT ended_at FROM codecompass.ingest"))[0]?.ended_at as Date;
      await there(root, "index");
      const before = await ended();
      expect(await there(root, "index", "--repos", join(list, "repositories.txt"))).toMatchObject({ code: 0 });
      expect((await ended()).getTime()).toBeGreaterThan(before.getTime());
    });

    test("a clone with a changed remote belongs to that repository from then on", async () => {
      const own = box.repository({ "a.rs": "fn of_moved() {}\n" });
      const named = async (url: string, verb: string) => {
        git(own, "remote", verb, "origin", url);
        expect((await there(own, "index")).code).toBe(0);
        return (
          await database.sql("SELECT name FROM codecompass.repository WHERE name LIKE '%/moved/%' ORDER BY 1")
        ).map(({ name }) => name);
      };
      expect(await named("https://git.example/moved/one.git", "add")).toEqual(["git.example/moved/one"]);
      expect(await named("git@git.example:moved/one.git", "set-url")).toEqual(["git.example/moved/one"]);
      expect(await named("https://git.example/moved/two.git", "set-url")).toHaveLength(2);
      const found = await there(own, "locate_symbol", "of_moved", "--json", "--workspace", "git.example/moved/two");
      expect(found.json().results).toHaveLength(1);
    });

    test("doctor shows the store and its capabilities, and never the password", async () => {
      await there(root, "index");
      const { code, out, err } = await there(root, "doctor");
      expect(code).toBe(0);
      expect(out).toMatch(/ok {4}PostgreSQL: \d+.* at postgres:\/\/.*, answers/);
      expect(out).toMatch(/ranking: exact BM25/);
      expect(out).toMatch(/pg_trgm: \d/);
      expect(out + err).not.toContain(PASSWORD);
    });

    test("indexing empties the pending lists, even if there is nothing to index", async () => {
      await there(root, "index");
      await database.sql("CREATE EXTENSION IF NOT EXISTS pgstattuple");
      const pending = async () => {
        const [row] = await database.sql(`SELECT sum((pgstatginindex(c.oid)).pending_tuples)::integer AS count
          FROM pg_class c JOIN pg_am a ON a.oid = c.relam
          WHERE a.amname = 'gin' AND c.relkind = 'i' AND c.relnamespace = 'codecompass'::regnamespace`);
        return row!.count;
      };
      expect(await pending()).toBe(0);
      await database.sql("INSERT INTO codecompass.findable (repo, version, words, trigrams) VALUES (0, 0, 'x', '{1}')");
      expect(await pending()).toBeGreaterThan(0);
      expect((await there(root, "index")).out).toMatch(/^Up to date/);
      expect(await pending()).toBe(0);
    });
  });

  test("doctor reports why a store is unreachable, and what to do", async () => {
    const away = `postgres://u:${PASSWORD}@127.0.0.1:1/d`;
    const { code, out, err } = await codecompass(["doctor", "--store", away], { cwd: box.tree({}), env: box.env });
    expect(code).toBe(2);
    expect(out).toMatch(/fail {2}store: .*127\.0\.0\.1:1\/d cannot be reached: see that PostgreSQL runs there/);
    expect(out + err).not.toContain(PASSWORD);
  });

  test("a replica is read together with the primary store, never alone", async () => {
    const root = box.repository({ "a.rs": "fn of_a() {}\n" });
    const alone = await run(root, "index", "--read-store", store);
    expect(alone).toMatchObject({ code: 2, err: expect.stringMatching(/--read-store is a replica of --store: give/) });
    expect((await there(root, "index", "--read-store", store)).code).toBe(0);
    const env = { ...box.env, CODECOMPASS_STORE: store, CODECOMPASS_READ_STORE: store };
    const found = await codecompass(["locate_symbol", "of_a", "--json"], { cwd: root, env });
    expect(found.json().results).toHaveLength(1);
    expect((await codecompass(["doctor"], { cwd: root, env })).out).toMatch(/reads: from postgres:\/\//);
    expect(alone.err).not.toContain(PASSWORD);
  });

  describe("servers", () => {
    const root = box.repository(F_RUST);

    test("stdio and HTTP answer from it, and say so", async () => {
      const stdio = startServer(["--workspace", root, "--store", store], box.env, root);
      await stdio.initialize();
      expect(await stdio.tool("index_repo", { wait_seconds: 60 })).toMatchObject({ status: "published" });
      const asked = { query: "validate token", limit: 3 };
      const { metadata: _, ...one } = await stdio.tool("search_code", asked);
      const { store: said } = await stdio.tool("health_check");
      expect(said).toMatchObject({ engine: "PostgreSQL", address: expect.not.stringContaining(PASSWORD) });
      expect(await stdio.close()).toBe(0);
      const http = await startHttp(["--workspace", root, "--store", store], box.env, root);
      const { metadata: __, ...other } = await http.tool("search_code", asked);
      expect(other).toEqual(one);
      await http.close();
      expect(stdio.stderr() + http.stderr()).not.toContain(PASSWORD);
    });
  });

  describe("clones", () => {
    const origin = "https://git.example.invalid/acme/service.git";
    const first = box.repository(F_RUST);
    git(first, "remote", "add", "origin", origin);
    const second = join(first, "..", "second");
    git(first, "clone", "-q", first, second);
    git(second, "remote", "set-url", "origin", `git@git.example.invalid:acme/service.git`);

    test("share one index by remote name, each with its own edits", async () => {
      await there(first, "index");
      write(second, { "src/mine.rs": "pub fn only_mine() {}\n" });
      await there(second, "index");
      const named = "SELECT count(*)::int AS count FROM codecompass.repository WHERE name = $1";
      expect(await database.sql(named, ["git.example.invalid/acme/service"])).toEqual([{ count: 1 }]);
      const has = async (cwd: string) => (await there(cwd, "locate_symbol", "only_mine", "--json")).code === 0;
      expect([await has(second), await has(first)]).toEqual([true, false]);
      const blobs = await database.sql(
        "SELECT count(*)::int AS count FROM codecompass.file_version v JOIN codecompass.repository r ON r.id = v.repo WHERE r.name = $1",
        ["git.example.invalid/acme/service"],
      );
      expect(blobs).toEqual([{ count: Object.keys(F_RUST).length + 1 }]);
    });

    test("a branch indexed by one is available to the other", async () => {
      git(first, "switch", "-qc", "feat");
      write(first, { "src/feat.rs": "pub fn of_feat() {}\n" });
      commit(first, "feat");
      git(first, "switch", "-q", "main");
      await there(first, "index", "--ref", "feat");
      git(second, "fetch", "-q", first, "feat:feat");
      const { results } = (await there(second, "locate_symbol", "of_feat", "--ref", "feat", "--json")).json();
      expect(results[0]).toMatchObject({ path: "src/feat.rs" });
    });

    test("removing a clone does not affect the shared index", async () => {
      expect((await there(second, "workspaces", "remove", second)).code).toBe(0);
      expect((await there(first, "locate_symbol", "validate_token", "--json")).code).toBe(0);
    });
  });

  describe("archives", () => {
    const root = box.repository(F_RUST);

    test("SQLite → archive → PostgreSQL → archive gives the same bytes", async () => {
      branch(root, "feat/x", () => write(root, { "src/extra.rs": "pub fn only_on_feat() {}\n" }));
      await run(root, "index");
      await run(root, "index", "--ref", "feat/x");
      const [one, two, three] = ["one", "two", "three"].map((name) => join(root, "..", `${name}.tar.zst`));
      expect((await run(root, "state", "export", one!)).code).toBe(0);
      expect(await there(root, "state", "import", one!)).toMatchObject({ code: 0, err: "" });
      expect(await there(root, "state", "export", two!)).toMatchObject({ code: 0, err: "" });
      expect(readFileSync(two!).equals(readFileSync(one!))).toBe(true);
      const env = { ...box.env, CODECOMPASS_HOME: elsewhere(box) };
      expect((await codecompass(["state", "import", two!], { cwd: root, env })).code).toBe(0);
      expect((await codecompass(["state", "export", three!], { cwd: root, env })).code).toBe(0);
      expect(readFileSync(three!).equals(readFileSync(one!))).toBe(true);
    });
  });
}

function elsewhere(box: Sandbox): string {
  return join(box.home, "..", "home-elsewhere");
}
