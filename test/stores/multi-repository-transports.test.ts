/**
 * A server of a shared store without a checkout: its answers and errors about repositories by name, with the same payload
 * over stdio, HTTP and the command line. Then queries for which some repositories do not answer.
 */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { postgresStores } from "../../src/adapters/postgres/stores.ts";
import { codecompass } from "../kit/command.ts";
import { onTestDatabase } from "../kit/database-tests.ts";
import { EVIL_TEXTS } from "../kit/evil-patterns.ts";
import { startHttp } from "../kit/http.ts";
import type { TestDatabase } from "../kit/postgres.ts";
import { branch, git, sandbox, write } from "../kit/sandbox.ts";
import { startServer } from "../kit/stdio.ts";
import { PROJECT, publishFiles, testEnv } from "../kit/store.ts";
import { indexAll, makeBareClone, makeClones, openToolClient, type ToolClient } from "../kit/tool-client.ts";

const API = "git.example.invalid/acme/api";
const WEB = "git.example.invalid/acme/web";
const MANY = 40;

const REPOSITORIES = {
  [API]: { "src/auth.rs": "pub fn validate_token(token: &str) -> bool {\n    !token.is_empty()\n}\n" },
  [WEB]: { "src/login.ts": "export const login = (token: string) => token;\n" },
};

await onTestDatabase(doors);

