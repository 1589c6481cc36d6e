/** A replica that stands still, goes away or comes back: what was seen once is never unseen (L10). */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until } from "../../../test/kit/faults.ts";
import { canStartServers, startReplica, startServer, type TestServer } from "../../../test/kit/postgres.ts";
import { PROJECT, publishFiles, testEnv } from "../../../test/kit/store.ts";
import type { Store } from "../../ports/store.ts";
import { addressOf } from "./address.ts";
import { Db } from "./db.ts";
import { raiseHorizon } from "./replica-db.ts";
import { postgresStores } from "./stores.ts";

if (!canStartServers()) test.skip("PostgreSQL's programs are not on this machine", () => {});
else replicas();

function replicas(): void {
  describe("reads from a replica", () => {
    let primary: TestServer;
    let replica: TestServer;
    let writer: Store;
    const horizon = { at: 0 };
    const stops: (() => Promise<void>)[] = [];
    const sql = async (server: TestServer, text: string) => {
      const db = new Db({ address: addressOf(server.url), connections: 1 });
      return db.rows<Record<string, unknown>>(text).finally(() => db.close());
    };
    const publish = async (word: string) => {
      await publishFiles(writer, [{ path: "a.rs", text: `def ${word}` }]);
    };
    const readerOf = async (at = horizon) => {
      const stores = postgresStores({
        url: primary.url,
        replica: { url: replica.url, horizon: at },
        env: testEnv(),
        connections: 3,
      });
      const store = await stores.open("x", { create: false, project: PROJECT });
      stops.push(() => store.close());
      return { stores, store };
    };
    const textOf = async (store: Store) => {
      const snapshot = await store.snapshot("main");
      const file = await snapshot?.file("a.rs");
      return file && snapshot!.text(file);
    };
    const caughtUp = async () => {
      const own = { at: 0 };
      const db = new Db({ address: addressOf(primary.url), connections: 1 });
      await raiseHorizon(own, db).finally(() => db.close());
      await until("the replica has caught up", async () => {
        const [row] = await sql(replica, "SELECT (pg_last_wal_replay_lsn() - '0/0')::bigint AS at");
        return (row!.at as number) >= own.at;
      });
    };
    /** When a reader last asked the server for anything of ours. */
    const lastRead = async (server: TestServer) => {
      const [row] = await sql(
        server,
        `SELECT extract(epoch FROM max(query_start))::double precision AS at FROM pg_stat_activity
          WHERE application_name = 'codecompass' AND query LIKE '%codecompass.%' AND pid <> pg_backend_pid()`,
      );
      return Number(row!.at);
    };

    beforeAll(async () => {
      primary = await startServer();
      replica = await startReplica(primary);
      writer = await postgresStores({ url: primary.url, env: testEnv() }).open("x", { create: true, project: PROJECT });
      await publish("first");
      await caughtUp();
    }, 60_000);
    afterAll(async () => {
      for (const stop of stops) await stop();
      await writer?.close();
      await replica?.remove();
      await primary?.remove();
    });

    test("come from it, and what is written does not", async () => {
      const { store, stores } = await readerOf();
      const before = await lastRead(replica);
      expect(await textOf(store)).toBe("def first");
      expect(await lastRead(replica)).toBeGreaterThan(before);
      const { capabilities } = await stores.shared!.describe();
      expect(capabilities[0]).toBe(`reads: from ${addressOf(replica.url).shown}`);
    });

    test("never go back in time while it stands still, and come from it again when it has caught up", async () => {
      const { store, stores } = await readerOf();
      await sql(replica, "SELECT pg_wal_replay_pause()");
      await publish("second");
      // What this process has not seen, it may see late.
      expect(await textOf(store)).toMatch(/^def (first|second)$/);
      await stores.shared!.look();
      expect(await textOf(store)).toBe("def second");
      const other = await readerOf();
      expect(await textOf(other.store)).toBe("def second");
      await sql(replica, "SELECT pg_wal_replay_resume()");
      await caughtUp();
      await until("the replica is asked again", async () => {
        const before = await lastRead(replica);
        expect(await textOf(store)).toBe("def second");
        return (await lastRead(replica)) > before;
      });
    });

    test("see what others publish, even where the replica stands still", async () => {
      const { store } = await readerOf({ at: 0 });
      expect(await textOf(store)).toBe("def second");
      await sql(replica, "SELECT pg_wal_replay_pause()");
      await publish("third");
      await expect.poll(() => textOf(store), { timeout: 30_000 }).toBe("def third");
      await sql(replica, "SELECT pg_wal_replay_resume()");
    });

    test("come from the primary while it is away", async () => {
      const { store } = await readerOf();
      expect(await textOf(store)).toMatch(/^def /);
      replica.kill();
      await publish("fourth");
      expect(await textOf(store)).toBe("def fourth");
      replica.start();
    });

    test("cannot be written to", async () => {
      const mistaken = await postgresStores({ url: replica.url, env: testEnv() }).open("x", {
        create: true,
        project: PROJECT,
      });
      await expect(publishFiles(mistaken, [{ path: "b.rs", text: "def b" }])).rejects.toMatchObject({
        code: "invalid_input",
        message: expect.stringMatching(/is a read-only replica\b.*written to the primary: give its address as --store/),
      });
      await mistaken.close();
    });
  });
}
