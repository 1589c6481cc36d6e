/** A store whose content is on two data nodes: `deploy/postgres/data-node.sql` and `attach-node.sql`. */
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import pg from "pg";
import { afterAll, expect, test } from "vitest";
import { postgresPrincipals, postgresTokens } from "../../src/adapters/postgres/principals.ts";
import { asPrincipal } from "../../src/compose/principal-context.ts";
import type { TokenOwner } from "../../src/ports/principals.ts";
import { bareClone } from "../kit/bare-clone.ts";
import { codecompass } from "../kit/command.ts";
import { openGateway } from "../kit/gateway.ts";
import { canStartServers, postgresPrograms, runSql, startServer, type TestServer } from "../kit/postgres.ts";
import { sandbox } from "../kit/sandbox.ts";
import { openToolClient, type ToolReply } from "../kit/tool-client.ts";

const TIMEOUT_MS = 180_000;
/** Enough time to detect the slow node, also on a busy machine. */
const WIDE_MS = 60_000;
const COMMON = { query: "common word" };
const PASSWORD = "node's own";
const [ALPHA, BETA] = ["host.example/acme/alpha", "host.example/acme/beta"] as const;

if (!canStartServers()) test.skip("data nodes: PostgreSQL is not installed", () => {});
else await dataNodes();

