/** Wrong input to a shared store, and overload: each has its exact error, and none affects the next query. */
import { appendFileSync, chownSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addressOf } from "../../src/adapters/postgres/address.ts";
import { Db } from "../../src/adapters/postgres/db.ts";
import { postgresStores } from "../../src/adapters/postgres/stores.ts";
import { onTestDatabase } from "../kit/database-tests.ts";
import { canStartServers, startServer, type TestDatabase, type TestServer, testDatabase } from "../kit/postgres.ts";
import { PROJECT, publishFiles, takeLease, testEnv } from "../kit/store.ts";
import { CERTIFICATE, KEY } from "../kit/tls.ts";

const A = { path: "a.rs", text: "def a" };

await onTestDatabase((database) => {
  input(database);
  if (!canStartServers()) test.skip("PostgreSQL's programs are not on this machine", () => {});
  else tls();
});

async function withStore<T>(url: string, use: (store: Awaited<ReturnType<typeof open>>) => Promise<T>): Promise<T> {
  const store = await open(url);
  return use(store).finally(() => store.close());
}

function open(url: string) {
  return postgresStores({ url, env: testEnv(), connections: 2 }).open("x", { create: true, project: PROJECT });
}

const said = (url: string, reason: RegExp, code = "invalid_input") =>
  withStore(url, (store) =>
    expect(takeLease(store)).rejects.toMatchObject({ code, message: expect.stringMatching(reason) }),
  );

function input(database: TestDatabase): void {
  const { url } = database;
  const shown = addressOf(url).shown;
  afterAll(() => database.drop());
  const fresh = async (use: (other: TestDatabase) => Promise<void>) => {
    const other = await testDatabase();
    if ("skip" in other) throw new Error(other.skip);
    await use(other).finally(() => other.drop());
  };

  test("a server that is too old", () =>
    fresh(async (other) => {
      await other.sql(`CREATE SCHEMA older; CREATE FUNCTION older.current_setting(name text) RETURNS text LANGUAGE sql AS
        $$ SELECT CASE name WHEN 'server_version_num' THEN '140011' ELSE '14.11' END $$`);
      const old = new URL(other.url);
      old.searchParams.set("options", "-c search_path=older,pg_catalog");
      await said(
        old.href,
        /^Invalid input: postgres:\S+ is PostgreSQL 14\.11; 15 or newer is needed: upgrade it, .* as --store$/,
      );
    }));

  test("an extension that is not installed", () =>
    fresh(async (other) => {
      await other.sql(`CREATE FUNCTION absent() RETURNS event_trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'extension "pg_trgm" is not available' USING ERRCODE = '0A000'; END $$;
        CREATE EVENT TRIGGER absent ON ddl_command_start WHEN TAG IN ('CREATE EXTENSION') EXECUTE FUNCTION absent()`);
      await said(
        other.url,
        /^Invalid input: postgres:\S+ lacks the extension pg_trgm; install PostgreSQL's contrib package on that server .*, then try again$/,
      );
    }));

  describe("concurrent writers", () => {
    let db: Db;
    beforeAll(async () => {
      db = new Db({ address: addressOf(url), connections: 2 });
      await database.sql(`CREATE TABLE met (id integer PRIMARY KEY, by text); CREATE SEQUENCE met_tries;
        CREATE FUNCTION met_fails(code text, times bigint) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN
          IF nextval('met_tries') <= times THEN RAISE EXCEPTION 'they met' USING ERRCODE = code; END IF;
          RETURN currval('met_tries'); END $$`);
    });
    afterAll(() => db.close());
    const meeting = async (code: string, times: number) => {
      await database.sql("ALTER SEQUENCE met_tries RESTART");
      return db.transaction((tx) => tx.rows("SELECT met_fails($1, $2) AS tries", [code, times]));
    };

    test.each([
      ["a serialization failure", "40001"],
      ["a deadlock", "40P01"],
      ["the same row at once", "23505"],
    ])("%s: whoever lost starts again", async (_, code) => {
      expect(await meeting(code, 3)).toEqual([{ tries: 4 }]);
    });

    test("an error with another cause, or a repeated one, is reported", async () => {
      await expect(meeting("22012", 1)).rejects.toMatchObject({ code: "22012" });
      await expect(meeting("40001", 1_000)).rejects.toMatchObject({ code: "40001" });
    });

    test("two writers in a deadlock both succeed", async () => {
      await database.sql("INSERT INTO met VALUES (1, ''), (2, '')");
      const first = { one: Promise.withResolvers<void>(), other: Promise.withResolvers<void>() };
      const lock = (by: "one" | "other", rows: readonly number[]) =>
        db.transaction(async (tx) => {
          await tx.run("UPDATE met SET by = $2 WHERE id = $1", [rows[0]!, by]);
          first[by].resolve();
          // Each holds its first row before it locks the other's.
          await Promise.all([first.one.promise, first.other.promise]);
          return tx.run("UPDATE met SET by = $2 WHERE id = $1", [rows[1]!, by]);
        });
      expect(await Promise.all([lock("one", [1, 2]), lock("other", [2, 1])])).toEqual([1, 1]);
      expect(new Set((await database.sql("SELECT by FROM met")).map(({ by }) => by)).size).toBe(1);
    });
  });

  describe("a query that takes too long", () => {
    const locked = async (use: (db: Db, other: Db) => Promise<void>, options = {}) => {
      const holder = new Db({ address: addressOf(url), connections: 1 });
      const db = new Db({ address: addressOf(url), connections: 1, ...options });
      const { queryable, release } = await holder.held();
      try {
        await queryable.rows("SELECT pg_advisory_lock(42)");
        await use(db, holder);
      } finally {
        await queryable.rows("SELECT pg_advisory_unlock(42)");
        await release();
        await holder.close();
        await db.close();
      }
    };
    const WAIT = "SELECT pg_advisory_lock(42)";
    const waiting = async () => {
      const rows = await database.sql(
        "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid = 42 AND NOT granted",
      );
      return rows.length;
    };

    test("is cancelled by its deadline, on the server, too", () =>
      locked(async (db) => {
        await expect(db.rows(WAIT, [], { limits: { deadlineMs: 30 } })).rejects.toMatchObject({ code: "57014" });
        expect(await waiting()).toBe(0);
        expect(await db.rows("SELECT 1 AS one")).toEqual([{ one: 1 }]);
      }));

    test("is cancelled by the server's own timeout, and says so", async () => {
      await withStore(url, (store) => publishFiles(store, [A]));
      const impatient = new URL(url);
      impatient.searchParams.set("statement_timeout", "50");
      const holder = new Db({ address: addressOf(url), connections: 1 });
      const { queryable, release } = await holder.held();
      try {
        // A read-only transaction cannot lock; the next statement starts another.
        await queryable.rows("COMMIT");
        await queryable.rows("BEGIN");
        await queryable.rows("LOCK TABLE codecompass.view");
        await withStore(impatient.href, (store) =>
          expect(store.snapshot("main")).rejects.toMatchObject({
            code: "internal_error",
            message: `The store failed while reading the index: ${shown} took longer than the time allowed for one question and was stopped; ask for less, or ask again`,
          }),
        );
      } finally {
        await release();
        await holder.close();
      }
    });

    test("makes others wait up to a limit; then they are rejected at once", () =>
      locked(async (db) => {
        const stop = new AbortController();
        // Named statements share the pool that is sized by server.connections.
        const asked = { limits: { signal: stop.signal }, prepared: "queued" };
        const first = db.rows(WAIT, [], asked).catch(() => "cut");
        await expect.poll(waiting, { timeout: 30_000 }).toBe(1);
        const queued = Array.from({ length: 64 }, () => db.rows("SELECT 1", [], asked).catch(() => "cut"));
        await expect(db.rows("SELECT 1", [], asked)).rejects.toMatchObject({
          code: "internal_error",
          data: { cause: "busy" },
          message: `The store is busy: all 1 connections to ${shown} are in use and 64 questions wait; ask again in a moment, or raise server.connections`,
        });
        stop.abort();
        expect(await Promise.all([first, ...queued])).toEqual(Array(65).fill("cut"));
        expect(await db.rows("SELECT 1 AS one")).toEqual([{ one: 1 }]);
      }));
  });
}

