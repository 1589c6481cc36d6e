/** Answers only read from a shared store: a primary that is locked or down delays no query. */
import pg from "pg";
import { afterAll, expect, test } from "vitest";
import { postgresPrincipals, postgresTokens } from "../../src/adapters/postgres/principals.ts";
import { onTestDatabase } from "../kit/database-tests.ts";
import { canStartServers, runSql, startReplica, startServer } from "../kit/postgres.ts";
import { sandbox } from "../kit/sandbox.ts";
import { indexAll, makeClones, openToolClient, type ToolClient } from "../kit/tool-client.ts";

const NAME = "git.example.invalid/acme/api";
const FILES = { "src/a.rs": "pub fn needle() {}\n" };
const TIMEOUT_MS = 120_000;
const found = async ({ call }: ToolClient) => {
  const { body } = await call("locate_symbol", { name: "needle", workspace: NAME });
  return body.results?.length ?? body.error;
};

await onTestDatabase((database) => {
  afterAll(() => database.drop());
  test("the first query is answered while the table of last uses is locked", { timeout: TIMEOUT_MS }, async () => {
    using box = sandbox();
    const store = database.url;
    const writer = await openToolClient(box.home, { store });
    await indexAll(writer, makeClones(box, { [NAME]: FILES }).values());
    await writer.close();
    const locker = new pg.Client({ connectionString: store });
    await locker.connect();
    await locker.query("BEGIN; LOCK TABLE codecompass.use IN ACCESS EXCLUSIVE MODE");
    const reader = await openToolClient(`${box.home}-reader`, { store });
    try {
      // Nothing unlocks it earlier: a waiting query would wait until this test times out.
      expect(await found(reader)).toBe(1);
      await reader.close();
      await locker.query("COMMIT");
    } finally {
      await locker.end();
    }
    const again = await openToolClient(`${box.home}-reader`, { store });
    expect(await found(again)).toBe(1);
    await again.close();
    expect(await database.sql("SELECT view FROM codecompass.use")).toHaveLength(1);
  });
});

if (!canStartServers()) test.skip("replica: PostgreSQL is not installed", () => {});
else
  test("with the primary down a server that reads a replica is ready, and reports that it cannot write", {
    timeout: 2 * TIMEOUT_MS,
  }, async () => {
    using box = sandbox();
    const primary = await startServer();
    const standby = await startReplica(primary);
    const settings = { store: primary.url, read_store: standby.url };
    let server: ToolClient | undefined;
    try {
      const writer = await openToolClient(box.home, { store: primary.url });
      await indexAll(writer, makeClones(box, { [NAME]: FILES }).values());
      await writer.close();
      const caughtUp = async () => {
        const [now] = await runSql(primary.url, "SELECT pg_current_wal_lsn()::text AS lsn");
        const there = "SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS there";
        const replayed = async () => (await runSql(standby.url, there, [now!.lsn]))[0]!.there;
        await expect.poll(replayed, { timeout: TIMEOUT_MS }).toBe(true);
      };
      await caughtUp();
      server = await openToolClient(`${box.home}-server`, settings);
      const health = async () => {
        const { isError, body } = await server!.call("health_check", { workspace: NAME });
        return isError ? body.error : { status: body.status, can_write: body.store.can_write };
      };
      expect([await found(server), await health()]).toEqual([1, { status: "ready", can_write: true }]);
      const principals = postgresPrincipals(primary.url);
      const token = await principals.add({ name: "team", globs: ["**"] });
      await principals.close();
      await caughtUp();
      const tokens = postgresTokens(primary.url, standby.url);
      primary.kill();
      await tokens.check();
      expect(await tokens.ownerOf(token)).toMatchObject({ id: 1 });
      expect(await tokens.ownerOf(`${token}x`)).toBeUndefined();
      await tokens.close();
      expect([await found(server), await health()]).toEqual([1, { status: "ready", can_write: false }]);
      await server.close();
      // A server that starts now, and has never seen the primary.
      server = await openToolClient(`${box.home}-server`, settings);
      expect([await found(server), await health()]).toEqual([1, { status: "ready", can_write: false }]);
    } finally {
      await server?.close();
      await standby.remove();
      await primary.remove();
    }
  });
