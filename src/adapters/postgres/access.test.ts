/** The engine alone hides what a principal may not see: here nothing of ours stands between it and the tables. */
import { createHash } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { onTestDatabase } from "../../../test/kit/database-tests.ts";
import { BACK_TO_STEP_7, type TestDatabase, testDatabase } from "../../../test/kit/postgres.ts";
import { PROJECT, processIdentity, publishFiles, type TextFile, takeLease, testEnv } from "../../../test/kit/store.ts";
import type { ContentHash, FileId } from "../../model/ids.ts";
import type { TokenOwner } from "../../ports/principals.ts";
import { GUARDED, PRINCIPAL_ROLE } from "./access-tables.ts";
import { addressOf } from "./address.ts";
import { PostgresContent } from "./content.ts";
import { Db } from "./db.ts";
import { postgresPrincipals, postgresTokens } from "./principals.ts";
import type { RepositoryScope } from "./queryable.ts";
import { postgresStores } from "./stores.ts";

/** As principals see the table of words and trigrams. */
const ALL_FOUND = `found_by_trigrams('{"op": "and"}', NULL, NULL)`;
const SHARED: TextFile = { path: "lib/common.rs", text: "def shared words of a fork" };
const REPOSITORIES: Readonly<Record<string, readonly TextFile[]>> = {
  "git.invalid/acme/api": [{ path: "a.rs", text: "def secret_of_api token" }, SHARED],
  "git.invalid/acme/web_1": [{ path: "w.ts", text: "def secret_of_web token" }],
  "git.invalid/acme/webX1": [{ path: "x.ts", text: "def secret_of_x token" }],
  "git.invalid/other/fork": [{ path: "f.rs", text: "def secret_of_fork token" }, SHARED],
};
const API = "git.invalid/acme/api";
const FORK = "git.invalid/other/fork";

await onTestDatabase(access);