function tls(): void {
  describe("TLS", () => {
    let server: TestServer | undefined;
    afterAll(() => server?.remove());

    test("follows the connection string: an untrusted certificate and an unencrypted connection are rejected", async () => {
      server = await startServer();
      await said(
        `${server.url}?sslmode=verify-full`,
        /^Invalid input: postgres:\S+ does not speak TLS; switch it on there/,
      );
      const { uid, gid } = statSync(server.data);
      for (const [name, text] of [
        ["server.crt", CERTIFICATE],
        ["server.key", KEY],
      ] as const) {
        writeFileSync(join(server.data, name), text, { mode: 0o600 });
        chownSync(join(server.data, name), uid, gid);
      }
      appendFileSync(join(server.data, "postgresql.conf"), "ssl = on\n");
      writeFileSync(join(server.data, "pg_hba.conf"), "hostssl all all 127.0.0.1/32 trust\n");
      server.kill();
      server.start();
      await said(
        `${server.url}?sslmode=verify-full`,
        /shows a certificate that is not trusted here; name its authority/,
      );
      await said(
        `${server.url}?sslmode=disable`,
        /refused the user; correct the connection string or the server's pg_hba/,
      );
      const trusted = `${server.url}?sslmode=verify-full&sslrootcert=${join(server.data, "server.crt")}`;
      await withStore(trusted, async (store) => {
        await publishFiles(store, [A]);
        expect(await (await store.snapshot("main"))!.file("a.rs")).toBeDefined();
      });
      const db = new Db({ address: addressOf(trusted), connections: 1 });
      const sql = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
      expect(await db.rows(sql).finally(() => db.close())).toEqual([{ ssl: true }]);
    }, 60_000);
  });
}
