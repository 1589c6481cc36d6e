/** Repositories that speak most of a question's words, as pg_textsearch finds them. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { makeExtension, type TestDatabase, testDatabase } from "../../../test/kit/postgres.ts";
import { collectIn, gone, PROJECT, publishFiles, type TextFile, testEnv } from "../../../test/kit/store.ts";
import { isUsable, SpokenIndex, type Textsearch } from "./bm25-selection.ts";
import { Aborted } from "./failures.ts";
import { postgresPrincipals, postgresTokens } from "./principals.ts";
import { type PostgresOptions, postgresStores } from "./stores.ts";

/** More chunks than are looked at, each by itself. */
const OFTEN = Array.from({ length: 250 }, () => "zebra zebra zebra zebra").join("\n\n");
const ONCE = "zebra crossing";

const database = await testDatabase();
if ("skip" in database) test.skip(`postgres: ${database.skip}`, () => {});
else speaking(database);

function speaking(database: TestDatabase): void {
  const nameOf = (location: string) => ({ key: location.replaceAll("/", "_"), name: location });
  let now = 0;
  const storesOf = (more: Partial<PostgresOptions> = {}) =>
    postgresStores({ url: database.url, env: testEnv(), clock: async () => now, nameOf, ...more });
  const stores = storesOf();
  const publish = async (name: string, files: readonly TextFile[], away: readonly string[] = []) => {
    const store = await stores.open(name, { create: true, project: PROJECT });
    const publication = { publishedAt: now };
    await publishFiles(store, files, { ref: "refs/heads/main", also: away.map(gone), publication });
    await store.close();
  };
  const asked = (terms: readonly string[], names?: readonly string[], { catalog } = stores) =>
    catalog!.withTerms(terms, { most: 9, ...(names !== undefined && { names }) });
  const rows = async () => {
    const [row] = await database.sql("SELECT count(*)::integer AS count FROM codecompass.spoken");
    return row!.count;
  };
  /** Told from the choice by tiers, which looks at `findable`. */
  const blind = (work: () => Promise<void>) =>
    database
      .sql("ALTER TABLE codecompass.findable RENAME TO unfindable")
      .then(work)
      .finally(() => database.sql("ALTER TABLE codecompass.unfindable RENAME TO findable"));

  describe("who speaks of it", () => {
    let skip: string | undefined;

    beforeAll(async () => {
      await publish("h/once", [{ path: "a.ts", text: ONCE }]);
      skip = await makeExtension(database, "pg_textsearch");
      await publish("h/often", [
        { path: "b.ts", text: OFTEN },
        { path: "empty.ts", text: "" },
      ]);
    });
    afterAll(async () => {
      await stores.catalog!.close();
      await database.drop();
    });

    test("what was stored before is added when the store is completed, once; without an index the words choose", async ({
      skip: skipping,
    }) => {
      if (skip !== undefined) skipping(skip);
      expect(await rows()).toBe(251);
      await stores.complete!();
      await stores.complete!();
      expect(await rows()).toBe(252);
      await expect(blind(async () => void (await asked(["zebra"])))).rejects.toThrow(/prepared by an older release/);
    });

    test("the best chunk decides, and that others were not looked at is said", async ({ skip: skipping }) => {
      if (skip !== undefined) skipping(skip);
      const [{ real }] = (await database.sql(
        "SELECT to_regprocedure('bm25_get_current_score()') IS NOT NULL AS real",
      )) as [{ real: boolean }];
      await database.sql(
        `CREATE INDEX spoken_by_words ON codecompass.spoken USING bm25 (words) ${real ? "WITH (text_config = 'simple')" : ""}`,
      );
      await blind(async () => {
        expect(await asked(["zebra"])).toEqual({ names: ["h/often"], all: false });
        expect((await asked(["zebra", "crossing"])).names[0]).toBe("h/once");
      });
    });

    test("of what few speak of, the words choose, who know what was not added yet", async ({ skip: skipping }) => {
      if (skip !== undefined) skipping(skip);
      await database.sql("CREATE TABLE away AS SELECT * FROM codecompass.spoken WHERE words LIKE '%crossing%'");
      await database.sql("DELETE FROM codecompass.spoken WHERE words LIKE '%crossing%'");
      expect(await asked(["crossing"])).toEqual({ names: ["h/once"], all: true });
      expect(await asked(["nowhere"])).toEqual({ names: [], all: true });
      await database.sql("INSERT INTO codecompass.spoken SELECT * FROM away");
    });

    test("of some of them, and for a principal, the words choose", async ({ skip: skipping }) => {
      if (skip !== undefined) skipping(skip);
      expect((await asked(["zebra"], ["h/once"])).names).toEqual(["h/once"]);
      const principals = postgresPrincipals(database.url);
      const tokens = postgresTokens(database.url);
      const token = await principals.add({ name: "one", globs: ["h/once"] });
      const principal = (await tokens.ownerOf(token))!;
      const own = storesOf({ principal: () => principal.secret });
      expect((await asked(["zebra"], undefined, own)).names).toEqual(["h/once"]);
      await Promise.all([own.catalog!.close(), principals.close(), tokens.close()]);
    });

    test("what is forgotten is not kept", async ({ skip: skipping }) => {
      if (skip !== undefined) skipping(skip);
      await publish("h/often", [{ path: "c.ts", text: "quiet" }], ["b.ts"]);
      now = Number.MAX_SAFE_INTEGER;
      const store = await stores.open("h/often", { create: true, project: PROJECT });
      await collectIn(store);
      await store.close();
      expect(await rows()).toBe(3);
      await stores.withdraw!("h/often");
      expect(await rows()).toBe(1);
    });
  });
}

const THERE: Textsearch = {
  version: "1.4.0",
  schema: "public",
  isPrepared: true,
  index: "codecompass.spoken_by_words",
  hasScore: true,
};

/** `answer`: to the question itself. */
function asking(answer: () => Promise<unknown[]>) {
  const asked: string[] = [];
  const rows = async <Row>(sql: string): Promise<Row[]> => {
    if (sql.includes("pg_extension")) return [THERE as Row];
    asked.push(sql);
    return (await answer()) as Row[];
  };
  return { asked, index: new SpokenIndex({ rows }) };
}

test("who waits for a merge is not waited for, and keeps at most two connections", async () => {
  const { promise, resolve } = Promise.withResolvers<unknown[]>();
  const { asked, index } = asking(() => promise);
  const answers = [1, 2, 3].map(() => index.best(["a"], undefined));
  expect(await Promise.all(answers)).toEqual([undefined, undefined, undefined]);
  expect(await index.best(["a"], undefined)).toBeUndefined();
  expect(asked).toHaveLength(2);
  resolve([{ name: "h/a", strength: 2, chunks: 200 }]);
  await promise;
  await new Promise((done) => setTimeout(done));
  expect(await index.best(["a"], undefined)).toMatchObject([{ name: "h/a" }]);
});

test("where it fails the words choose, but for who has given up", async () => {
  expect(await asking(() => Promise.reject(new Error("corrupt"))).index.best(["a"], undefined)).toBeUndefined();
  const given = asking(() => Promise.reject(new Aborted("enough"))).index.best(["a"], undefined);
  await expect(given).rejects.toThrow(Aborted);
});

test.each([
  ["1.4.0", true],
  ["1.5.0-dev", true],
  ["2.0", true],
  ["1.3.1", false],
  ["0.9", false],
])("pg_textsearch %s is used: %s", (version, expected) => {
  expect(isUsable({ version })).toBe(expected);
});