async function dataNodes(): Promise<void> {
  const box = sandbox();
  const [store, ...nodes] = (await Promise.all([startServer(), startServer(), startServer()])) as [
    TestServer,
    TestServer,
    TestServer,
  ];
  const gateway = await openGateway(nodes[1]!.port);
  afterAll(async () => {
    await gateway.close();
    await Promise.all([store, ...nodes].map((server) => server.remove()));
    box[Symbol.dispose]();
  });
  const env = { ...box.env, CODECOMPASS_QUERY_WIDE_DEADLINE_MS: String(WIDE_MS) };
  const run = (cwd: string, ...args: string[]) => codecompass([...args, "--json", "--store", store.url], { cwd, env });
  const attach = (node: number, port: number) =>
    script(store.port, "postgres", "attach-node.sql", { node, host: "127.0.0.1", port, dbname: "postgres" });

  /** The answer of a new process without any cache of the store. */
  async function ask(tool: string, words: object, workspace: string) {
    const settings = { store: store.url, "query.wide_deadline_ms": WIDE_MS };
    const asker = await openToolClient(`${box.home}-newcomer`, settings);
    try {
      return summary(await asker.call(tool, { ...words, workspace }));
    } finally {
      await asker.close();
    }
  }

  const indexed = (name: string, at: number) => {
    const text = `def common_word_${name}():\n    """A common word."""\n    return ${at}\n`;
    const files = { [`${name}.py`]: text, "same.py": "def same():\n    return 0\n" };
    return bareClone(box, files, `https://host.example/acme/${name}.git`);
  };

  test("repositories are placed on the nodes, and each is read from its own", { timeout: TIMEOUT_MS }, async () => {
    for (const role of ["admin", "ingest", "read", "principal"])
      await runSql(store.url, `CREATE ROLE codecompass_${role} NOLOGIN`);
    await runSql(store.url, "CREATE ROLE guests LOGIN IN ROLE codecompass_principal");
    // Indexing an empty tree creates the tables and stays in the store itself.
    expect(await run(box.tree({ "zero.py": "def zero():\n    pass\n" }), "index")).toMatchObject({ code: 0 });
    for (const node of nodes) {
      requirePassword(node);
      await runSql(node.url, "SELECT pg_reload_conf()");
      await script(node.port, "postgres", "data-node.sql");
    }
    await attach(1, nodes[0]!.port);
    await attach(2, gateway.port);
    const clones = [indexed("alpha", 1), indexed("beta", 2)];
    for (const clone of clones) expect(await run(clone, "index")).toMatchObject({ code: 0 });
    const rows = await runSql(store.url, "SELECT id, bytes > 0 AS measured FROM codecompass.repository ORDER BY id");
    expect(rows).toEqual([
      { id: 1, measured: true },
      { id: 1_000_001, measured: true },
      { id: 2_000_001, measured: true },
    ]);
    for (const node of nodes) {
      const sql = "SELECT count(DISTINCT repo)::integer AS repos, count(*) > 0 AS parts FROM codecompass.segment_part";
      expect(await runSql(node.url, sql)).toEqual([{ repos: 1, parts: true }]);
    }
    expect(await ask("search_code", COMMON, "all")).toMatchObject({
      complete: "complete",
      paths: expect.arrayContaining(["alpha.py", "beta.py"]),
    });
    for (const [name, workspace] of [
      ["alpha", ALPHA],
      ["beta", BETA],
    ] as const) {
      const found = await ask("locate_symbol", { name: `common_word_${name}` }, workspace);
      expect(found).toMatchObject({ isError: false, paths: [`${name}.py`] });
    }
    expect((await ask("regex_search", { pattern: "common_word" }, "all")).paths).toEqual(["alpha.py", "beta.py"]);
    const plan = await runSql(store.url, "EXPLAIN SELECT bytes FROM codecompass.segment_part WHERE repo = 1000001");
    expect(JSON.stringify(plan)).toContain("segment_part_node_1");
    expect(JSON.stringify(plan)).not.toContain("segment_part_node_2");
    expect((await run(clones[0]!, "index", "--force")).code).toBe(0);
    expect((await run(clones[0]!, "doctor")).code).toBe(0);
  });

  test("content is garbage collected on its node, and removed with its repository", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const left = async () => {
      const tables = ["blob", "segment_part"].map((table) => `(SELECT count(*)::integer FROM codecompass.${table})`);
      return Object.values((await runSql(nodes[0]!.url, `SELECT ${tables[0]} AS a, ${tables[1]} AS b`))[0]!);
    };
    const before = await left();
    const passing = indexed("passing", 3);
    await runSql(store.url, "UPDATE codecompass.node SET accepts_repositories = id = 1");
    expect(await run(passing, "index")).toMatchObject({ code: 0 });
    expect((await left())[0]).toBeGreaterThan(before[0] as number);
    const removed = await run(passing, "workspaces", "remove", "repo:host.example/acme/passing");
    expect(removed, removed.err).toMatchObject({ code: 0 });
    expect(await left()).toEqual(before);
  });

  test("a principal sees its repositories on every node, and nothing of others", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const principals = postgresPrincipals(store.url);
    const tokens = postgresTokens(store.url);
    const made = async (name: string, glob: string) =>
      (await tokens.ownerOf(await principals.add({ name, globs: [glob] })))!;
    const [alpha, beta, all] = [await made("a", ALPHA), await made("b", BETA), await made("all", "host.example/**")];
    await Promise.all([principals.close(), tokens.close()]);
    const guests = new URL(store.url);
    guests.username = "guests";
    const seenBy = async (principal: TokenOwner | undefined) => {
      const client = new pg.Client({ connectionString: guests.href });
      await client.connect();
      try {
        await client.query(`SET ROLE codecompass_principal; SET codecompass.principal = '${principal?.secret ?? ""}'`);
        const rows = async (sql: string) => (await client.query<{ id: number }>(sql)).rows.map(({ id }) => id);
        const parts = await rows("SELECT DISTINCT repo AS id FROM codecompass.readable_segment_part ORDER BY repo");
        const blobs = await rows("SELECT DISTINCT node AS id FROM codecompass.readable_blob ORDER BY node");
        // The error of an expression evaluated on the node would reveal a hidden row.
        const probe =
          "SELECT count(*)::integer AS id FROM codecompass.readable_blob WHERE 1 / (length(bytes) - length(bytes)) = 1";
        const told = await rows(probe).catch(() => "told");
        return { parts, blobs, told };
      } finally {
        await client.end();
      }
    };
    expect(await seenBy(undefined)).toEqual({ parts: [], blobs: [], told: [0] });
    expect(await seenBy(alpha)).toMatchObject({ parts: [1_000_001], blobs: [1] });
    expect(await seenBy(beta)).toMatchObject({ parts: [2_000_001], blobs: [2] });
    expect(await seenBy(all)).toMatchObject({ parts: [1_000_001, 2_000_001], blobs: [1, 2] });
    for (const table of [
      "blob",
      "segment_part",
      "blob_node_1",
      "segment_part_node_2",
      "blob_local",
      "findable",
      "principal",
      "node",
    ])
      await expect(runSql(guests.href, `SELECT 1 FROM codecompass.${table}`)).rejects.toThrow(/permission denied/);
    const own = "CREATE FOREIGN TABLE pg_temp.own (key bytea) SERVER node_1 OPTIONS (table_name 'blob')";
    await expect(runSql(guests.href, own)).rejects.toThrow(/permission denied/);
    const options = await runSql(guests.href, "SELECT DISTINCT umoptions FROM pg_user_mappings");
    expect(options).toEqual([{ umoptions: null }]);

    const server = await openToolClient(
      `${box.home}-guests`,
      { store: guests.href, "query.wide_deadline_ms": WIDE_MS },
      { guarded: true },
    );
    const found = async (principal: TokenOwner, workspace: string) => {
      const reply = await asPrincipal(principal, () => server.call("search_code", { ...COMMON, workspace }));
      const { code, paths, missing } = summary(reply);
      return code ?? [...paths.toSorted(), ...(missing ?? [])];
    };
    try {
      expect(await found(alpha, "all")).toEqual(["alpha.py"]);
      expect(await found(beta, "all")).toEqual(["beta.py"]);
      expect(await found(all, "all")).toEqual(["alpha.py", "beta.py"]);
      expect(await found(alpha, BETA)).toEqual(await found(alpha, "host.example/acme/none"));
      expect(await found(beta, BETA)).toEqual(["beta.py"]);
    } finally {
      await server.close();
    }
  });

  test("if a node is down or slow, the others answer, and the node is named", { timeout: TIMEOUT_MS }, async () => {
    const partly = { isError: false, complete: "partial", missing: ["node_1", ALPHA], paths: ["beta.py"] };
    nodes[0]!.kill();
    expect(await ask("search_code", COMMON, "all")).toMatchObject(partly);
    expect(await ask("locate_symbol", { name: "common_word_beta" }, "repo:host.example/**")).toMatchObject(partly);
    expect(await ask("regex_search", { pattern: "common_word" }, "all")).toMatchObject({
      ...partly,
      missing: ["node_1"],
    });
    expect(await ask("search_code", COMMON, BETA)).toMatchObject({ complete: "complete", paths: ["beta.py"] });
    expect(await ask("search_code", COMMON, ALPHA)).toMatchObject({ isError: true, shard: "node_1" });
    nodes[0]!.start();
    expect(await ask("search_code", COMMON, "all")).toMatchObject({ complete: "complete", missing: undefined });

    // Its connections stay open, but no data passes.
    gateway.hold();
    const slow = { isError: false, complete: "partial", missing: ["node_2", BETA], paths: ["alpha.py"] };
    const [late, there, elsewhere] = await Promise.all([
      ask("search_code", COMMON, "all"),
      ask("locate_symbol", { name: "common_word_alpha" }, ALPHA),
      ask("locate_symbol", { name: "common_word_beta" }, BETA),
    ]);
    expect(late).toMatchObject(slow);
    expect(there).toMatchObject({ isError: false, complete: "complete", paths: ["alpha.py"] });
    expect(elsewhere).toMatchObject({ isError: true, shard: "node_2" });
    expect(await ask("regex_search", { pattern: "common_word" }, "all")).toMatchObject({
      ...slow,
      missing: ["node_2"],
    });
  });
}

