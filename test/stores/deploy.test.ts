/** `deploy/`: in the database of `init.sh` each user can do its part and no more, and the files are consistent. */
import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addressOf } from "../../src/adapters/postgres/address.ts";
import { Db } from "../../src/adapters/postgres/db.ts";
import { migrateStore } from "../../src/adapters/postgres/migrate.ts";
import { postgresPrincipals, postgresTokens } from "../../src/adapters/postgres/principals.ts";
import { describeServer, postgresStores } from "../../src/adapters/postgres/stores.ts";
import { CONFIG_KEYS, envName } from "../../src/config/schema.ts";
import { canStartServers, postgresPrograms, runSql, startServer, type TestServer } from "../kit/postgres.ts";
import { PROJECT, publishFiles, testEnv } from "../kit/store.ts";

const DEPLOY = fileURLToPath(new URL("../../deploy/", import.meta.url));
const HELP = fileURLToPath(new URL("../golden/help/", import.meta.url));
const REPOSITORY = "git.example.invalid/acme/api";

if (!canStartServers()) test.skip("PostgreSQL's programs are not on this machine", () => {});
else describe("init.sh", database);
describe("every file", files);

function database(): void {
  let server: TestServer;
  let secret = "";
  const as = (user: string, name = "codecompass") => {
    const url = new URL(server.url);
    url.username = user;
    url.pathname = `/${name}`;
    return url.href;
  };
  const open = (user: string, rights: { principal?: () => string } = {}) =>
    postgresStores({
      url: as(user),
      env: testEnv(),
      connections: 2,
      nameOf: () => ({ key: "api", name: REPOSITORY }),
      ...rights,
    }).open("api", { create: user === "codecompass_indexer", project: PROJECT });

  beforeAll(async () => {
    server = await startServer();
    const env = {
      PATH: `${postgresPrograms()}:${process.env.PATH}`,
      PGHOST: "127.0.0.1",
      PGPORT: String(server.port),
      PGUSER: "postgres",
      OWNER_PASSWORD: "one",
      INGEST_PASSWORD: 'it\'s a "secret"',
      SERVER_PASSWORD: "two",
      GUESTS_PASSWORD: "three",
    };
    // It can be run again.
    for (let run = 0; run < 2; run++) execFileSync("sh", [`${DEPLOY}postgres/init.sh`], { env });
    const early = await open("codecompass_indexer");
    const publishing = publishFiles(early, [{ path: "a.rs", text: "def secret" }], { ref: "refs/heads/main" });
    await expect(publishing).rejects.toThrow(/by the database's owner, with `codecompass migrate`/);
    await early.close();
    await migrateStore(as("codecompass_owner"));
    const store = await open("codecompass_indexer");
    await publishFiles(store, [{ path: "a.rs", text: "def secret" }], { ref: "refs/heads/main" });
    await store.close();
    const principals = postgresPrincipals(as("codecompass_owner"));
    const tokens = postgresTokens(as("codecompass_guests"));
    secret = (await tokens.ownerOf(await principals.add({ name: "team", globs: ["**"] })))!.secret;
    await tokens.check();
    await Promise.all([principals.close(), tokens.close()]);
  });
  afterAll(() => server?.remove());

  const AS_PRINCIPAL =
    "SELECT set_config('role', 'codecompass_principal', false), set_config('codecompass.principal', $1, false)";
  const DENIED = "permission denied";
  /** The number of rows, or the error. */
  const outcome = (user: string, statement: string) =>
    runSql(as(user), statement).then(
      ({ length }) => length,
      ({ message }: Error) => (message.includes(DENIED) ? DENIED : message),
    );
  test.each<[string, string, string | number]>([
    ["codecompass_server", "SELECT 1 FROM codecompass.repository", 1],
    ["codecompass_server", "SELECT 1 FROM codecompass.findable", 1],
    ["codecompass_server", "SELECT 1 FROM codecompass.principal", DENIED],
    ["codecompass_server", "SELECT token_hash FROM codecompass.principal", DENIED],
    ["codecompass_server", "SELECT 1 FROM codecompass.principal_glob", DENIED],
    ["codecompass_server", "SELECT 1 FROM codecompass.access", DENIED],
    ["codecompass_server", "INSERT INTO codecompass.use (repo, view, at) VALUES (1, 'refs/heads/main', 1)", 0],
    ["codecompass_server", "UPDATE codecompass.repository SET name = 'x'", DENIED],
    ["codecompass_server", "DELETE FROM codecompass.view", DENIED],
    ["codecompass_server", "SET ROLE codecompass_principal", DENIED],
    ["codecompass_server", "SET ROLE codecompass_ingest", DENIED],
    ["codecompass_server", "CREATE TABLE codecompass.mine (x int)", DENIED],
    ["codecompass_server", "CREATE SCHEMA mine", DENIED],
    ["codecompass_server", "CREATE TEMP TABLE mine (x int)", DENIED],
    ["codecompass_guests", "SELECT 1 FROM codecompass.repository", 0],
    ["codecompass_guests", "SELECT 1 FROM codecompass.blob", DENIED],
    ["codecompass_guests", "SELECT 1 FROM codecompass.readable_blob", 0],
    ["codecompass_guests", "SELECT codecompass.clean_pending_lists()", DENIED],
    ["codecompass_guests", "SELECT 1 FROM codecompass.found_by_words(ARRAY['secret:*'], NULL)", 0],
    ["codecompass_guests", 'SELECT 1 FROM codecompass.found_by_trigrams(\'{"op": "and"}\', NULL, NULL)', 0],
    ["codecompass_guests", "SELECT 1 FROM codecompass.findable", DENIED],
    ["codecompass_guests", "SELECT 1 FROM codecompass.principal", DENIED],
    ["codecompass_guests", "SELECT 1 FROM codecompass.ingest", DENIED],
    ["codecompass_server", "SELECT 1 FROM codecompass.ingest", 0],
    ["codecompass_guests", "SET ROLE codecompass_read", DENIED],
    ["codecompass_guests", "SET ROLE codecompass_ingest", DENIED],
    ["codecompass_guests", "UPDATE codecompass.repository SET name = 'x'", DENIED],
    ["codecompass_guests", "SELECT lo_create(0)", DENIED],
    ["codecompass_guests", "SELECT lo_from_bytea(0, 'x')", DENIED],
    ["codecompass_guests", "SELECT pg_advisory_lock(1)", DENIED],
    ["codecompass_guests", "SELECT pg_try_advisory_xact_lock_shared(1, 2)", DENIED],
    ["codecompass_owner", "SELECT 1 FROM codecompass.principal", 1],
    ["codecompass_owner", "CREATE ROLE mine", DENIED],
    ["codecompass_indexer", "SELECT 1 FROM codecompass.principal", DENIED],
    ["codecompass_indexer", "ALTER TABLE codecompass.view ADD COLUMN x int", "must be owner of table view"],
    ["codecompass_indexer", "CREATE TABLE codecompass.mine (x int)", DENIED],
    ["codecompass_indexer", "SELECT codecompass.clean_pending_lists()", 1],
    ["codecompass_indexer", "CREATE ROLE mine", DENIED],
    ["codecompass_indexer", "SELECT 1 FROM pg_authid", DENIED],
  ])("%s: %s", async (user, statement, expected) => {
    expect(await outcome(user, statement)).toBe(expected);
  });

  test("a principal's server sees what the principal may see", async () => {
    const client = await import("pg").then(
      ({ default: pg }) => new pg.Client({ connectionString: as("codecompass_guests") }),
    );
    await client.connect();
    try {
      await client.query(AS_PRINCIPAL, [secret]);
      const { rows } = await client.query("SELECT name FROM codecompass.repository");
      expect(rows).toEqual([{ name: REPOSITORY }]);
    } finally {
      await client.end();
    }
    for (const [user, rights] of [
      ["codecompass_server", {}],
      ["codecompass_guests", { principal: () => secret }],
    ] as const) {
      const store = await open(user, rights);
      const snapshot = await store.snapshot("refs/heads/main");
      expect([user, (await snapshot!.files()).length]).toEqual([user, 1]);
      await store.used("refs/heads/main");
      snapshot!.release();
      await store.close();
    }
  });

  test("each user learns what it can do with the store", async () => {
    const told = async (user: string) => {
      const db = new Db({ address: addressOf(as(user)), connections: 1 });
      try {
        return (await describeServer(db)).capabilities[0];
      } finally {
        await db.close();
      }
    };
    expect(await told("codecompass_indexer")).toMatch(/takes indexes/);
    expect(await told("codecompass_server")).toMatch(/may only read it/);
    expect(await told("codecompass_guests")).toMatch(/nothing by itself; it is for servers with --access principals/);
  });

  test("a login that reads everything is rejected for principals, with what to do", async () => {
    const tokens = postgresTokens(as("codecompass_server"));
    await expect(tokens.check()).rejects.toThrow(
      "does not let this user ask for principals; log in as a member of codecompass_principal",
    );
    await tokens.close();
  });

  test("passwords are stored as verifiers, other users are rejected, long statements are cancelled", async () => {
    const sql = `SELECT rolname AS name, rolpassword LIKE 'SCRAM-SHA-256$%' AS hashed, rolsuper AS super,
      coalesce(array_to_string(rolconfig, ','), '') AS settings FROM pg_authid
      LEFT JOIN LATERAL (SELECT setconfig AS rolconfig FROM pg_db_role_setting WHERE setrole = pg_authid.oid) s ON true
      WHERE rolname IN ('codecompass_owner', 'codecompass_indexer', 'codecompass_server', 'codecompass_guests') ORDER BY 1`;
    const limited = { hashed: true, super: false, settings: "statement_timeout=60s" };
    expect(await runSql(server.url, sql)).toEqual([
      { name: "codecompass_guests", ...limited },
      { name: "codecompass_indexer", ...limited, settings: "" },
      { name: "codecompass_owner", ...limited, settings: "" },
      { name: "codecompass_server", ...limited },
    ]);
    await runSql(server.url, "CREATE ROLE stranger LOGIN");
    await expect(runSql(as("stranger"), "SELECT 1")).rejects.toThrow(/permission denied for database/);
  });
}

function files(): void {
  const texts = new Map(globSync("**/*.*", { cwd: DEPLOY }).map((path) => [path, readFileSync(DEPLOY + path, "utf8")]));
  const all = [...texts.values()].join("\n");

  test("sets no unused variable", () => {
    const known = new Set([
      "CODECOMPASS_HOME",
      "CODECOMPASS_TOKEN",
      "CODECOMPASS_METRICS_TOKEN",
      ...CONFIG_KEYS.map(envName),
    ]);
    const named = new Set(all.match(/CODECOMPASS_[A-Z_]+/g));
    expect([...named].filter((name) => !known.has(name))).toEqual([]);
    expect(named.size).toBeGreaterThan(2);
  });

  test("calls commands with existing flags", () => {
    const arrays = [...all.matchAll(/(?:command|args): (\["(?:serve-mcp|index)".*\])/g)].map(
      ([, args]) => JSON.parse(args!) as string[],
    );
    const lines = [...all.matchAll(/codecompass ((?:serve-mcp|index|principals|doctor) .*?)(?:\s#.*)?$/gm)].map(
      ([, rest]) => rest!.split(" "),
    );
    expect([arrays.length, lines.length > 4]).toEqual([4, true]);
    for (const [command, ...rest] of [...arrays, ...lines]) {
      const help = [command, "codecompass"].map((name) => readFileSync(`${HELP}${name}.txt`, "utf8")).join("");
      for (const flag of rest.filter((word) => /^--[a-z]/.test(word)))
        expect([command, flag, help.includes(flag)]).toEqual([command, flag, true]);
    }
  });

  test("every user, secret and port that a file uses is defined in another", () => {
    const init = texts.get("postgres/init.sh")!;
    for (const [, user] of all.matchAll(/postgres:\/\/(\w+)@/g)) expect(init).toContain(`'${user}'`);
    const compose = texts.get("compose.yaml")!;
    const readme = texts.get("README.md")!;
    const made = readme.match(/for name in (.*); do echo/)![1]!.split(" ");
    const asked = new Set([...compose.matchAll(/\$\{([A-Z_]+):\?\}/g)].map(([, name]) => name));
    expect([...asked].sort()).toEqual([...made].sort());
    for (const [, needed] of init.matchAll(/"\$\{([A-Z_]+):\?\}"/g)) expect(asked).toContain(needed);
    for (const [, key] of all.matchAll(/secretKeyRef: \{ name: codecompass, key: ([\w-]+) \}/g))
      expect(readme).toContain(`--from-literal=${key}=`);
    expect(readme).toContain("create secret generic pgbouncer-users --from-file=userlist.txt");
    const pooled = readme.match(/^printf '"%s" "%s"\\n' (.*?) > userlist\.txt/m)![1]!.split(" … ");
    // An ingest connects directly.
    const readers = [...init.matchAll(/GRANT codecompass_(?:read|principal) TO (\w+)/g)].map(([, user]) => user);
    expect(pooled.map((user) => user.replace(" …", ""))).toEqual(readers);
    const pgbouncer = texts.get("kubernetes/pgbouncer.ini")!.match(/listen_port = (\d+)/)![1];
    expect(texts.get("kubernetes/pgbouncer.yaml")).toContain(`containerPort: ${pgbouncer}`);
    expect(texts.get("kubernetes/server.yaml")).toContain(`@pgbouncer:${pgbouncer}/`);
    for (const [, file] of texts.get("kubernetes/kustomization.yaml")!.matchAll(/([\w-]+\.(?:yaml|ini|txt))/g))
      expect([...texts.keys()]).toContain(`kubernetes/${file}`);
  });
}
