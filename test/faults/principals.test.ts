/**
 * S14: 8 principals with four repositories each (20 with ten in a long run), every tool. Our own filter for trees on the server's disk is disabled here:
 * the database alone hides what a principal may not see.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { postgresPrincipals, postgresTokens } from "../../src/adapters/postgres/principals.ts";
import { postgresStores } from "../../src/adapters/postgres/stores.ts";
import { asPrincipal } from "../../src/compose/principal-context.ts";
import type { TokenOwner } from "../../src/ports/principals.ts";
import { TOOLS } from "../../src/tools/index.ts";
import { onTestDatabase } from "../kit/database-tests.ts";
import type { TestDatabase } from "../kit/postgres.ts";
import { sandbox } from "../kit/sandbox.ts";
import { PROJECT, publishFiles, sha256, testEnv } from "../kit/store.ts";
import { indexAll, makeClones, openToolClient, type ToolClient } from "../kit/tool-client.ts";

vi.mock("../../src/compose/access-filter.ts", () => ({
  guardedRegistry: (registry: unknown) => registry,
  guardedFiles: (files: unknown) => files,
  guardedWorktrees: (worktrees: unknown) => worktrees,
}));

const TEAMS = process.env.CODECOMPASS_LONG ? 20 : 8;
const EACH = process.env.CODECOMPASS_LONG ? 10 : 4;
const AT_ONCE = 8;
const nameOf = (team: number, repo: number) => `git.example.invalid/team-${team}/repo-${repo}`;
const NONE = "git.example.invalid/team-none/repo-0";

await onTestDatabase(leaks);

function leaks(database: TestDatabase): void {
  const { url } = database;
  const box = sandbox();
  const home = join(box.home, "..", "home-server");
  const local = makeClones(box, {
    "git.example.invalid/team-0/local": { "src/secret_local.rs": "pub fn secret_local() {}\n" },
  });
  const [clone] = local.values();
  const owners: TokenOwner[] = [];
  let server: ToolClient;

  const publish = async (name: string) => {
    const stores = postgresStores({ url, env: testEnv(), connections: 1, nameOf: keyed });
    const store = await stores.open(name, { create: true, project: PROJECT });
    const [team, repo] = name.match(/\d+/g) as [string, string];
    const own = { path: `src/own_${team}_${repo}.rs`, text: `def secret_${team}_${repo} shared words` };
    const shared = { path: "lib/shared.rs", text: "def of_all_forks shared words" };
    await publishFiles(store, [own, shared], { ref: "refs/heads/main" });
    await store.close();
  };

  beforeAll(async () => {
    const all = Array.from({ length: TEAMS * EACH }, (_, at) => nameOf(Math.floor(at / EACH), at % EACH));
    const [first, ...others] = all;
    await publish(first!);
    await Promise.all(
      Array.from({ length: AT_ONCE }, async (_, worker) => {
        for (let at = worker; at < others.length; at += AT_ONCE) await publish(others[at]!);
      }),
    );
    const ci = await openToolClient(home, { store: url });
    await indexAll(ci, [clone!]);
    await ci.close();
    const principals = postgresPrincipals(url);
    const tokens = postgresTokens(url);
    for (let team = 0; team < TEAMS; team++) {
      const token = await principals.add({ name: `team-${team}`, globs: [`git.example.invalid/team-${team}/*`] });
      owners.push((await tokens.ownerOf(token))!);
    }
    await principals.close();
    await tokens.close();
    server = await openToolClient(home, { store: url }, { guarded: true, readers: "all" });
  }, 120_000);
  afterAll(async () => {
    await server?.close();
    await database.drop();
    box[Symbol.dispose]();
  });

  const as = (team: number, tool: string, input: object) => asPrincipal(owners[team]!, () => server.call(tool, input));
  /** Every name that belongs to another team. */
  const foreign = (team: number, told: string) =>
    [...told.matchAll(/team-(\d+)|(?:secret|own)_(\d+)_/g)]
      .map(([, a, b]) => Number(a ?? b))
      .filter((it) => it !== team);

  describe.each(Array.from({ length: TEAMS }, (_, team) => team))("team %i", (team) => {
    test("sees its own repositories, one by one and all at once", async () => {
      const one = await as(team, "search_code", { query: "shared words", workspace: nameOf(team, team % EACH) });
      expect(one.body.results.map(({ path }: { path: string }) => path).sort()).toEqual([
        "lib/shared.rs",
        `src/own_${team}_${team % EACH}.rs`,
      ]);
      for (const [tool, input] of [
        ["search_code", { query: "shared words", limit: 50 }],
        ["regex_search", { pattern: "secret_\\w+", page_size: 50 }],
        ["locate_symbol", { name: "of_all_forks" }],
      ] as const) {
        const { body, isError } = await as(team, tool, { ...input, workspace: "all" });
        const told = JSON.stringify(body);
        expect([tool, isError, foreign(team, told)]).toEqual([tool, false, []]);
        expect(told).toContain(`team-${team}`);
      }
    });

    test("every tool reports another's repository like one that does not exist", async () => {
      const hidden = nameOf((team + 1) % TEAMS, team % EACH);
      for (const tool of TOOLS) {
        const told = async (workspace: string) => {
          const reply = await as(team, tool.name, { ...tool.example, workspace });
          return JSON.stringify(reply).replaceAll(workspace, "(the workspace)");
        };
        expect([tool.name, await told(hidden)]).toEqual([tool.name, await told(NONE)]);
      }
    });
  });

  test("globs and lists that match more find no more", async () => {
    const seen = await as(3, "search_code", { query: "shared", workspace: "repo:git.example.invalid/**", limit: 50 });
    expect(foreign(3, JSON.stringify(seen.body))).toEqual([]);
    const both = `${nameOf(3, 0)},${nameOf(4, 0)}`;
    const none = `${nameOf(3, 0)},${NONE}`;
    const told = async (workspace: string) =>
      JSON.stringify(await as(3, "search_code", { query: "shared", workspace })).replaceAll(nameOf(4, 0), NONE);
    expect(await told(both)).toEqual(await told(none));
  });

  test("another principal's cursor opens nothing", async () => {
    const asked = { pattern: "shared", workspace: "all", page_size: 2 };
    const { body } = await as(0, "regex_search", asked);
    const { next_cursor: cursor } = body.pagination;
    expect(cursor).toEqual(expect.any(String));
    const { body: later } = await as(1, "regex_search", { ...asked, cursor });
    expect(foreign(1, JSON.stringify(later))).toEqual([]);
  });

  test("a request without a principal finds nothing, and health and status do not count others' repositories", async () => {
    const nobody = await server.call("search_code", { query: "shared", workspace: "all" });
    expect(nobody.body.error.code).toBe("project_not_found");
    const { body } = await as(7, "health_check", {});
    expect(foreign(7, JSON.stringify(body))).toEqual([]);
  });

  test("a tree on the server's disk reveals nothing of its index, even if the tree is not hidden", async () => {
    const policy = { workspace: clone!, freshness_policy: "best_effort" };
    const mine = await as(0, "locate_symbol", { name: "secret_local", ...policy });
    expect(mine.body.results).toHaveLength(1);
    for (const [tool, input] of [
      ["search_code", { query: "secret_local" }],
      ["locate_symbol", { name: "secret_local" }],
      ["semantic_search", { query: "local" }],
      ["hybrid_search", { query: "local" }],
      ["get_file_outline", { path: "src/secret_local.rs" }],
      ["find_references", { symbol_name: "secret_local" }],
    ] as const) {
      const { body } = await as(1, tool, { ...input, ...policy });
      const { results = [], symbols = [] } = body;
      expect([tool, results, symbols]).toEqual([tool, [], []]);
    }
  });

  test("a strict query for recent changes says what the caller can do, and not to index", async () => {
    writeFileSync(join(clone!, "src/secret_local.rs"), "pub fn secret_local() {}\npub fn later() {}\n");
    const strict = { name: "secret_local", workspace: clone!, freshness_policy: "strict" };
    const { body } = await as(0, "locate_symbol", strict);
    expect(body.error.code).toBe("index_stale");
    expect(JSON.stringify(body)).toMatch(/freshness_policy balanced/);
    expect(JSON.stringify(body)).not.toMatch(/sync_repo|index_repo/);
  });
}

/** The name that compose gives to a repository without a checkout. */
function keyed(location: string): { key: string; name: string } {
  return { key: sha256(location).slice(0, 16), name: location };
}
