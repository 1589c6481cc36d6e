import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { testDatabase } from "../../../test/kit/postgres.ts";
import { PROJECT, publishFiles, type TextFile, testEnv } from "../../../test/kit/store.ts";
import { parse } from "../../regex/parse.ts";
import { planOf } from "../../regex/plan.ts";
import { decodeText } from "../../segment/record.ts";
import { addressOf } from "./address.ts";
import { Db } from "./db.ts";
import { postgresStores } from "./stores.ts";
import { filesHolding, filesWithTerms, textsOf } from "./wide.ts";

const REPOSITORIES: Readonly<Record<string, readonly TextFile[]>> = {
  api: [
    { path: "auth.rs", text: "def validate token user\n\nsession token" },
    { path: "db.rs", text: "connection pool user" },
  ],
  web: [
    { path: "login.ts", text: "token session user form" },
    { path: "it's.ts", text: "quote ' & | ! ( back \\ slash" },
  ],
};

const database = await testDatabase();
if ("skip" in database) test.skip(`postgres: ${database.skip}`, () => {});
else
  describe("across repositories", () => {
    const { url } = database;
    const db = new Db({ address: addressOf(url), connections: 2 });
    const stores = postgresStores({ url, env: testEnv(), clock: async () => 0 });
    const open = (key: string) => stores.open(key, { create: true, project: PROJECT });

    beforeAll(async () => {
      for (const [key, files] of Object.entries(REPOSITORIES)) {
        const store = await open(key);
        await publishFiles(store, files);
        await store.close();
      }
    });
    afterAll(async () => {
      await db.close();
      await database.drop();
    });

    const shown = (files: readonly { key: string; path: string }[]) =>
      files.map(({ key, path }) => `${key}:${path}`).sort();
    const words = async (...terms: string[]) => shown(await filesWithTerms(db, terms, { limit: 10 }));
    const pattern = async (text: string) => shown(await filesHolding(db, planOf(parse(text, {})), { limit: 10 }));

    test.each([
      [["token"], ["api:auth.rs", "web:login.ts"]],
      [
        ["token", "user"],
        ["api:auth.rs", "web:login.ts"],
      ],
      [
        ["validate", "token", "form"],
        ["api:auth.rs", "web:login.ts"],
      ],
      [["nowhere"], []],
      [["pool", "form"], []],
      [[], []],
      [["'; DROP TABLE x; --", "a & b", "\0"], []],
      [["quote"], ["web:it's.ts"]],
    ])("words %j", async (terms, expected) => expect(await words(...terms)).toEqual(expected));

    test("trigrams, as the pattern's plan has it", async () => {
      expect(await pattern("session")).toEqual(["api:auth.rs", "web:login.ts"]);
      expect(await pattern("pool|form")).toEqual(["api:db.rs", "web:login.ts"]);
      expect(await pattern("back \\\\ slash")).toEqual(["web:it's.ts"]);
      expect(await pattern("nowhere")).toEqual([]);
      expect(await pattern(".")).toHaveLength(4);
    });

    test("some repositories only, and only what they show now", async () => {
      const [{ id }] = (await db.rows<{ id: number }>("SELECT id FROM codecompass.repository WHERE key = 'web'")) as [
        { id: number },
      ];
      expect(shown(await filesWithTerms(db, ["token"], { repos: [id], limit: 10 }))).toEqual(["web:login.ts"]);
      const store = await open("web");
      await publishFiles(store, [{ path: "login.ts", text: "nothing of it" }]);
      await publishFiles(store, [{ path: "mine.ts", text: "token mine" }], { ref: "worktree:0123" });
      await store.close();
      expect(await words("token")).toEqual(["api:auth.rs"]);
    });

    test("texts come in the order asked, from all of them at once", async () => {
      const [auth] = await filesWithTerms(db, ["validate"], { limit: 1 });
      const [quote] = await filesWithTerms(db, ["quote"], { limit: 1 });
      const texts = await textsOf(db, [quote!, { repo: 0, version: 1 }, auth!]);
      expect(texts.map((bytes) => bytes && decodeText(bytes))).toEqual([
        REPOSITORIES.web![1]!.text,
        undefined,
        REPOSITORIES.api![0]!.text,
      ]);
    });

    test("a limit is a limit", async () => expect(await filesWithTerms(db, ["user"], { limit: 1 })).toHaveLength(1));
  });
