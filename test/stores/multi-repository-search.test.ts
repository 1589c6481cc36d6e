/**
 * Queries over several repositories: the same on one machine, where each workspace is searched, and in a shared store
 * without any checkout.
 */
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { onTestDatabase } from "../kit/database-tests.ts";
import { type TestDatabase, testDatabase } from "../kit/postgres.ts";
import { sandbox } from "../kit/sandbox.ts";
import { indexAll, makeBareClone, makeClones, openToolClient, type ToolClient } from "../kit/tool-client.ts";

const API = "git.example.invalid/acme/api";
const WEB = "git.example.invalid/acme/web";
const OTHER = "git.example.invalid/other/tool";

const REPOSITORIES = {
  [WEB]: {
    "src/login.ts": "export function validateToken(token: string) {\n  return token.length > 0; // TODO check\n}\n",
    "src/page.ts":
      "import { validateToken } from './login';\nexport const page = () => validateToken('x');\n// TODO page\n",
  },
  [API]: {
    "src/auth.rs":
      "/// Checks a token.\npub fn validate_token(token: &str) -> bool {\n    !token.is_empty() // TODO expiry\n}\n",
    "src/rate.rs":
      "/// Limits how often a client may call.\npub fn rate_limiter(client: &str) -> u32 {\n    client.len() as u32\n}\n",
  },
  [OTHER]: { "main.py": "def parse_arguments(argv):\n    # TODO flags\n    return argv\n" },
};
const ACME = "repo:git.example.invalid/acme/*";

const box = sandbox();
afterAll(() => box[Symbol.dispose]());
const clones = makeClones(box, REPOSITORIES);

interface Engine {
  readonly asker: ToolClient;
  /** The name of a repository in a result. */
  readonly word: (name: string) => string;
}

