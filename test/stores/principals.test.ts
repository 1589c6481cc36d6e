/** Principals over HTTP: each sees only its own repositories; others appear not to exist (S14). */
import { afterAll, beforeAll, expect, test } from "vitest";
import { postgresPrincipals } from "../../src/adapters/postgres/principals.ts";
import { listTools, TOOLS } from "../../src/tools/index.ts";
import { onTestDatabase } from "../kit/database-tests.ts";
import { type HttpProcess, startHttp, toolCall } from "../kit/http.ts";
import { codecompass } from "../kit/inline-command.ts";
import { type TestDatabase, testDatabase } from "../kit/postgres.ts";
import { git, sandbox } from "../kit/sandbox.ts";

const OFFERED = listTools("full", "readers");

await onTestDatabase(principals);

/** All ways in which a call can name a workspace, besides one of its own. */
function wordsFor(own: string, wide: boolean): readonly ((word: string) => string | string[])[] {
  const one = [(word: string) => word, (word: string) => `repo:${word}`, (word: string) => `${word}/src`];
  const many = [
    (word: string) => `${own},${word}`,
    (word: string) => [own, word],
    (word: string) => `repo:${word}*`,
    (word: string) => `repo:**/${word.split("/").at(-1)}`,
  ];
  return wide ? [...one, ...many] : one;
}

