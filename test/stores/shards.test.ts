/** Two shards, each a store of its own, read through one database with foreign tables: `deploy/postgres/shards.sql`. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import pg from "pg";
import { afterAll, expect, test } from "vitest";
import { postgresPrincipals, postgresTokens } from "../../src/adapters/postgres/principals.ts";
import { asPrincipal } from "../../src/compose/principal-context.ts";
import type { TokenOwner } from "../../src/ports/principals.ts";
import { bareClone } from "../kit/bare-clone.ts";
import { codecompass } from "../kit/command.ts";
import { gatewayTo } from "../kit/gateway.ts";
import { type Asked, openAsker } from "../kit/organisation.ts";
import { programs, runOn, startServer, startsServers, type TestServer } from "../kit/postgres.ts";
import { sandbox } from "../kit/sandbox.ts";

const SCRIPT = fileURLToPath(new URL("../../deploy/postgres/shards.sql", import.meta.url));
const PATIENCE_MS = 120_000;
/** Time to find out who is late, also where the machine is busy. */
const WIDE_MS = 60_000;
const COMMON = { query: "common word" };

if (!startsServers()) test.skip("shards: PostgreSQL is not installed", () => {});
else await shards();

async function shards(): Promise<void> {
  const box = sandbox();
  const servers = await Promise.all([startServer(), startServer()]);
  const gateway = await gatewayTo(servers[1]!.port);
  afterAll(async () => {
    await gateway.close();
    await Promise.all(servers.map((server) => server.remove()));
    box[Symbol.dispose]();
  });
  const env = { ...box.env, CODECOMPASS_QUERY_WIDE_DEADLINE_MS: String(WIDE_MS) };
  const run = (store: string, cwd: string, ...args: string[]) =>
    codecompass([...args, "--json", "--store", store], { cwd, env });

  /** A process that knows nothing of the store yet; not started for it, which would take longer than all of its questions. */
  async function newcomer(store: string, tool: string, input: object): Promise<Asked> {
    const settings = { store, "query.wide_deadline_ms": WIDE_MS };
    const asker = await openAsker(`${box.home}-newcomer`, settings);
    try {
      return await asker.ask(tool, input);
    } finally {
      await asker.close();
    }
  }

  /** As the script says: the tables are made by an index of nothing. */
  async function numberedFrom(url: string, first: number): Promise<void> {
    const nothing = box.tree({});
    expect(await run(url, nothing, "index")).toMatchObject({ code: 0 });
    expect(await run(url, nothing, "workspaces", "remove", nothing)).toMatchObject({ code: 0 });
    await runOn(url, `ALTER TABLE codecompass.repository ALTER COLUMN id RESTART WITH ${first}`);
  }

  test("what two shards hold is asked as one, and a repository's question goes to its shard", {
    timeout: PATIENCE_MS,
  }, async () => {
    const names = ["alpha", "beta"];
    const filled = async ({ url }: TestServer, at: number) => {
      if (at > 0) await numberedFrom(url, at * 1_000_000 + 1);
      const text = `def common_word_${names[at]}():\n    """A common word."""\n    return ${at}\n`;
      const bare = bareClone(
        box,
        { [`${names[at]}.py`]: text, "same.py": "def same():\n    return 0\n" },
        `https://host.example/acme/${names[at]}.git`,
      );
      expect(await run(url, bare, "index")).toMatchObject({ code: 0 });
    };
    await Promise.all(servers.map(filled));
    const reader = await readerOn(servers[0]!, [servers[0]!.port, servers[1]!.port], "reader");
    const anywhere = box.tree({});
    const found = await run(reader, anywhere, "search_code", "common word", "--workspace", "all");
    expect(found.code, found.err).toBe(0);
    const paths = (found.json().results as { path: string }[]).map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining([expect.stringContaining("alpha.py"), expect.stringContaining("beta.py")]),
    );
    for (const [at, name] of names.entries()) {
      const asks = { name: `common_word_${name}`, workspace: `host.example/acme/${name}` };
      const through = await newcomer(reader, "locate_symbol", asks);
      expect(through).toMatchObject({ isError: false, body: { results: [{ path: `${name}.py` }] } });
      expect(through.body.results).toEqual((await newcomer(servers[at]!.url, "locate_symbol", asks)).body.results);
    }
    const plan = await runOn(
      reader,
      "EXPLAIN (VERBOSE) SELECT bytes FROM codecompass.segment_part WHERE repo = 1000001",
    );
    expect(JSON.stringify(plan)).toContain("shard1.segment_part");
    expect(JSON.stringify(plan)).not.toContain("shard0.segment_part");

    const principal = await run(reader, anywhere, "principals", "add", "team", "**");
    expect([principal.code, principal.json().error.message]).toEqual([
      2,
      expect.stringMatching(/only reads shards and was made without roles; .* run deploy\/postgres\/shards.sql again/),
    ]);

    // Nothing of what is away is taken for nothing: it is said which part is missing.
    servers[1]!.kill();
    const asked = async (tool: string, words: object, workspace: string, store = reader) => {
      const { isError, body } = await newcomer(store, tool, { ...words, workspace });
      const { error, results = [], metadata } = body;
      return {
        isError,
        paths: results.map(({ path, file }: { path?: string; file?: string }) => path ?? file),
        complete: metadata.result_completeness,
        missing:
          error?.data.shard ?? metadata.workspaces?.failed?.map(({ workspace: it }: { workspace: string }) => it),
      };
    };
    const partly = { isError: false, complete: "partial", missing: ["shard1"], paths: ["alpha.py"] };
    expect(await asked("search_code", COMMON, "all")).toEqual(partly);
    expect(await asked("regex_search", { pattern: "common_word" }, "all")).toEqual(partly);
    expect(await asked("locate_symbol", { name: "common_word_alpha" }, "repo:host.example/**")).toEqual(partly);
    const alpha = await asked("search_code", COMMON, "host.example/acme/alpha");
    expect(alpha).toMatchObject({ isError: false, complete: "complete", paths: ["alpha.py"] });
    const beta = await asked("search_code", COMMON, "host.example/acme/beta");
    expect(beta).toMatchObject({ isError: true, missing: "shard1" });
    servers[1]!.start();

    // One that answers late, too: its connections are open, and nothing comes through.
    const throughGate = await readerOn(servers[0]!, [servers[0]!.port, gateway.port], "gated");
    const whole = await asked("search_code", COMMON, "all", throughGate);
    expect(whole).toMatchObject({ isError: false, complete: "complete", missing: undefined });
    gateway.hold();
    const [late, there, elsewhere] = await Promise.all([
      asked("search_code", COMMON, "all", throughGate),
      asked("locate_symbol", { name: "common_word_alpha" }, "host.example/acme/alpha", throughGate),
      asked("locate_symbol", { name: "common_word_beta" }, "host.example/acme/beta", throughGate),
    ]);
    expect(late).toEqual(partly);
    expect(there).toMatchObject({ isError: false, complete: "complete", paths: ["alpha.py"] });
    expect(elsewhere).toMatchObject({ isError: true, missing: "shard1" });

    const back = await run(reader, anywhere, "search_code", "common word", "--workspace", "all");
    expect(back.json().metadata.workspaces.failed).toBeUndefined();
  });

  test("a principal sees its repositories on every shard, and no trace of others", {
    timeout: PATIENCE_MS,
  }, async () => {
    const [first] = servers;
    for (const role of ["admin", "ingest", "read", "principal"])
      await runOn(first!.url, `CREATE ROLE codecompass_${role} NOLOGIN`);
    await runOn(first!.url, "CREATE ROLE guests LOGIN IN ROLE codecompass_principal");
    const gate = await gatewayTo(servers[1]!.port);
    const store = await readerOn(first!, [first!.port, gate.port], "guarded");
    const principals = postgresPrincipals(store);
    const tokens = postgresTokens(store);
    const made = async (name: string, glob: string) => {
      const token = await principals.add({ name, globs: [glob] });
      return (await tokens.ownerOf(token))!;
    };
    const ids = [await made("alpha", "host.example/acme/alpha"), await made("beta", "host.example/*/beta")];
    const all = await made("all", "host.example/**");
    await Promise.all([principals.close(), tokens.close()]);

    const FOUND = `found_by_trigrams('{"op": "and"}', NULL, NULL)`;
    // What the engine shows to who asks it directly, whatever the schema.
    const guests = new URL(store);
    guests.username = "guests";
    const seenBy = async (principal: TokenOwner | undefined, schema: string) => {
      const names = `SELECT name FROM ${schema}.repository ORDER BY name`;
      const counts = ["view_entry", "file_version", "holding", "segment_part", "blob", FOUND].map(
        (table) => `(SELECT count(*)::integer FROM ${schema}.${table}) AS "${table.slice(0, 20)}"`,
      );
      const client = new pg.Client({ connectionString: guests.href });
      await client.connect();
      try {
        await client.query(`SET ROLE codecompass_principal; SET codecompass.principal = '${principal?.secret ?? ""}'`);
        const { rows } = await client.query<{ name: string }>(names);
        const [held] = (await client.query<Record<string, number>>(`SELECT ${counts}`)).rows;
        return { names: rows.map(({ name }) => name), held: Object.values(held!).map((count) => count > 0) };
      } finally {
        await client.end();
      }
    };
    const something = Array.from({ length: 6 }, () => true);
    const nothing = something.map(() => false);
    const [alpha, beta] = ["host.example/acme/alpha", "host.example/acme/beta"];
    expect(await seenBy(undefined, "codecompass")).toEqual({ names: [], held: nothing });
    expect(await seenBy(ids[0], "codecompass")).toEqual({ names: [alpha], held: something });
    expect(await seenBy(ids[1], "codecompass")).toEqual({ names: [beta], held: something });
    expect(await seenBy(all, "codecompass")).toEqual({ names: [alpha, beta], held: something });
    expect(await seenBy(ids[0], "without_shard1")).toEqual({ names: [alpha], held: something });
    expect(await seenBy(ids[1], "without_shard1")).toEqual({ names: [], held: nothing });
    // Of a foreign table the engine first looks for a user mapping.
    for (const table of [
      "shard1.repository",
      "codecompass.findable",
      "without_shard1.findable",
      "codecompass.principal",
      "codecompass_access.principal",
    ])
      await expect(runOn(guests.href, `SELECT 1 FROM ${table}`)).rejects.toThrow(
        /permission denied|user mapping not found/,
      );

    // And through the tools.
    const server = await openAsker(
      `${box.home}-guests`,
      { store: guests.href, "query.wide_deadline_ms": WIDE_MS },
      { guarded: true },
    );
    const found = async (principal: TokenOwner, workspace: string) => {
      const { body } = await asPrincipal(principal, () =>
        server.ask("search_code", { query: "common word", workspace }),
      );
      return body.error?.code ?? [...body.results.map(({ path }: { path: string }) => path).sort(), ...missingOf(body)];
    };
    try {
      expect(await found(ids[0]!, "all")).toEqual(["alpha.py"]);
      expect(await found(ids[1]!, "all")).toEqual(["beta.py"]);
      expect(await found(all, "all")).toEqual(["alpha.py", "beta.py"]);
      expect(await found(ids[0]!, beta!)).toEqual(await found(ids[0]!, "host.example/acme/none"));
      expect(await found(ids[1]!, beta!)).toEqual(["beta.py"]);
      gate.hold();
      expect(await found(all, "all")).toEqual(["alpha.py", "without shard1"]);
      expect(await found(ids[0]!, "all")).toEqual(["alpha.py", "without shard1"]);
    } finally {
      await server.close();
      await gate.close();
    }
  });
}

/** A database beside the first shard's. */
async function readerOn({ url, port }: TestServer, shards: readonly number[], name: string): Promise<string> {
  await runOn(url, `CREATE DATABASE ${name}`);
  const list = shards.map((shard) => `"host=127.0.0.1 port=${shard} dbname=postgres user=postgres"`);
  const flags = ["-X", "-q", "-h", "127.0.0.1", "-p", String(port), "-U", "postgres", "-d", name];
  const set = ["-v", `shards={${list.join(",")}}`, "-v", "reader=postgres", "-f", SCRIPT];
  // Not waited for in one piece: what lies between it and a shard may run here.
  await promisify(execFile)(`${programs()}/psql`, [...flags, ...set]);
  const reader = new URL(url);
  reader.pathname = `/${name}`;
  return reader.href;
}

/** What an answer says it lacks. */
function missingOf({
  metadata,
}: {
  metadata: { workspaces?: { failed?: readonly { workspace: string }[] } };
}): string[] {
  return (metadata.workspaces?.failed ?? []).map(({ workspace }) => `without ${workspace}`);
}
