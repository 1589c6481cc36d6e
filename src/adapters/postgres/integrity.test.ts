/** A lost row is an error, never an empty answer, and the next generation of a view is loaded from its pack. */
import { describe, expect, test } from "vitest";
import { onTestDatabase } from "../../../test/kit/database-tests.ts";
import { collectGarbage, PROJECT, publishFiles, testEnv } from "../../../test/kit/store.ts";
import { MODEL, vectorBatch, vectorFile } from "../../../test/kit/vectors.ts";
import { WORTH_PACKING } from "../../engine/view-pack.ts";
import type { Snapshot } from "../../ports/snapshot.ts";
import { postgresStores } from "./stores.ts";

const FILES = [vectorFile("a.rs", [[50, 0, 0, 0]]), vectorFile("b.rs", [[0, 50, 0, 0]])].map((file) => ({
  ...file,
  uses: ["parse"],
}));

const facts = async (snapshot: Snapshot) => snapshot.facts(await snapshot.files());
const LOSSES: readonly (readonly [what: string, sql: string, read: (snapshot: Snapshot) => Promise<unknown>])[] = [
  ["an entry", "DELETE FROM codecompass.view_entry WHERE path = 'b.rs'", (snapshot) => snapshot.files()],
  ["a version", "DELETE FROM codecompass.file_version WHERE path = 'b.rs'", (snapshot) => snapshot.files()],
  ["the facts", "DELETE FROM codecompass.blob b USING codecompass.file_version v WHERE b.key = v.facts_key", facts],
  [
    "vectors",
    "DELETE FROM codecompass.vectors",
    (snapshot) => snapshot.dense({ model: MODEL, vector: Float32Array.of(1, 0, 0, 0), limit: 5 }),
  ],
];

await onTestDatabase((database) =>
  describe("integrity", () => {
    const open = (location: string) =>
      postgresStores({ url: database.url, env: testEnv() }).open(location, { create: true, project: PROJECT });

    test.each(LOSSES)("%s", async (what, sql, read) => {
      const location = `/stores/${what.replaceAll(" ", "-")}`;
      const writer = await open(location);
      await publishFiles(writer, FILES, { batch: vectorBatch(FILES) });
      await writer.close();
      const read_ = async () => {
        const store = await open(location);
        try {
          const snapshot = (await store.snapshot("main"))!;
          return await read(snapshot).finally(() => snapshot.release());
        } finally {
          await store.close();
        }
      };
      await read_();
      await database.sql(sql);
      await expect(read_()).rejects.toMatchObject({ code: "index_incompatible" });
      await database.sql("DROP SCHEMA codecompass CASCADE");
    });

    test("a large view is loaded from its pack and the rows since, and its last state in a store of step 9, too", async () => {
      const files = Array.from({ length: WORTH_PACKING }, (_, at) => ({ path: `f${at}.rs`, text: `def name_${at}` }));
      const store = await open("/stores/packed");
      await publishFiles(store, files);
      const later = { path: "f0.rs", text: "def renamed" };
      await publishFiles(store, [later]);
      const read = async () => {
        const reader = await open("/stores/packed");
        const snapshot = (await reader.snapshot("main"))!;
        const found = await snapshot.files();
        snapshot.release();
        await reader.close();
        return found;
      };
      const whole = await read();
      expect(whole.length).toBe(WORTH_PACKING);
      const [pack] = await database.sql("SELECT generation FROM codecompass.view_pack");
      expect(pack).toEqual({ generation: 1 });
      await collectGarbage(store);
      expect(await database.sql("SELECT generation FROM codecompass.view_pack")).toEqual([{ generation: 2 }]);
      expect(await read()).toEqual(whole);
      await database.sql(
        "DROP TABLE codecompass.view_pack; ALTER TABLE codecompass.view DROP COLUMN digest, DROP COLUMN digest_at",
      );
      expect(await read()).toEqual(whole);
      await store.close();
      await database.drop();
    });
  }),
);