function suite(name: string, open: () => Promise<Engine>): void {
  describe(name, () => {
    let engine: Engine;
    beforeAll(async () => {
      engine = await open();
    });
    afterAll(() => engine?.asker.close());
    const ask = async (tool: string, input: object) => {
      const { isError, body } = await engine.asker.call(tool, input);
      expect(body, JSON.stringify(body.error)).not.toHaveProperty("error");
      expect(isError).toBe(false);
      return body;
    };
    const refusal = async (tool: string, input: object) => {
      const { isError, body } = await engine.asker.call(tool, input);
      expect(isError, JSON.stringify(body).slice(0, 300)).toBe(true);
      return body.error;
    };
    // biome-ignore lint/suspicious/noExplicitAny: replies are read as they come
    const places = (body: any) =>
      // biome-ignore lint/suspicious/noExplicitAny: replies are read as they come
      body.results.map((it: any) => `${nameOf(it.workspace)} ${it.path ?? it.file}:${it.line_start}`);
    const nameOf = (workspace: string) =>
      Object.keys(REPOSITORIES).find((one) => engine.word(one) === workspace) ?? workspace;

    test("search_code ranks across repositories and names the repository of each result", async () => {
      const body = await ask("search_code", { query: "rate limiter of a client", workspace: "all", limit: 3 });
      expect(places(body)[0]).toBe(`${API} src/rate.rs:1`);
      expect(body.metadata).toMatchObject({
        result_completeness: "complete",
        workspaces: { selected: 3, searched: 3 },
      });
      const [{ workspace }] = body.metadata.workspaces.answered;
      expect(nameOf(workspace)).toBe(API);
      expect(body.suggested_next_actions[0]).toMatchObject({ tool: "locate_symbol", workspace: engine.word(API) });
      const again = await ask("search_code", { query: "rate limiter of a client", workspace: "all", limit: 3 });
      expect(again).toEqual(body);
    });

    test("semantic_search compares every chunk, and scores are comparable between repositories", async () => {
      const question = { query: "limits how often a client may call", workspace: "all", threshold: 0 };
      const body = await ask("semantic_search", { ...question, top_k: 4 });
      expect(places(body)[0]).toBe(`${API} src/rate.rs:1`);
      expect(body.metadata).toMatchObject({
        search_mode: "semantic",
        result_completeness: "complete",
        workspaces: { selected: 3, searched: 3 },
      });
      for (const { workspace, file, line_start, score } of body.results) {
        const alone = await ask("semantic_search", { ...question, workspace, top_k: 50 });
        expect(alone.results).toContainEqual(expect.objectContaining({ file, line_start, score }));
      }
      const scores = body.results.map(({ score }: { score: number }) => score);
      expect(scores).toEqual(scores.toSorted((a: number, b: number) => b - a));
    });

    test("pages of semantic_search are parts of one list", async () => {
      const question = { query: "check a token", workspace: "all", threshold: 0 };
      const whole = await ask("semantic_search", { ...question, page_size: 50 });
      expect(whole.pagination).toMatchObject({ has_next: false, total_results: whole.results.length });
      const seen: string[] = [];
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const body = await ask("semantic_search", { ...question, page_size: 2, ...(cursor && { cursor }) });
        seen.push(...places(body));
        cursor = body.pagination.next_cursor;
        if (seen.length > 2) expect(body.metadata.warnings).toContainEqual(expect.stringContaining("searched again"));
      }
      expect(seen).toEqual(places(whole));
      const { next_cursor: cursor } = (await ask("semantic_search", { ...question, page_size: 2 })).pagination;
      const other = { ...question, workspace: ACME, cursor };
      expect(await refusal("semantic_search", other)).toMatchObject({ code: "invalid_input" });
    });

    test("locate_symbol finds definitions in every repository", async () => {
      const body = await ask("locate_symbol", { name: "validateToken", workspace: "all", detail_level: "context" });
      expect(places(body)).toContain(`${WEB} src/login.ts:1`);
      expect(body.results[0].body_preview).toContain("token.length");
      const [first] = body.results;
      const alone = await ask("locate_symbol", { name: "validateToken", workspace: first.workspace });
      expect(alone.results[0].symbol_id).toBe(first.symbol_id);
    });

    test("regex_search lists lines by repository, path and line, with an exact total", async () => {
      const body = await ask("regex_search", { pattern: "TODO \\w+", workspace: "all", context: 0 });
      expect(places(body)).toEqual(
        [
          ...[`${API} src/auth.rs:3`],
          ...[`${WEB} src/login.ts:2`, `${WEB} src/page.ts:3`],
          ...[`${OTHER} main.py:2`],
        ].sort((a, b) => order(a, b)),
      );
      expect(body.metadata).toMatchObject({ total_results: 4, files_matched: 4, result_completeness: "complete" });
      expect(body.metadata).not.toHaveProperty("total_is_exact");
      expect(body.results[0]).toMatchObject({ breadcrumb: expect.any(String) });
    });

    const order = (a: string, b: string) => {
      const [x, y] = [a, b].map((place) => engine.word(place.split(" ")[0]!));
      return x! < y! ? -1 : x! > y! ? 1 : a < b ? -1 : 1;
    };

    test("pages neither repeat nor skip results, for any size and token budget", async () => {
      const whole = places(await ask("regex_search", { pattern: "o", workspace: "all" }));
      for (const page of [{ page_size: 1 }, { page_size: 3 }, { page_size: 50, max_tokens: 600 }]) {
        const seen: string[] = [];
        for (let cursor: string | null | undefined; cursor !== null; ) {
          const body = await ask("regex_search", {
            pattern: "o",
            workspace: "all",
            context: 0,
            ...page,
            ...(cursor && { cursor }),
          });
          seen.push(...places(body));
          expect(body.results.length).toBeGreaterThan(0);
          cursor = body.pagination.next_cursor;
        }
        expect(seen).toEqual(whole);
      }
    });

    test("a glob and a list select repositories", async () => {
      const glob = await ask("regex_search", { pattern: "TODO", workspace: ACME });
      expect(new Set(glob.results.map((it: { workspace: string }) => nameOf(it.workspace)))).toEqual(
        new Set([API, WEB]),
      );
      for (const workspace of [
        [API, OTHER].map((one) => `repo:${one}`).join(","),
        [API, OTHER].map((one) => `repo:${one}`),
        [API, OTHER].map((one) => engine.word(one)).join(", "),
      ]) {
        const list = await ask("locate_symbol", { name: "validate_token", workspace });
        expect(list.metadata.workspaces).toMatchObject({ selected: 2, searched: 2 });
        expect(places(list)).toEqual([`${API} src/auth.rs:2`]);
      }
    });

    test("path, glob and language apply inside each repository", async () => {
      const scoped = { pattern: "TODO", workspace: "all" };
      expect(places(await ask("regex_search", { ...scoped, path: "src/login.ts" }))).toEqual([`${WEB} src/login.ts:2`]);
      expect(places(await ask("regex_search", { ...scoped, language: "python" }))).toEqual([`${OTHER} main.py:2`]);
      expect(places(await ask("regex_search", { ...scoped, glob: "*.rs" }))).toEqual([`${API} src/auth.rs:3`]);
      expect(await refusal("regex_search", { ...scoped, path: "/etc" })).toMatchObject({ code: "invalid_input" });
    });

    test("one repository by its name", async () => {
      const body = await ask("search_code", { query: "validate_token", workspace: `repo:${API}` });
      expect(body.results[0]).toMatchObject({ path: "src/auth.rs", line_start: 2 });
      expect(body.results[0]).not.toHaveProperty("workspace");
    });

    test.each([
      ["search_code", { query: "x", workspace: "repo:git.example.invalid/nobody/*" }, "workspace_not_registered"],
      [
        "search_code",
        { query: "x", workspace: `repo:${API},repo:git.example.invalid/no/such` },
        "workspace_not_registered",
      ],
      ["search_code", { query: "x", workspace: "repo:git.example.invalid/no/such" }, "workspace_not_registered"],
      ["search_code", { query: "x", workspace: "repo:{" }, "invalid_input"],
      ["find_references", { symbol_name: "validate_token", workspace: "all" }, "invalid_input"],
      ["hybrid_search", { query: "validate token", workspace: "all" }, "invalid_input"],
      ["semantic_search", { query: "x", workspace: "all", cursor: "garbage" }, "invalid_input"],
      ["semantic_search", { query: "x", workspace: "all", path: "/etc" }, "invalid_input"],
      ["regex_search", { pattern: "(", workspace: "all" }, "invalid_input"],
      ["regex_search", { pattern: "a", workspace: "all", cursor: "garbage" }, "invalid_input"],
      ["regex_search", { pattern: "a", workspace: "all", cursor: btoa('{"offset":3}') }, "invalid_input"],
    ])("%s %j is refused", async (tool, input, code) => {
      expect(await refusal(tool, input)).toMatchObject({ code });
    });
  });
}