function doors(database: TestDatabase): void {
  const box = sandbox();
  const clones = makeClones(box, REPOSITORIES);
  const api = clones.get(API)!;
  const store = database.url;
  const away = box.tree({});
  const env = { ...box.env, CODECOMPASS_HOME: join(box.home, "..", "home-away") };
  let head = "";
  let asker: ToolClient;
  const ask = (tool: string, input: object) => asker.call(tool, input);

  beforeAll(async () => {
    branch(api, "feat", () => write(api, { "src/feat.rs": "pub fn only_on_feat() {}\n" }));
    head = git(api, "rev-parse", "main").trim();
    const ci = await openToolClient(join(box.home, "..", "home-ci"), { store });
    const bares = new Map([...clones].map(([name, root]) => [name, makeBareClone(root, name)]));
    await indexAll(ci, bares.values());
    const project = await ci.compass.project(bares.get(API)!);
    const job = await ci.compass.index(project, { mode: "incremental", force: false, ref: "feat", waitMs: 60_000 });
    expect(job.status).toBe("published");
    await ci.close();
    asker = await openToolClient(join(box.home, "..", "home-server"), { store });
  }, 60_000);
  afterAll(async () => {
    await asker?.close();
    await database.drop();
    box[Symbol.dispose]();
  });

  describe("without a checkout", () => {
    test("answers name their publication", async () => {
      const { body } = await ask("search_code", { query: "validate_token", workspace: API });
      expect(body.results[0]).toMatchObject({ path: "src/auth.rs", line_start: 1 });
      expect(body.metadata).toMatchObject({ freshness_status: "fresh", ref: "main", published: { commit: head } });
      const strict = await ask("search_code", { query: "x", workspace: API, freshness_policy: "strict" });
      expect(strict.isError).toBe(false);
    });

    test.each([
      ["get_file_outline", { path: "src/auth.rs" }, { language: "rust" }],
      ["find_references", { symbol_name: "validate_token" }, { total_references: 0 }],
      ["index_status", {}, { repo_root: API, index_status: "ready", file_count: 1 }],
      ["list_refs", {}, { total_refs: 2, refs: [{ ref: "main", is_default: true }, { ref: "feat" }] }],
      ["locate_symbol", { name: "only_on_feat", ref: "feat" }, { total_candidates: 1 }],
      ["locate_symbol", { name: "only_on_feat" }, { results: [] }],
      ["regex_search", { pattern: "validate_\\w+", path: "src" }, { pagination: { total_results: 1 } }],
    ])("%s %j", async (tool, input, expected) => {
      const { body } = await ask(tool, { ...input, workspace: API });
      expect(body).toMatchObject(expected);
    });

    test.each([
      ["index_repo", {}, "invalid_input"],
      ["sync_repo", {}, "invalid_input"],
      ["diff_context", { base_ref: "main", head_ref: "feat" }, "invalid_input"],
      ["switch_ref", { ref: "feat", ensure_worktree: true }, "invalid_input"],
      ["search_code", { query: "x", ref: "no-such" }, "ref_not_indexed"],
      ["regex_search", { pattern: "x", path: "/etc/passwd" }, "invalid_input"],
    ])("%s %j is refused with what to do", async (tool, input, code) => {
      const { isError, body } = await ask(tool, { ...input, workspace: API });
      expect(isError).toBe(true);
      expect(body.error).toMatchObject({ code });
      if (/index|sync|diff|switch/.test(tool)) expect(body.error.data.suggestion).toContain("--store");
    });

    test("stdio, HTTP and the command line give the same answer", async () => {
      const asked = { query: "token", workspace: "repo:git.example.invalid/acme/*", limit: 5 };
      const stdio = startServer(["--store", store, "--workspace", API], env, away);
      await stdio.initialize();
      const one = await stdio.tool("search_code", asked);
      expect(one.results.length).toBeGreaterThan(1);
      expect((await stdio.tool("locate_symbol", { name: "validate_token" })).results).toHaveLength(1);
      expect(await stdio.close()).toBe(0);
      const http = await startHttp(["--store", store], env, away);
      expect(await http.tool("search_code", asked)).toEqual(one);
      await http.close();
      const args = ["search_code", "token", "--limit", "5", "--workspace", asked.workspace, "--store", store];
      const shell = await codecompass([...args, "--json"], { cwd: away, env });
      expect(shell.json()).toEqual(one);
      const read = await codecompass(["search", "--regex", "validate", "--workspace", "all", "--store", store], {
        cwd: away,
        env: { ...env, CODECOMPASS_QUERY_WIDE_DEADLINE_MS: "60000" },
      });
      expect(read).toMatchObject({
        code: 0,
        out: expect.stringMatching(new RegExp(`^${API}/src/auth\\.rs:1:.*validate`, "m")),
      });
      const none = await codecompass(["search", "x", "--workspace", "repo:no.invalid/*", "--store", store], {
        cwd: away,
        env,
      });
      expect(none).toMatchObject({ code: 2, err: expect.stringContaining("not registered") });
    }, 60_000);
  });

  describe("some repositories do not answer", () => {
    const damage = (where: string) => database.sql(`UPDATE codecompass.repository SET schema_version = ${where}`);

    test("an unreadable one is named, and the others answer", async () => {
      await damage(`999 WHERE name = '${WEB}'`);
      try {
        const { body } = await ask("search_code", { query: "token", workspace: "all" });
        expect(new Set(body.results.map((it: { workspace: string }) => it.workspace))).toEqual(new Set([API]));
        expect(body.metadata).toMatchObject({
          result_completeness: "partial",
          workspaces: { selected: 2, searched: 1, failed: [{ workspace: WEB, code: "index_incompatible" }] },
        });
        const both = await ask("search_code", { query: "token", workspace: `${WEB},${WEB}` });
        expect(both.body.error).toMatchObject({ code: "index_incompatible" });
      } finally {
        await damage(`(SELECT min(schema_version) FROM codecompass.repository) WHERE name = '${WEB}'`);
      }
    });

    test("an unpublished one is named", async () => {
      await database.sql(
        "INSERT INTO codecompass.repository (key, name, ids_project, schema_version) SELECT 'new', 'git.example.invalid/acme/new', 'p', min(schema_version) FROM codecompass.repository",
      );
      try {
        const { body } = await ask("search_code", { query: "token", workspace: "all" });
        const { workspaces, result_completeness } = body.metadata;
        expect({ result_completeness, ...workspaces }).toMatchObject({
          result_completeness: "partial",
          not_indexed: ["git.example.invalid/acme/new"],
        });
        const alone = await ask("search_code", { query: "token", workspace: "git.example.invalid/acme/new" });
        expect(alone.body.error).toMatchObject({ code: "index_not_ready" });
        const status = await ask("index_status", { workspace: "git.example.invalid/acme/new" });
        expect(status.body).toMatchObject({ index_status: "not_indexed" });
      } finally {
        await database.sql("DELETE FROM codecompass.repository WHERE key = 'new'");
      }
    });

    test("a missed deadline is reported, with the repositories that did not answer", async () => {
      const hasty = await openToolClient(join(box.home, "..", "home-hasty"), { store, "query.wide_deadline_ms": 300 });
      const blocked = await blocking(database);
      try {
        const { body } = await hasty.call("search_code", { query: "token", workspace: "all" });
        expect(body.metadata).toMatchObject({
          result_completeness: "partial",
          workspaces: { selected: 2, searched: 0, late: [API, WEB], late_count: 2 },
        });
        const lines = await hasty.call("regex_search", { pattern: "token", workspace: "all" });
        expect(lines.body.metadata).toMatchObject({
          result_completeness: "partial",
          total_is_exact: false,
          workspaces: { late: [API, WEB] },
        });
        // To a shell that is an error, not an absence.
        const shell = await codecompass(["search", "--regex", "token", "--workspace", "all", "--store", store], {
          cwd: away,
          env: { ...env, CODECOMPASS_QUERY_WIDE_DEADLINE_MS: "300" },
        });
        expect(shell).toMatchObject({ code: 2, out: "", err: expect.stringContaining(`late: ${API}, ${WEB}`) });
        expect(shell.err).not.toContain("too much work");
      } finally {
        await blocked();
        await hasty.close();
      }
    });
  });

  describe("more repositories than are opened", () => {
    const nameOf = (key: string) => `git.example.invalid/many/${key}`;
    const openMany = (key: string) => {
      const named = (location: string) => ({ key: location, name: nameOf(location) });
      const stores = postgresStores({ url: store, env: testEnv(), clock: async () => 0, nameOf: named });
      return stores.open(key, { create: true, project: PROJECT });
    };
    beforeAll(async () => {
      for (let at = 0; at < MANY; at++) {
        const one = await openMany(`r${at}`);
        const text = `def common_name common name needle${at} needle ${at}`;
        await publishFiles(one, [{ path: "a.py", text }], { ref: "refs/heads/main" });
        await one.close();
      }
    });

    test("only repositories that contain the words are opened", async () => {
      const { body } = await ask("search_code", { query: "needle17", workspace: "all" });
      expect(body.results[0]).toMatchObject({ workspace: nameOf("r17"), path: "a.py" });
      expect(body.metadata).toMatchObject({
        result_completeness: "complete",
        workspaces: { selected: MANY + 2, searched: MANY + 2, passed_over: MANY + 1 },
      });
    });

    test("if more contain them than are opened, the answer is partial", async () => {
      const { body } = await ask("locate_symbol", { name: "common_name", workspace: "all", limit: 200 });
      expect(body.metadata.result_completeness).toBe("partial");
      expect(body.results.length).toBeGreaterThan(10);
      expect(body.metadata.warnings.join()).toContain("More repositories hold these words");
    });

    test("words that no repository contains find nothing", async () => {
      const { body } = await ask("search_code", { query: "zzzabsent", workspace: "all" });
      expect(body).toMatchObject({ results: [], metadata: { result_completeness: "complete" } });
    });

    test("hostile patterns are truncated or answered, and the next query is answered", async () => {
      const texts = EVIL_TEXTS.map((text, at) => ({ path: `evil${at}.txt`, text }));
      const evil = await openMany("evil");
      await publishFiles(evil, texts, { ref: "refs/heads/main" });
      await evil.close();
      const hasty = await openToolClient(join(box.home, "..", "home-evil"), { store, "query.wide_deadline_ms": 1_000 });
      try {
        for (const pattern of ["^(a+)+$", "[ab]*a[ab]{60}c", "(.*){30}x", "(\\w+\\s?)*!{20}"]) {
          const { body } = await hasty.call("regex_search", { pattern, workspace: "all", context: 0 });
          const refused = body.error?.code === "invalid_input";
          expect(refused || ["complete", "partial", "truncated"].includes(body.metadata.result_completeness)).toBe(
            true,
          );
          if (body.metadata.result_completeness === "partial" && !refused)
            expect(body.metadata.warnings.join()).toMatch(/too much (work|time)|in time/);
        }
      } finally {
        await hasty.close();
        await database.sql("UPDATE codecompass.repository SET name = NULL WHERE key = 'evil'");
      }
      const { body } = await ask("regex_search", { pattern: "needle1\\b", workspace: "all" });
      expect(body.results).toHaveLength(1);
    }, 60_000);

    test("a pattern searches all of them, page by page", async () => {
      const seen: string[] = [];
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const { body } = await ask("regex_search", {
          pattern: "needle\\d+",
          workspace: "all",
          page_size: 7,
          ...(cursor && { cursor }),
        });
        seen.push(...body.results.map((it: { workspace: string }) => it.workspace));
        expect(body.pagination.total_results).toBe(MANY);
        cursor = body.pagination.next_cursor;
      }
      expect(seen).toHaveLength(MANY);
      expect(new Set(seen).size).toBe(MANY);
    });
  });
}

/** Everything that reads the views waits until the answer is awaited. */
async function blocking(database: TestDatabase): Promise<() => Promise<void>> {
  const { default: pg } = await import("pg");
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query("BEGIN; LOCK TABLE codecompass.view, codecompass.findable IN ACCESS EXCLUSIVE MODE");
  return async () => {
    await client.query("ROLLBACK");
    await client.end();
  };
}