function principals(database: TestDatabase): void {
  const box = sandbox();
  const run = (...args: string[]) =>
    codecompass([...args, "--store", database.url], { cwd: box.tree({}), env: { ...box.env } });
  const repository = (name: string) => {
    const root = box.repository({
      [`src/${name}.rs`]: `pub fn secret_of_${name}() { shared(); }\npub fn shared() {}\n`,
    });
    git(root, "remote", "add", "origin", `https://git.example.invalid/acme/${name}.git`);
    return root;
  };
  const api = repository("api");
  const web = repository("web");
  const none = `${web}-none`;
  const tokens: Record<string, string> = {};
  const as = (name: string) => ({ authorization: `Bearer ${tokens[name]}` });
  let server: HttpProcess;
  const added = async (name: string, ...globs: string[]) => {
    tokens[name] = (await run("principals", "add", name, ...globs, "--json")).json().token;
  };

  beforeAll(async () => {
    expect((await run("index", "--path", api)).code).toBe(0);
    await added("api", "git.example.invalid/acme/api");
    expect((await run("index", "--path", web)).code).toBe(0);
    await added("web", "**/web");
    await added("both", "git.example.invalid/acme/*");
    await added("gone", "**");
    const trees = ["--workspace", api, "--workspace", web];
    server = await startHttp([...trees, "--store", database.url, "--access", "principals"], box.env);
  });
  afterAll(async () => {
    await server?.close();
    await database.drop();
    box[Symbol.dispose]();
  });

  /** The rights of `api` with a separate token: a whole table exceeds the quota of one principal. */
  const twin = async (...globs: string[]) => {
    const principals = postgresPrincipals(database.url);
    const name = `twin-${Object.keys(tokens).length}`;
    tokens[name] = await principals.add({ name, globs: globs.length > 0 ? globs : ["git.example.invalid/acme/api"] });
    await principals.close();
    return name;
  };

  const paths = async (name: string, workspace: string) => {
    const asked = { query: "secret shared", workspace };
    const reply = await server.tool("search_code", asked, as(name));
    return reply.error?.code ?? [...new Set((reply.results as { path: string }[]).map(({ path }) => path))];
  };

  test("each sees its own repositories, whatever others have just queried", async () => {
    expect([await paths("api", api), await paths("both", api), await paths("both", web)]).toEqual([
      ["src/api.rs"],
      ["src/api.rs"],
      ["src/web.rs"],
    ]);
    expect([await paths("api", web), await paths("web", api), await paths("web", web)]).toEqual([
      "workspace_not_registered",
      "workspace_not_registered",
      ["src/web.rs"],
    ]);
  });

  test("every tool reports a hidden repository like one that does not exist", async () => {
    for (const name of ["git.example.invalid/acme/web", web]) {
      const other = name === web ? none : "git.example.invalid/acme/none";
      for (const tool of OFFERED) {
        const asker = await twin();
        for (const form of wordsFor(api, tool.multiWorkspace === true)) {
          const told = async (workspace: string) => {
            const words = form(workspace);
            const answer = await server.post(toolCall(1, tool.name, { ...tool.example, workspace: words }), as(asker));
            return answer.text.replaceAll(String(words), "(words)").replaceAll(workspace, "(it)");
          };
          const hidden = await told(name);
          expect([tool.name, form("(it)"), hidden]).toEqual([tool.name, form("(it)"), await told(other)]);
          expect(hidden).not.toContain("secret_of_web");
          // A principal has no shell on the server, so commands for its owner are no advice.
          expect(hidden).not.toMatch(/codecompass init|--workspace PATH/);
        }
      }
    }
  });

  test("the same holds for its paths, symbols, cursors and refs, and for another principal's session", async () => {
    const asker = await twin();
    // The invented name is as far from the visible secret_of_api as the hidden one, so that both get the same suggestion.
    const tables: readonly [string, (of: string) => object, string, string][] = [
      ["regex_search", (path) => ({ pattern: "secret", path }), `${web}/src/web.rs`, `${none}/src/web.rs`],
      ["get_file_outline", (path) => ({ path }), `${web}/src/web.rs`, `${none}/src/web.rs`],
      ["get_file_outline", (path) => ({ path, workspace: api }), `${web}/src/web.rs`, `${none}/src/web.rs`],
      ["locate_symbol", (name) => ({ name, workspace: "all" }), "secret_of_web", "secret_of_xyz"],
      ["locate_symbol", (name) => ({ name, workspace: api }), "secret_of_web", "secret_of_xyz"],
      ["find_references", (symbol_name) => ({ symbol_name, workspace: api }), "secret_of_web", "secret_of_xyz"],
      ["search_code", (query) => ({ query, workspace: "all" }), "secret_of_web", "secret_of_xyz"],
      ["regex_search", (pattern) => ({ pattern, workspace: "all" }), "secret_of_web", "secret_of_xyz"],
      ["search_code", (ref) => ({ query: "shared", ref, workspace: api }), "of-web", "of-none"],
    ];
    git(web, "branch", "of-web");
    for (const [tool, input, hidden, other] of tables) {
      const told = async (word: string) =>
        (await server.post(toolCall(1, tool, input(word)), as(asker))).text.replaceAll(word, "(it)");
      expect([tool, await told(hidden)]).toEqual([tool, await told(other)]);
    }
  });

  test("requests that are not tool calls give the same reply to all", async () => {
    const methods = ["tools/list", "resources/list", "resources/templates/list", "prompts/list", "ping"];
    const named = ["resources/read", "prompts/get", "completion/complete"];
    const said = async (asker: string) => {
      const all: string[] = [];
      for (const method of [...methods, ...named]) {
        const params = named.includes(method) ? { uri: `file://${web}`, name: web, ref: {}, argument: {} } : {};
        all.push(`${method}: ${(await server.post({ jsonrpc: "2.0", id: 1, method, params }, as(asker))).text}`);
      }
      return all;
    };
    const told = await said("api");
    expect(told).toEqual(await said("web"));
    for (const one of told.slice(1)) expect(one).not.toContain(web);
  });

  test("a read-only principal gets no tool that writes, and none of its calls writes", async () => {
    const written = () =>
      database.sql(`SELECT (SELECT count(*) FROM codecompass.job) AS jobs, (SELECT count(*) FROM codecompass.publication)
        AS publications, (SELECT max(last_version) FROM codecompass.repository) AS versions,
        (SELECT count(*) FROM codecompass.repository) AS repositories`);
    const before = await written();
    const asker = await twin("**");
    const listed = (await server.post({ jsonrpc: "2.0", id: 1, method: "tools/list" }, as(asker))).json().result.tools;
    expect(listed.map(({ name }: { name: string }) => name)).toEqual(OFFERED.map(({ name }) => name));
    for (const { name, example } of TOOLS.filter((tool) => !OFFERED.includes(tool))) {
      const asked = toolCall(1, name, { ...example, workspace: api });
      for (const headers of [{}, { "mcp-protocol-version": "2025-06-18" }]) {
        const { error } = (await server.post(asked, { ...as(asker), ...headers })).json();
        expect([name, error?.message]).toEqual([name, `Unknown tool: ${name}`]);
      }
    }
    git(api, "branch", "never-indexed");
    git(api, "commit", "-q", "--allow-empty", "-m", "moves HEAD");
    const codes = async (tool: string, input: object) => {
      const { error } = await server.tool(tool, { workspace: api, ...input }, as(asker));
      return error?.code ?? "answered";
    };
    expect([
      await codes("search_code", { query: "shared" }),
      await codes("search_code", { query: "shared", ref: "never-indexed" }),
      await codes("switch_ref", { ref: "never-indexed" }),
      await codes("switch_ref", { ref: "HEAD~1", ensure_worktree: true }),
      await codes("search_code", { query: "shared", workspace: box.tree({ "a.rs": "fn a() {}\n" }) }),
    ]).toEqual(["answered", "ref_not_indexed", "ref_not_indexed", "ref_not_indexed", "workspace_not_registered"]);
    expect(await written()).toEqual(before);
  });

  test("status and health do not reveal it", async () => {
    const health = await server.tool("health_check", {}, as("api"));
    expect(health.projects.map(({ repo_root }: { repo_root: string }) => repo_root)).toEqual([api]);
    expect(health.workspace_warmset.members).toEqual([api]);
    expect(health.store).toMatchObject({ engine: "PostgreSQL", address: "postgres://…" });
    const body = async (headers: Record<string, string>) => (await server.send({ path: "/health", headers })).text;
    expect(await body(as("api"))).not.toContain(web);
    expect(JSON.parse(await body({})).projects).toEqual([]);
    const unnamed = await server.tool("search_code", { query: "secret" }, as("web"));
    expect(unnamed.error).toMatchObject({ code: "project_not_found", data: { workspace: "this server" } });
    expect(JSON.stringify(unnamed)).not.toContain(api);
  });

  test("an unknown token, and a removed one", async () => {
    const status = async (headers: Record<string, string>) =>
      (await server.post(toolCall(1, "health_check"), headers)).status;
    expect([await status({}), await status({ authorization: "Bearer nonsense" }), await status(as("gone"))]).toEqual([
      401, 401, 200,
    ]);
    expect(await paths("gone", web)).toEqual(["src/web.rs"]);
    expect((await run("principals", "remove", "gone")).code).toBe(0);
    // Its access ends at once; the owner of the token is cached a moment longer.
    expect(await paths("gone", web).catch(() => "workspace_not_registered")).toBe("workspace_not_registered");
    await expect.poll(() => status(as("gone")), { timeout: 20_000 }).toBe(401);
  });

  test("a principal's repositories change, and its token stays", async () => {
    const moving = await twin("git.example.invalid/acme/api");
    const seen = () => paths(moving, web).catch(() => "workspace_not_registered");
    expect(await seen()).toBe("workspace_not_registered");
    expect((await run("principals", "set", moving, "git.example.invalid/acme/web")).code).toBe(0);
    expect(await seen()).toEqual(["src/web.rs"]);
    expect((await run("principals", "set", moving, "git.example.invalid/none")).code).toBe(0);
    expect(await seen()).toBe("workspace_not_registered");
  });

  test("a session belongs to its principal", async () => {
    const opening = {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {} },
    };
    const { headers } = await server.post(opening, as("api"));
    const session = { "mcp-session-id": String(headers["mcp-session-id"]) };
    const status = async (name: string) =>
      (await server.post(toolCall(1, "health_check"), { ...as(name), ...session })).status;
    expect([await status("api"), await status("web")]).toEqual([200, 404]);
  });

  test("a change says how many repositories match, and warns when none does", async () => {
    const name = await twin();
    const set = async (glob: string) => {
      const { out, err } = await run("principals", "set", name, glob);
      return [out, err];
    };
    expect(await set("git.example.invalid/acme/*")).toEqual([
      `Changed: ${name}; it sees 2 of the store's repositories\n`,
      "",
    ]);
    const [out, err] = await set("git.example.invalid/*");
    expect(out).toBe(`Changed: ${name}; it sees 0 of the store's repositories\n`);
    expect(err).toMatch(/no repository of the store matches git\.example\.invalid\/\*.*'github\.com\/\*\*'/);
    const { err: exact } = await run("principals", "set", name, "git.example.invalid/none");
    expect(exact).toBe("Warning: no repository of the store matches git.example.invalid/none.\n");
    const added = await run("principals", "add", `${name}-more`, "git.example.invalid/*", "--json");
    expect([added.json().repositories, added.err]).toEqual([0, expect.stringMatching(/^Warning: no repository/)]);
  });

  test("principals are listed with their repositories, and invalid arguments are rejected", async () => {
    const { out } = await run("principals");
    expect(out).toContain("both: git.example.invalid/acme/* (sees 2 of the store's repositories)\n");
    const refused = async (...args: string[]) => {
      const { code, err } = await run("principals", ...args);
      return [code, err.split("\n")[0]];
    };
    expect(await refused("add", "api", "**")).toEqual([2, expect.stringMatching(/there is a principal api already/)]);
    expect(await refused("add", "x")).toEqual([
      2,
      expect.stringMatching(/missing arguments: principals add NAME GLOB/),
    ]);
    expect(await refused("add", "x", "a b")).toEqual([2, expect.stringMatching(/a b is not the name of a repository/)]);
    expect(await refused("set", "nobody", "**")).toEqual([2, expect.stringMatching(/there is no principal nobody/)]);
    expect(await refused("set", "api")).toEqual([
      2,
      expect.stringMatching(/missing arguments: principals set NAME GLOB/),
    ]);
    expect(await refused("remove", "nobody")).toEqual([2, expect.stringMatching(/there is no principal nobody/)]);
    expect(await refused("grant")).toEqual([
      2,
      expect.stringMatching(/grant is not one of: list, add, set, remove, sql/),
    ]);
  });

  test("a server for principals does not start without its requirements", async () => {
    const said = async (...args: string[]) => {
      const ran = await codecompass(
        ["serve-mcp", "--transport", "http", "--port", "0", "--access", "principals", ...args],
        {
          cwd: api,
          env: box.env,
        },
      );
      return [ran.code, ran.err.split("\n")[0]];
    };
    const store = ["--store", database.url];
    expect(await said()).toEqual([2, expect.stringMatching(/principals require a shared store/)]);
    expect(await said(...store, "--token", "x")).toEqual([2, expect.stringMatching(/leave out --token/)]);
    const discovering = ["--auto-workspace", "--allowed-root", api];
    expect(await said(...store, ...discovering)).toEqual([
      2,
      expect.stringMatching(/cannot be combined with --access principals/),
    ]);
    const empty = await testDatabase();
    if ("skip" in empty) throw new Error(empty.skip);
    try {
      expect(await said("--store", empty.url)).toEqual([
        2,
        expect.stringMatching(/knows no principals yet; make the first/),
      ]);
    } finally {
      await empty.drop();
    }
  });

  test("a principal above its quota is slowed down and finally rejected, without delaying others (S20)", async () => {
    const greedy = await twin();
    const ask = (name: string) => server.post(toolCall(1, "health_check"), as(name));
    const many = Array.from({ length: 200 }, () => ask(greedy));
    const other = await Promise.race([ask("web"), Promise.all(many)]);
    expect(other).toMatchObject({ status: 200 });
    const answers = await Promise.all(many);
    const refused = answers.filter(({ status }) => status === 429);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(200 - refused.length);
    expect(refused[0]!.headers["retry-after"]).toBe("1");
    expect(refused[0]!.json().error.message).toBe("Too many requests of this token: try again in a second");
    expect((await ask(greedy)).status).toBe(200);
  });

  test("no token is ever written to disk", () => {
    for (const token of Object.values(tokens)) expect(server.stderr()).not.toContain(token);
  });
}
