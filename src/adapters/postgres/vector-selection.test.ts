/** Repositories that come nearest to a question, as pgvector finds them. */
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeExtension, type TestDatabase, testDatabase } from "../../../test/kit/postgres.ts";
import { collectIn, gone, PROJECT, publishFiles, testEnv } from "../../../test/kit/store.ts";
import { type Drawn, drawn, embedded, MODEL } from "../../../test/kit/vectors.ts";
import { postgresPrincipals, postgresTokens } from "./principals.ts";
import { type PostgresOptions, postgresStores } from "./stores.ts";
import { isUsable, repositoriesNear } from "./vector-selection.ts";

const EAST = Float32Array.of(1, 0, 0, 0);
const REPOSITORIES: Readonly<Record<string, readonly Drawn[]>> = {
  "h/acme/north": [drawn("n.rs", [[0, 100, 0, 0]])],
  "h/acme/east": [
    drawn("other.rs", [[0, 0, 0, 100]]),
    drawn("e.rs", [
      [0, 0, 100, 0],
      [100, 3, 0, 0],
    ]),
  ],
  "h/zoo": [drawn("z.rs", [[100, 60, 0, 0]])],
};

const database = await testDatabase();
if ("skip" in database) test.skip(`postgres: ${database.skip}`, () => {});
else nearness(database);

function nearness(database: TestDatabase): void {
  const nameOf = (location: string) => ({ key: location.replaceAll("/", "_"), name: location });
  let now = 0;
  const storesOf = (more: Partial<PostgresOptions> = {}) =>
    postgresStores({ url: database.url, env: testEnv(), clock: async () => now, nameOf, ...more });
  const stores = storesOf();
  const publish = async (name: string, files: readonly Drawn[], away: readonly string[] = []) => {
    const store = await stores.open(name, { create: true, project: PROJECT });
    await publishFiles(store, files, { ref: "refs/heads/main", also: away.map(gone), batch: embedded(files) });
    await store.close();
  };
  const near = (names?: readonly string[], { catalog } = stores) =>
    catalog!.near({ model: MODEL, vector: EAST }, names === undefined ? {} : { names });
  const rows = async () => {
    const [row] = await database.sql("SELECT count(*)::integer AS count FROM codecompass.near");
    return row!.count;
  };

  describe("what comes near", () => {
    let skip: string | undefined;

    beforeAll(async () => {
      expect(await near()).toBeUndefined();
      const { [Object.keys(REPOSITORIES)[0]!]: first, ...others } = REPOSITORIES;
      await publish(Object.keys(REPOSITORIES)[0]!, first!);
      expect([await near(), await rows()]).toEqual([undefined, 0]);
      skip = await makeExtension(database, "vector");
      for (const [name, files] of Object.entries(others)) await publish(name, files);
    });
    afterAll(async () => {
      await stores.catalog!.close();
      await database.drop();
    });

    test("the nearest chunk decides; what was stored before pgvector is added when the store is completed", async ({
      skip: skipping,
    }) => {
      if (skip !== undefined) skipping(skip);
      expect(await near()).toEqual(["h/acme/east", "h/zoo"]);
      await stores.complete!();
      expect(await near()).toEqual(["h/acme/east", "h/zoo", "h/acme/north"]);
      expect(await rows()).toBe(5);
      await stores.complete!();
      expect(await rows()).toBe(5);
    });

    test("of these only, of another model nothing", async ({ skip: skipping }) => {
      if (skip !== undefined) skipping(skip);
      expect(await near(["h/zoo", "h/acme/north", "h/none"])).toEqual(["h/zoo", "h/acme/north"]);
      expect(await near(["h/none"])).toBeUndefined();
      expect(await stores.catalog!.near({ model: "b".repeat(64), vector: EAST }, {})).toBeUndefined();
    });

    test("a principal is told of what it may see", async ({ skip: skipping }) => {
      if (skip !== undefined) skipping(skip);
      const principals = postgresPrincipals(database.url);
      const tokens = postgresTokens(database.url);
      const id = async (...globs: string[]) => {
        const token = await principals.add({ name: globs.join(), globs });
        return (await tokens.ownerOf(token))!;
      };
      const seen = async ({ secret }: { readonly secret: string }) => {
        const own = storesOf({ principal: () => secret });
        try {
          return await near(undefined, own);
        } finally {
          await own.catalog!.close();
        }
      };
      expect(await seen(await id("h/acme/*"))).toEqual(["h/acme/east", "h/acme/north"]);
      expect(await seen(await id("h/none/*"))).toBeUndefined();
      await principals.close();
      await tokens.close();
    });

    test("whoever makes an index just now keeps nobody from publishing", async ({ skip: skipping }) => {
      if (skip !== undefined) skipping(skip);
      const maker = new pg.Client({ connectionString: database.url });
      await maker.connect();
      await maker.query("BEGIN; LOCK TABLE codecompass.near IN SHARE MODE");
      await publish("h/later", [drawn("l.rs", [[100, 0, 0, 0]])]);
      await maker.end();
      expect(await near()).not.toContain("h/later");
      await stores.complete!();
      expect(await near()).toContain("h/later");
      await stores.withdraw!("h/later");
    });

    test("what is forgotten is not near any more", async ({ skip: skipping }) => {
      if (skip !== undefined) skipping(skip);
      await publish("h/acme/east", [drawn("west.rs", [[-100, 0, 30, 0]])], ["e.rs", "other.rs"]);
      now = Number.MAX_SAFE_INTEGER;
      const store = await stores.open("h/acme/east", { create: true, project: PROJECT });
      await collectIn(store);
      await store.close();
      expect(await near()).toEqual(["h/zoo", "h/acme/north", "h/acme/east"]);
      await stores.withdraw!("h/acme/east");
      expect(await near()).toEqual(["h/zoo", "h/acme/north"]);
      expect(await rows()).toBe(2);
    });
  });
}

test.each([
  ["0.8.0", true],
  ["0.8.6", true],
  ["0.10.1", true],
  ["1.0", true],
  ["0.7.4", false],
  ["0.5", false],
])("pgvector %s is used: %s", (version, expected) => {
  expect(isUsable({ version })).toBe(expected);
});

test("where few of the nearest are meant, all of these are compared", async () => {
  const asked: string[] = [];
  const asking = {
    rows: async <Row>(sql: string): Promise<Row[]> => {
      if (sql.includes("pg_extension")) return [{ version: "0.8.0", schema: "public", isPrepared: true } as Row];
      asked.push(sql);
      return [{ name: "h/a", chunks: asked.length === 1 ? 3 : 40 } as Row];
    },
  };
  expect(await repositoriesNear(asking, { model: MODEL, vector: EAST }, {})).toEqual(["h/a"]);
  expect(asked.map((sql) => sql.includes("+ 0"))).toEqual([false, true]);
});
