/** Which repositories a search over many opens, by the tiers of their words. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { onTestDatabase } from "../../../test/kit/database-tests.ts";
import type { TestDatabase } from "../../../test/kit/postgres.ts";
import { collectGarbage, PROJECT, publishFiles, removal, type TextFile, testEnv } from "../../../test/kit/store.ts";
import { postgresPrincipals, postgresTokens } from "./principals.ts";
import { type PostgresOptions, postgresStores } from "./stores.ts";

const OFTEN = Array.from({ length: 250 }, () => "zebra zebra zebra zebra").join("\n\n");

await onTestDatabase(selection);

function selection(database: TestDatabase): void {
  const nameOf = (location: string) => ({ key: location.replaceAll("/", "_"), name: location });
  let now = 0;
  const storesOf = (more: Partial<PostgresOptions> = {}) =>
    postgresStores({ url: database.url, env: testEnv(), clock: async () => now, nameOf, ...more });
  const stores = storesOf();
  const publish = async (name: string, files: readonly TextFile[], removed: readonly string[] = []) => {
    const store = await stores.open(name, { create: true, project: PROJECT });
    await publishFiles(store, files, {
      ref: "refs/heads/main",
      also: removed.map(removal),
      publication: { publishedAt: now },
    });
    await store.close();
  };
  const select = (terms: readonly string[], names?: readonly string[], { shared } = stores) =>
    shared!.withTerms(terms, { most: 9, ...(names !== undefined && { names }) });

  describe("selection by words", () => {
    beforeAll(async () => {
      await publish("h/once", [{ path: "a.ts", text: "zebra crossing" }]);
      await publish("h/often", [{ path: "b.ts", text: OFTEN }]);
    });
    afterAll(async () => {
      await stores.close();
      await database.drop();
    });

    test("the best chunk decides", async () => {
      expect((await select(["zebra"])).names[0]).toBe("h/often");
      expect((await select(["zebra", "crossing"])).names[0]).toBe("h/once");
    });

    test("a word that few hold selects them, and says that there are no others", async () => {
      expect(await select(["crossing"])).toEqual({ names: ["h/once"], all: true });
      expect(await select(["nowhere"])).toEqual({ names: [], all: true });
    });

    test("only named repositories, and for a principal only those it may see", async () => {
      expect((await select(["zebra"], ["h/once"])).names).toEqual(["h/once"]);
      const principals = postgresPrincipals(database.url);
      const tokens = postgresTokens(database.url);
      const token = await principals.add({ name: "one", globs: ["h/once"] });
      const principal = (await tokens.ownerOf(token))!;
      const own = storesOf({ principal: () => principal.secret });
      expect((await select(["zebra"], undefined, own)).names).toEqual(["h/once"]);
      await Promise.all([own.close(), principals.close(), tokens.close()]);
    });

    test("what was collected or withdrawn is not selected", async () => {
      await publish("h/often", [{ path: "c.ts", text: "quiet" }], ["b.ts"]);
      now = Number.MAX_SAFE_INTEGER;
      const store = await stores.open("h/often", { create: true, project: PROJECT });
      await collectGarbage(store);
      await store.close();
      expect((await select(["zebra"])).names).toEqual(["h/once"]);
      expect((await select(["quiet"])).names).toEqual(["h/often"]);
      await stores.shared!.withdraw("h/often");
      expect((await select(["quiet"])).names).toEqual([]);
    });

    test("one that comes back after its removal has the same number, another uid and no earlier token", async () => {
      const state = `SELECT r.id, r.uid, l.token::integer AS token FROM codecompass.repository r
        JOIN codecompass.lease l ON l.repo = r.id WHERE r.name = 'h/back'`;
      await publish("h/back", [{ path: "d.ts", text: "giraffe" }]);
      const [before] = await database.sql(state);
      await stores.shared!.withdraw("h/back");
      await publish("h/back", [{ path: "d.ts", text: "giraffe" }]);
      const [after] = await database.sql(state);
      expect(after).toMatchObject({ id: before!.id });
      expect(after!.uid).not.toBe(before!.uid);
      expect(after!.token).toBeGreaterThan(before!.token as number);
      expect((await select(["giraffe"])).names).toEqual(["h/back"]);
    });
  });
}