async function script(port: number, database: string, name: string, values: Record<string, string | number> = {}) {
  const file = fileURLToPath(new URL(`../../deploy/postgres/${name}`, import.meta.url));
  const at = ["-X", "-q", "-h", "127.0.0.1", "-p", String(port), "-U", "postgres", "-d", database];
  const set = Object.entries(values).flatMap(([key, value]) => ["-v", `${key}=${value}`]);
  await promisify(execFile)(`${postgresPrograms()}/psql`, [...at, ...set, "-f", file], {
    env: { ...process.env, NODE_PASSWORD: PASSWORD },
  });
}

/** PostgreSQL requires a password from ordinary users of a foreign server. */
function requirePassword({ data }: TestServer): void {
  const file = join(data, "pg_hba.conf");
  writeFileSync(file, `host all codecompass_node 127.0.0.1/32 scram-sha-256\n${readFileSync(file, "utf8")}`);
}

function summary({ isError, body }: ToolReply) {
  const { error, results = [], metadata } = body;
  const failed: { workspace: string }[] | undefined = metadata.workspaces?.failed;
  return {
    isError,
    code: error?.code as string | undefined,
    shard: error?.data?.shard as string | undefined,
    paths: results.map(({ path, file }: { path?: string; file?: string }) => path ?? file) as string[],
    complete: metadata.result_completeness as string,
    missing: failed
      ?.map(({ workspace }) => workspace)
      .sort((a, b) => Number(a.includes("/")) - Number(b.includes("/"))),
  };
}
