/** Publications of others are heard, also after the connection was lost. */
import { afterAll, expect, test } from "vitest";
import { testDatabase } from "../../../test/kit/postgres.ts";
import { PROJECT, publishFiles, testEnv } from "../../../test/kit/store.ts";
import { postgresStores } from "./stores.ts";

const database = await testDatabase();
if ("skip" in database) test.skip(`postgres: ${database.skip}`, () => {});
else {
  const { url, sql, drop } = database;
  afterAll(drop);

  test("what another process publishes is loaded before anybody asks, and a lost connection is opened again", async () => {
    const writer = await postgresStores({ url, env: testEnv() }).open("x", { create: true, project: PROJECT });
    const publish = (word: string) => publishFiles(writer, [{ path: "a.rs", text: `def ${word}` }]);
    await publish("first");
    const steps: string[] = [];
    const stores = postgresStores({ url, env: testEnv(), listen: true, failpoint: (step) => void steps.push(step) });
    const server = await stores.open("x", { create: false, project: PROJECT });
    const heard = () => steps.filter((step) => step === "heard:after").length;
    const listeners = async () => {
      const asked =
        "SELECT pid FROM pg_stat_activity WHERE application_name = 'codecompass listener' AND datname = current_database()";
      return (await sql(`${asked} AND query LIKE 'LISTEN%' AND state = 'idle'`)).map(({ pid }) => pid as number);
    };
    try {
      (await server.snapshot("main"))!.release();
      await expect.poll(listeners, { timeout: 30_000 }).toHaveLength(1);
      const before = heard();
      await publish("second");
      await expect.poll(heard, { timeout: 30_000 }).toBeGreaterThan(before);
      const [lost] = await listeners();
      await sql("SELECT pg_terminate_backend($1)", [lost]);
      await expect
        .poll(async () => (await listeners()).filter((pid) => pid !== lost), { timeout: 30_000 })
        .toHaveLength(1);
      const since = heard();
      await publish("third");
      await expect.poll(heard, { timeout: 30_000 }).toBeGreaterThan(since);
      const snapshot = (await server.snapshot("main"))!;
      expect(await snapshot.text((await snapshot.file("a.rs"))!)).toBe("def third");
    } finally {
      await server.close();
      await writer.close();
    }
    await expect.poll(listeners, { timeout: 30_000 }).toEqual([]);
  });
}