function access(database: TestDatabase): void {
  const { url } = database;
  const principals = postgresPrincipals(url);
  const tokens = postgresTokens(url);
  const nameOf = (location: string) => ({ key: `key of ${location}`, name: location });
  const publish = async (name: string, files: readonly TextFile[]) => {
    const store = await postgresStores({ url, env: testEnv(), nameOf }).open(name, { create: true, project: PROJECT });
    await publishFiles(store, files);
    await store.close();
  };
  /** Queries as a principal, without any filter of ours. */
  const as = <T>(
    { secret }: Pick<TokenOwner, "secret">,
    use: (stores: ReturnType<typeof postgresStores>, db: Db) => Promise<T>,
  ) => {
    const db = new Db({ address: addressOf(url), connections: 2, principal: () => secret });
    const stores = postgresStores({ url, env: testEnv(), nameOf, connections: 2, principal: () => secret });
    return use(stores, db).finally(() => db.close());
  };
  const seenBy = (principal: TokenOwner) =>
    as(principal, async (_, db) => {
      const rows = await db.rows<{ name: string }>("SELECT name FROM codecompass.repository ORDER BY name");
      return rows.map(({ name }) => name);
    });
  const added = async (name: string, ...globs: string[]) => {
    const owner = await tokens.ownerOf(await principals.add({ name, globs }));
    return owner!;
  };
  const nobody = { secret: "" };
  let onlyApi: TokenOwner;
  let onlyFork: TokenOwner;
  let nothing: TokenOwner;

  beforeAll(async () => {
    onlyApi = await added("api", API);
    for (const [name, files] of Object.entries(REPOSITORIES)) await publish(name, files);
    onlyFork = await added("fork", "git.invalid/other/*");
    nothing = await added("nothing", "git.invalid/none/*");
  });
  afterAll(async () => {
    await principals.close();
    await tokens.close();
    await database.drop();
  });

  describe("globs", () => {
    test.each<[string[], string[]]>([
      [[API], [API]],
      [["git.invalid/acme/web_1"], ["git.invalid/acme/web_1"]],
      [["git.invalid/acme/web?1"], ["git.invalid/acme/webX1", "git.invalid/acme/web_1"]],
      [
        ["**/api", "git.invalid/other/*"],
        [API, FORK],
      ],
      [
        ["*/*/api", "git.invalid/*/for?"],
        [API, FORK],
      ],
      [["**"], Object.keys(REPOSITORIES).sort()],
      [["API", "git.invalid/acme", "acme%", "git.invalid/*", "*", "git.invalid/acme/(api)"], []],
      [["[g]it.invalid/acme/api", "git.invalid/acme/ap+i", "\\**", "^**$|x", "git.invalid/acme/api\\"], []],
      [["git?invalid/acme/api"], [API]],
    ])("%j", async (globs, expected) => {
      expect(await seenBy(await added(`globs ${globs}`, ...globs))).toEqual(expected);
    });

    test("a repository that comes later, and one that goes", async () => {
      const later = await added("later", "**/later");
      expect(await seenBy(later)).toEqual([]);
      await publish("git.invalid/acme/later", [SHARED]);
      expect(await seenBy(later)).toEqual(["git.invalid/acme/later"]);
      await database.sql("DELETE FROM codecompass.repository WHERE name = 'git.invalid/acme/later'");
      expect(await database.sql("SELECT 1 FROM codecompass.access WHERE principal = $1", [later.id])).toEqual([]);
    });
  });

  test("every table hides rows of forbidden repositories, and the tables of grants are closed", async () => {
    const rowsOf = (principal: Pick<TokenOwner, "secret">, table: string) =>
      as(principal, (_, db) => db.rows<{ count: number }>(`SELECT count(*) AS count FROM codecompass.${table}`)).then(
        ([row]) => row!.count,
        (error: Error) => error.message.replace(/ (table|view) .*/, ""),
      );
    const all = await database.sql(
      `SELECT c.relname AS name FROM pg_class c WHERE c.relnamespace = 'codecompass'::regnamespace
        AND c.relkind IN ('r', 'p', 'v') AND c.relname <> 'migration' ORDER BY 1`,
    );
    const open: string[] = [];
    for (const { name } of all as { name: string }[]) {
      const hidden = await rowsOf(nothing, name);
      if (hidden === "permission denied for") continue;
      open.push(name);
      expect([name, hidden, await rowsOf(nobody, name)]).toEqual([name, 0, 0]);
    }
    const content = ["readable_blob", "readable_segment_part"];
    const direct = GUARDED.filter((name) => !["findable", "blob", "segment_part"].includes(name));
    expect(open).toEqual([...direct, ...content].toSorted());
    expect(await Promise.all(["repository", "file_version"].map((name) => rowsOf(onlyApi, name)))).toEqual([1, 2]);
  });

  test("what a question says that it is about takes away from what may be seen, and never adds to it", async () => {
    const ids = await database.sql("SELECT id, name FROM codecompass.repository WHERE name = ANY($1)", [[API, FORK]]);
    const id = (name: string) => ids.find((row) => row.name === name)!.id as number;
    const seen = (principal: Pick<TokenOwner, "secret">, about: RepositoryScope | undefined) =>
      as(principal, async (_, db) => {
        const sql = (table: string) => `SELECT count(*) AS count FROM codecompass.${table}`;
        const count = async (table: string) =>
          (await db.rows<{ count: number }>(sql(table), [], { scope: about }))[0]!.count;
        return Promise.all(["repository", "file_version", ALL_FOUND, "readable_blob"].map(count));
      });
    const both = await added("both", API, FORK);
    const own = await seen(onlyApi, undefined);
    expect(own.every((count) => count > 0)).toBe(true);
    for (const about of [API, nameOf(API).key, [id(API)], [id(API), id(FORK), -1], [id(FORK), id(API)]])
      expect(await seen(onlyApi, about)).toEqual(own);
    for (const about of [
      FORK,
      nameOf(FORK).key,
      [id(FORK)],
      [],
      "none",
      "it's \\' OR true --",
      "\\",
      "'; RESET ROLE; --",
    ])
      expect(await seen(onlyApi, about)).toEqual([0, 0, 0, 0]);
    expect(await seen(both, API)).toEqual(own);
    expect(await seen(both, [id(API)])).toEqual(own);
    for (const about of [API, [id(API)]]) expect(await seen(nobody, about)).toEqual([0, 0, 0, 0]);
    await database.sql("UPDATE codecompass.principal SET expires_at = now() WHERE id = $1", [both.id]);
    for (const about of [undefined, API, [id(API)]]) expect(await seen(both, about)).toEqual([0, 0, 0, 0]);
  });

  test("a store without access looks like one that does not exist, for every request", async () => {
    const everything = async (stores: ReturnType<typeof postgresStores>, location: string) => {
      const store = await stores.open(location, { create: false, project: PROJECT });
      const dump = await store.dump();
      try {
        return {
          sees: await stores.shared!.sees([location]),
          ids: await store.idsProject!(),
          inspect: await store.inspect(),
          snapshot: await store.snapshot("main"),
          views: await store.views(),
          jobs: await store.jobs(10),
          uses: await store.uses(),
          size: await store.sizeBytes(),
          verify: await store.verify("full"),
          dump: dump.views,
        };
      } finally {
        dump.release();
        await store.close();
      }
    };
    await as(onlyApi, async (stores) => {
      expect(await everything(stores, FORK)).toEqual(await everything(stores, "git.invalid/acme/none"));
      const seen = await everything(stores, API);
      expect(seen).toMatchObject({ sees: [true], ids: PROJECT, inspect: { status: "compatible" }, verify: [] });
      expect(await seen.snapshot!.files()).toMatchObject([{ path: "a.rs" }, { path: "lib/common.rs" }]);
    });
  });

  test("content that forks share is readable through each visible fork", async () => {
    for (const [principal, name] of [
      [onlyApi, API],
      [onlyFork, FORK],
    ] as const)
      await as(principal, async (stores) => {
        const store = await stores.open(name, { create: false, project: PROJECT });
        const snapshot = (await store.snapshot("main"))!;
        expect(await snapshot.text((await snapshot.file(SHARED.path))!)).toBe(SHARED.text);
        await store.close();
      });
  });

  test("words over all repositories find those of the principal, by the same indexes", async () => {
    const sql = "SELECT count(*) AS count FROM codecompass.found_by_words(ARRAY['token:*'], NULL)";
    const counts = [onlyApi, onlyFork, nothing].map((principal) =>
      as(principal, async (_, db) => (await db.rows<{ count: number }>(sql))[0]!.count),
    );
    expect(await Promise.all(counts)).toEqual([1, 1, 0]);
    // Inside of a function a plan is not explained: the use of the index is counted instead.
    const looks =
      "SELECT sum(idx_scan)::integer AS looks FROM pg_stat_user_indexes WHERE indexrelname ~ '_repo_(terms|words)_idx$'";
    const counted = async () => (await database.sql(looks))[0]!.looks as number;
    const before = await counted();
    await as(onlyApi, (_, db) =>
      db.transaction(async (tx) => {
        await tx.run("SET LOCAL enable_seqscan = off");
        return tx.rows(`${sql}, pg_stat_force_next_flush()`);
      }),
    );
    await expect.poll(counted).toBeGreaterThan(before);
  });

  test("ids of others' versions and blobs open nothing", async () => {
    const [hidden] = (await database.sql(
      `SELECT v.repo, v.id, v.text_key FROM codecompass.file_version v JOIN codecompass.repository r ON r.id = v.repo
        WHERE r.name = $1 AND v.path = 'f.rs'`,
      [FORK],
    )) as [{ repo: number; id: string; text_key: Buffer }];
    await as(onlyApi, async (_, db) => {
      const content = new PostgresContent(db, { repo: hidden.repo, epoch: 0, uid: "" });
      const versions = [{ id: Number(hidden.id) as FileId, contentHash: "" as ContentHash }];
      expect(await content.blobs({ kind: "text", versions, form: "stored" })).toEqual([]);
      expect(await db.rows("SELECT 1 FROM codecompass.readable_blob WHERE key = $1", [hidden.text_key])).toEqual([]);
      const among = (repos: string) =>
        db.rows(`SELECT 1 FROM codecompass.found_by_trigrams('{"op": "and"}', ${repos}, NULL)`);
      expect(await among(`ARRAY[${hidden.repo}]`)).toEqual([]);
      expect(await among("NULL")).toHaveLength(1);
    });
  });

  test("a principal writes nothing, and cannot become another", async () => {
    await as(onlyApi, async (stores, db) => {
      const store = await stores.open(API, { create: true, project: PROJECT });
      await expect(takeLease(store, processIdentity(9))).rejects.toThrow(
        / postgres:\/\/… does not let this user do that/,
      );
      await store.close();
      for (const sql of [
        "INSERT INTO codecompass.principal (name, token_hash) VALUES ('evil', 'x')",
        "UPDATE codecompass.repository SET name = 'mine'",
        "DELETE FROM codecompass.view",
        "SELECT token_hash FROM codecompass.principal",
        "SELECT * FROM codecompass.findable",
        "SELECT * FROM codecompass.view_0",
      ])
        await expect(db.rows(sql)).rejects.toThrow(/permission denied|does not exist/);
      const useOfOthers = `INSERT INTO codecompass.use (repo, view, at)
        SELECT 1 + max(id), 'main', 0 FROM codecompass.repository`;
      await expect(db.rows(useOfOthers)).rejects.toThrow(/row-level security/);
    });
  });

  test("a user that is only let in as a principal sees nothing before it says which", async () => {
    const user = `cc_server_${process.pid}`;
    await database.sql(`CREATE ROLE ${user} LOGIN IN ROLE ${PRINCIPAL_ROLE}`);
    try {
      const own = new URL(url);
      own.username = user;
      const plain = new Db({ address: addressOf(own.href), connections: 1 });
      expect(await plain.rows("SELECT 1 FROM codecompass.repository")).toEqual([]);
      await plain.close();
      const queryable = postgresTokens(own.href);
      await queryable.check();
      await queryable.close();
      const guarded = new Db({ address: addressOf(own.href), connections: 1, principal: () => onlyApi.secret });
      expect(await guarded.rows("SELECT name FROM codecompass.repository")).toEqual([{ name: API }]);
      await guarded.close();
    } finally {
      await database.sql(`DROP ROLE ${user}`);
    }
  });

  describe("with the login alone", () => {
    const user = `cc_login_${process.pid}`;
    const own = new URL(url);
    own.username = user;
    beforeAll(async () => {
      await database.sql(`CREATE ROLE ${user} LOGIN IN ROLE ${PRINCIPAL_ROLE}`);
      await client.connect();
    });
    afterAll(async () => {
      await client.end();
      await database.sql(`DROP ROLE ${user}`);
    });
    const relations = async () => {
      const rows = await database.sql(
        `SELECT c.relname AS name, a.attname AS "column" FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
          WHERE c.relnamespace = 'codecompass'::regnamespace AND c.relkind IN ('r', 'p', 'v') AND c.relname <> 'migration'
            AND a.attnum > 0 AND NOT a.attisdropped AND has_table_privilege($1, c.oid, 'SELECT') ORDER BY 1, 2`,
        [user],
      );
      const functions = [
        ["found_by_words(ARRAY['token:*'], NULL)", "version"],
        [ALL_FOUND, "run"],
      ];
      return [...rows.map(({ name, column }) => [name, column]), ...functions] as [string, string][];
    };
    const client = new pg.Client({ connectionString: own.href });
    const asked = async (secret: string, sql: string) => {
      await client.query("SELECT set_config('codecompass.principal', $1, false)", [secret]);
      return (await client.query<{ count: string }>(sql)).rows.map(({ count }) => Number(count));
    };

    test("no guess shows a row, and what is stored is no key either", async () => {
      const tables = [...new Set((await relations()).map(([name]) => name))];
      const stored = await database.sql("SELECT encode(token_hash, 'hex') AS hex, name FROM codecompass.principal");
      const ids = [onlyApi, onlyFork, nothing].flatMap(({ id }) => [id - 1, id, id + 1]);
      const guesses = [
        ...ids.map(String),
        ...stored.flatMap(({ hex, name }) => [hex, name]),
        "",
        "'",
        "\\x00",
        "☃",
        "%",
      ];
      const all = tables.map((name) => `SELECT count(*) FROM codecompass.${name}`).join(" UNION ALL ");
      const nowhere = tables.map(() => 0);
      for (const guess of guesses) expect([guess, await asked(guess as string, all)]).toEqual([guess, nowhere]);
      expect((await asked(onlyApi.secret, "SELECT count(*) FROM codecompass.repository"))[0]).toBe(1);
    });

    test("no error prints a row that may not be seen", async () => {
      for (const secret of ["", nothing.secret])
        for (const [name, column] of await relations()) {
          const sql = `SELECT count(*) FROM codecompass.${name} WHERE ${column}::text::integer = 1`;
          expect([name, column, await asked(secret, sql)]).toEqual([name, column, [0]]);
        }
    });
  });

  test("views are barriers, and functions that run as their owner take nothing from the caller's path", async () => {
    const views = `SELECT relname FROM pg_class WHERE relnamespace = 'codecompass'::regnamespace AND relkind = 'v'
      AND NOT coalesce(reloptions, '{}') && ARRAY['security_barrier=true', 'security_barrier=on']`;
    const functions = `SELECT proname FROM pg_proc WHERE pronamespace = 'codecompass'::regnamespace AND prosecdef
      AND NOT coalesce(proconfig, '{}') @> ARRAY['search_path=pg_catalog, pg_temp']`;
    expect([await database.sql(views), await database.sql(functions)]).toEqual([[], []]);
  });

  test("a secret is a parameter and never part of a statement, which other sessions of the login can read", async () => {
    const query = vi.spyOn(pg.Client.prototype, "query");
    try {
      await as(onlyApi, async (stores, db) => {
        const store = await stores.open(API, { create: false, project: PROJECT });
        await store.snapshot("main");
        await store.close();
        await db.transaction((tx) => tx.rows("SELECT 1"));
        await (await db.held()).release();
      });
      const sent = query.mock.calls.map(([statement]) => statement as unknown as string | { readonly text: string });
      const texts = sent.map((statement) => (typeof statement === "string" ? statement : statement.text));
      expect(texts.filter((text) => text?.includes("codecompass.principal'"))).not.toEqual([]);
      // Names of repositories are not for other principals' servers either.
      for (const hidden of [onlyApi.secret, API]) expect(texts.filter((text) => text?.includes(hidden))).toEqual([]);
    } finally {
      query.mockRestore();
    }
  });

  test("tokens of a store of the step before still work when it is brought up to date", async () => {
    const older = await testDatabase();
    if ("skip" in older) throw new Error(older.skip);
    const before = postgresPrincipals(older.url);
    const queryable = postgresTokens(older.url);
    try {
      const token = await before.add({ name: "early", globs: ["**"] });
      await older.sql(BACK_TO_STEP_7);
      await older.sql("UPDATE codecompass.principal SET token_hash = sha256($1)", [token]);
      await before.add({ name: "later", globs: ["**"] });
      expect((await queryable.ownerOf(token))?.id).toBe(1);
    } finally {
      await before.close();
      await queryable.close();
      await older.drop();
    }
  });

  test("tokens: known by their hash, gone with their principal, worth nothing when they expire", async () => {
    const token = await principals.add({ name: "short", globs: [API] });
    const id = (await tokens.ownerOf(token))!;
    expect(await seenBy(id)).toEqual([API]);
    const kept = await database.sql("SELECT * FROM codecompass.principal");
    for (const known of [token, id.secret]) expect(JSON.stringify(kept)).not.toContain(known);
    expect(await tokens.ownerOf(`${token}x`)).toBeUndefined();
    await expect(principals.add({ name: "short", globs: ["**"] })).rejects.toThrow(
      /there is a principal short already/,
    );
    expect((await principals.list()).find(({ name }) => name === "short")).toMatchObject({
      globs: [API],
      repositories: 1,
    });
    expect(await principals.remove("short")).toBe(true);
    expect([await tokens.ownerOf(token), await seenBy(id)]).toEqual([undefined, []]);
    expect(await principals.remove("short")).toBe(false);
    const past = await principals.add({ name: "past", globs: ["**"], expiresAt: Date.now() - 1_000 });
    expect(await tokens.ownerOf(past)).toBeUndefined();
    const secret = createHash("sha256").update(past).digest("hex");
    const [row] = await database.sql("SELECT id FROM codecompass.principal WHERE token_hash = sha256($1)", [secret]);
    expect(await seenBy({ id: row!.id as number, secret })).toEqual([]);
  });

  test("every table has its policy", async () => {
    const policies = await database.sql(
      "SELECT tablename AS name FROM pg_policies WHERE schemaname = 'codecompass' AND policyname = 'principal' ORDER BY 1",
    );
    expect(policies.map(({ name }) => name)).toEqual([...GUARDED].sort());
    const bare = await database.sql(`SELECT relname FROM pg_class WHERE relnamespace = 'codecompass'::regnamespace
      AND relkind IN ('r', 'p') AND NOT relispartition AND NOT relrowsecurity ORDER BY 1`);
    expect(bare.map(({ relname }) => relname)).toEqual([
      "access",
      "former_repository",
      "ingest",
      "migration",
      "node",
      "principal",
      "principal_glob",
    ]);
  });
}
