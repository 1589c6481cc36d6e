/** Two shards, each a store of its own, read through one database with foreign tables: `deploy/postgres/shards.sql`. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { bareClone } from "../kit/bare-clone.ts";
import { codecompass } from "../kit/command.ts";
import { gatewayTo } from "../kit/gateway.ts";
import { programs, runOn, startServer, startsServers, type TestServer } from "../kit/postgres.ts";
import { sandbox } from "../kit/sandbox.ts";

const SCRIPT = fileURLToPath(new URL("../../deploy/postgres/shards.sql", import.meta.url));
const PATIENCE_MS = 120_000;

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
  const run = (store: string, cwd: string, ...args: string[]) =>
    codecompass([...args, "--json", "--store", store], { cwd, env: box.env });

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
    for (const [at, { url }] of servers.entries()) {
      if (at > 0) await numberedFrom(url, at * 1_000_000 + 1);
      const text = `def common_word_${names[at]}():\n    """A common word."""\n    return ${at}\n`;
      const bare = bareClone(
        box,
        { [`${names[at]}.py`]: text, "same.py": "def same():\n    return 0\n" },
        `https://host.example/acme/${names[at]}.git`,
      );
      expect(await run(url, bare, "index")).toMatchObject({ code: 0 });
    }
    const reader = await readerOn(servers[0]!, [servers[0]!.port, servers[1]!.port], "reader");
    const anywhere = box.tree({});
    const found = await run(reader, anywhere, "search_code", "common word", "--workspace", "all");
    expect(found.code, found.err).toBe(0);
    const paths = (found.json().results as { path: string }[]).map(({ path }) => path);
    expect(paths).toEqual(
      expect.arrayContaining([expect.stringContaining("alpha.py"), expect.stringContaining("beta.py")]),
    );
    for (const [at, name] of names.entries()) {
      const ask = (store: string) =>
        run(store, anywhere, "locate_symbol", `common_word_${name}`, "--workspace", `host.example/acme/${name}`);
      const [through, direct] = await Promise.all([ask(reader), ask(servers[at]!.url)]);
      expect(through.code, through.err).toBe(0);
      expect(through.json().results).toEqual(direct.json().results);
    }
    const plan = await runOn(
      reader,
      "EXPLAIN (VERBOSE) SELECT bytes FROM codecompass.segment_part WHERE repo = 1000001",
    );
    expect(JSON.stringify(plan)).toContain("shard1.segment_part");
    expect(JSON.stringify(plan)).not.toContain("shard0.segment_part");

    const principal = await run(reader, anywhere, "principals", "add", "team", "**");
    expect([principal.code, principal.err]).toEqual([
      2,
      expect.stringMatching(/only reads shards .* add principals to every shard/),
    ]);

    // Nothing of what is away is taken for nothing: it is said which part is missing.
    servers[1]!.kill();
    const asked = async (tool: string, words: string, workspace: string, store = reader) => {
      const { code, err, json } = await run(store, anywhere, tool, words, "--workspace", workspace);
      const { error, results = [], metadata } = json();
      return {
        code,
        paths: results.map(({ path, file }: { path?: string; file?: string }) => path ?? file),
        complete: metadata.result_completeness,
        missing:
          error?.data.shard ?? metadata.workspaces?.failed?.map(({ workspace: it }: { workspace: string }) => it),
        ...(code === 0 ? {} : { err }),
      };
    };
    const partly = { code: 0, complete: "partial", missing: ["shard1"], paths: ["alpha.py"] };
    expect(await asked("search_code", "common word", "all")).toEqual(partly);
    expect(await asked("regex_search", "common_word", "all")).toEqual(partly);
    expect(await asked("locate_symbol", "common_word_alpha", "repo:host.example/**")).toEqual(partly);
    const alpha = await asked("search_code", "common word", "host.example/acme/alpha");
    expect(alpha).toMatchObject({ code: 0, complete: "complete", paths: ["alpha.py"] });
    const beta = await asked("search_code", "common word", "host.example/acme/beta");
    expect(beta).toMatchObject({ code: 2, missing: "shard1" });
    servers[1]!.start();

    // One that answers late, too: its connections are open, and nothing comes through.
    const throughGate = await readerOn(servers[0]!, [servers[0]!.port, gateway.port], "gated");
    const whole = await asked("search_code", "common word", "all", throughGate);
    expect(whole).toMatchObject({ code: 0, complete: "complete", missing: undefined });
    gateway.hold();
    const [late, there, elsewhere] = await Promise.all([
      asked("search_code", "common word", "all", throughGate),
      asked("locate_symbol", "common_word_alpha", "host.example/acme/alpha", throughGate),
      asked("locate_symbol", "common_word_beta", "host.example/acme/beta", throughGate),
    ]);
    expect(late).toEqual(partly);
    expect(there).toMatchObject({ code: 0, complete: "complete", paths: ["alpha.py"] });
    expect(elsewhere).toMatchObject({ code: 2, missing: "shard1" });

    const back = await run(reader, anywhere, "search_code", "common word", "--workspace", "all");
    expect(back.json().metadata.workspaces.failed).toBeUndefined();
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
