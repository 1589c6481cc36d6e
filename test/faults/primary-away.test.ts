/** What answers need of a shared store is its reads: a primary that is locked or down keeps no question waiting. */
import pg from "pg";
import { afterAll, expect, test } from "vitest";
import { type Asker, clonesOf, indexAll, openAsker } from "../kit/organisation.ts";
import { runOn, startReplica, startServer, startsServers, testDatabase } from "../kit/postgres.ts";
import { sandbox } from "../kit/sandbox.ts";

const NAME = "git.example.invalid/acme/api";
const FILES = { "src/a.rs": "pub fn needle() {}\n" };
const PATIENCE_MS = 120_000;
const found = async ({ ask }: Asker) => {
  const { body } = await ask("locate_symbol", { name: "needle", workspace: NAME });
  return body.results?.length ?? body.error;
};

const database = await testDatabase();
if ("skip" in database) test.skip(`postgres: ${database.skip}`, () => {});
else {
  afterAll(() => database.drop());
  test("the first question is answered while the table of uses is locked", { timeout: PATIENCE_MS }, async () => {
    using box = sandbox();
    const store = database.url;
    const writer = await openAsker(box.home, { store });
    await indexAll(writer, clonesOf(box, { [NAME]: FILES }).values());
    await writer.close();
    const locker = new pg.Client({ connectionString: store });
    await locker.connect();
    await locker.query("BEGIN; LOCK TABLE codecompass.use IN ACCESS EXCLUSIVE MODE");
    const reader = await openAsker(`${box.home}-reader`, { store });
    try {
      // Nothing unlocks it before: who waited for it would wait until this test is given up.
      expect(await found(reader)).toBe(1);
      await reader.close();
      await locker.query("COMMIT");
    } finally {
      await locker.end();
    }
    const again = await openAsker(`${box.home}-reader`, { store });
    expect(await found(again)).toBe(1);
    await again.close();
    expect(await database.sql("SELECT view FROM codecompass.use")).toHaveLength(1);
  });
}

if (!startsServers()) test.skip("replica: PostgreSQL is not installed", () => {});
else
  test("with the primary down a server that reads a replica is ready, and says that it writes nothing", {
    timeout: 2 * PATIENCE_MS,
  }, async () => {
    using box = sandbox();
    const primary = await startServer();
    const standby = await startReplica(primary);
    const settings = { store: primary.url, read_store: standby.url };
    let server: Asker | undefined;
    try {
      const writer = await openAsker(box.home, { store: primary.url });
      await indexAll(writer, clonesOf(box, { [NAME]: FILES }).values());
      await writer.close();
      const [now] = await runOn(primary.url, "SELECT pg_current_wal_lsn()::text AS lsn");
      const there = "SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS there";
      await expect
        .poll(async () => (await runOn(standby.url, there, [now!.lsn]))[0]!.there, { timeout: PATIENCE_MS })
        .toBe(true);
      server = await openAsker(`${box.home}-server`, settings);
      const health = async () => {
        const { isError, body } = await server!.ask("health_check", { workspace: NAME });
        return isError ? body.error : { status: body.status, can_write: body.store.can_write };
      };
      expect([await found(server), await health()]).toEqual([1, { status: "ready", can_write: true }]);
      primary.kill();
      expect([await found(server), await health()]).toEqual([1, { status: "ready", can_write: false }]);
      await server.close();
      // One that starts now, and has never seen the primary.
      server = await openAsker(`${box.home}-server`, settings);
      expect([await found(server), await health()]).toEqual([1, { status: "ready", can_write: false }]);
    } finally {
      await server?.close();
      await standby.remove();
      await primary.remove();
    }
  });