suite("one machine", async () => {
  const asker = await openToolClient(box.home, {});
  await indexAll(asker, clones.values());
  return { asker, word: (name) => clones.get(name)! };
});

await onTestDatabase(shared);

function shared(database: TestDatabase): void {
  afterAll(() => database.drop());
  suite("a shared store without checkouts", async () => {
    const ci = await openToolClient(join(box.home, "..", "home-ci"), { store: database.url });
    await indexAll(
      ci,
      [...clones].map(([name, root]) => makeBareClone(root, name)),
    );
    await ci.close();
    const asker = await openToolClient(join(box.home, "..", "home-server"), { store: database.url });
    return { asker, word: (name) => name };
  });

  test("a server opens the repositories of a small store before the first request", async () => {
    const { compass, close } = await openToolClient(join(box.home, "..", "home-warm"), { store: database.url });
    compass.prewarm();
    await expect.poll(async () => (await compass.health()).prewarm, { timeout: 60_000 }).toBe("complete");
    const { warmset } = await compass.health();
    expect([...warmset.members].sort()).toEqual([API, WEB, OTHER].sort());
    await close();
  });

  test("a query without a repository, or with an unknown one, says how to name one", async () => {
    const asker = await openToolClient(join(box.home, "..", "home-unnamed"), { store: database.url });
    const suggestion = async (input: object) => {
      const { body } = await asker.call("search_code", { query: "token", ...input });
      return [body.error.code, body.error.data.suggestion ?? ""];
    };
    expect(await suggestion({})).toEqual(["project_not_found", expect.stringContaining("host/owner/name")]);
    const [code, words] = await suggestion({ workspace: "git.example.invalid/no/such" });
    expect([code, words]).toEqual(["workspace_not_registered", expect.stringContaining("host/owner/name")]);
    expect(await suggestion({ workspace: join(box.home, "nowhere") })).toEqual([
      "workspace_not_registered",
      expect.stringContaining("no such directory"),
    ]);
    const here = relative(process.cwd(), clones.get(API)!);
    expect(await suggestion({ workspace: here.replace(/^(?=\.)/, "test/../") })).toEqual([
      "workspace_not_registered",
      "",
    ]);
    await asker.close();
  });

  test("all, in a store whose repositories have no name, says how they get one", async () => {
    const nameless = await testDatabase();
    if ("skip" in nameless) throw new Error(nameless.skip);
    const asker = await openToolClient(join(box.home, "..", "home-nameless"), { store: nameless.url });
    await indexAll(asker, [box.repository({ "main.py": "def parse_arguments(argv):\n    return argv\n" })]);
    const { body } = await asker.call("search_code", { query: "parse arguments", workspace: "all" });
    expect(body.error).toMatchObject({
      code: "project_not_found",
      data: { suggestion: expect.stringContaining("git remote add origin") },
    });
    await asker.close();
    await nameless.drop();
  });
}
