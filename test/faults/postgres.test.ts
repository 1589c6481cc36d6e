/** Failures of a shared store: each is reported clearly, loses nothing, and never shows the password. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { MIGRATIONS } from "../../src/adapters/postgres/migrations.ts";
import { postgresStores } from "../../src/adapters/postgres/stores.ts";
import { SCHEMA_VERSION } from "../../src/engine/store.ts";
import { CompassError } from "../../src/model/errors.ts";
import type { Store } from "../../src/ports/store.ts";
import { onTestDatabase } from "../kit/database-tests.ts";
import { BACK_TO_STEP_7, canStartServers, startServer, type TestDatabase, testDatabase } from "../kit/postgres.ts";
import {
  batchOf,
  PROJECT,
  processIdentity,
  publication,
  publishFiles,
  show,
  type TextFile,
  takeLease,
  testEnv,
} from "../kit/store.ts";
import { dumpAnswers, roundTree } from "../kit/store-answers.ts";

const A: TextFile = { path: "src/a.rs", text: "def parse user\n\ntoken user user", language: "rust" };
const B: TextFile = { path: "src/b.go", text: "def Parse token\n\ndef render html", language: "go" };
const SECRET = "geheim-0815";

await onTestDatabase((database) => {
  faults(database);
  if (!canStartServers()) test.skip("servers of their own: PostgreSQL's programs are not on this machine", () => {});
  else servers();
});

const refusalOf = async (run: Promise<unknown>): Promise<CompassError> => {
  const error = await run.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(CompassError);
  expect((error as Error).message).not.toContain(SECRET);
  return error as CompassError;
};

function faults(database: TestDatabase): void {
  describe("a shared store", () => {
    afterAll(() => database.drop());
    let places = 0;
    let location = "";
    let store: Store;
    const opened: Store[] = [];
    const openAt = async (url: string, create = true, options = {}) => {
      const one = await postgresStores({ url, env: testEnv(), connections: 3, ...options }).open(location, {
        create,
        project: PROJECT,
      });
      opened.push(one);
      return one;
    };
    const as = (user: string, password = "") => {
      const url = new URL(database.url);
      url.username = user;
      url.password = password;
      return url.href;
    };
    const paths = async (from = store) => (await (await from.snapshot("main"))!.files()).map(({ path }) => path);

    beforeEach(async () => {
      location = `fault-${++places}`;
      store = await openAt(database.url);
    });
    afterEach(async () => {
      for (const one of opened.splice(0)) await one.close();
    });

    test("twelve concurrent starts migrate once", async () => {
      const fresh = await testDatabase();
      if ("skip" in fresh) throw new Error(fresh.skip);
      try {
        const stores = await Promise.all(Array.from({ length: 12 }, () => openAt(fresh.url)));
        await Promise.all(stores.map((one) => one.lease(processIdentity(1), 30_000)));
        for (const one of stores) await one.close();
        const steps = MIGRATIONS.map(({ version }) => ({ version }));
        expect(await fresh.sql("SELECT version FROM codecompass.migration")).toEqual(steps);
      } finally {
        await fresh.drop();
      }
    });

    test("tables of the previous release are read as they are, and migrated by the next writer", async () => {
      await publishFiles(store, [A]);
      await database.sql(BACK_TO_STEP_7);
      const reader = await openAt(database.url, false);
      expect(await reader.views()).toMatchObject([{ ref: "main" }]);
      expect(await (await reader.snapshot("main"))!.files()).toHaveLength(1);
      await publishFiles(await openAt(database.url), [B]);
      expect(await database.sql("SELECT uid FROM codecompass.repository LIMIT 1")).toHaveLength(1);
      expect(await (await reader.snapshot("main"))!.files()).toHaveLength(2);
    });

    test("tables of before the first release are refused, and left as they are", async () => {
      await publishFiles(store, [A]);
      await database.sql(BACK_TO_STEP_7);
      await database.sql("UPDATE codecompass.migration SET version = 6");
      const later = await openAt(database.url);
      expect((await refusalOf(takeLease(later))).message).toMatch(/before release 0\.1\.0; drop its schema/);
      await database.sql("UPDATE codecompass.migration SET version = 7");
      await publishFiles(await openAt(database.url), [B]);
    });

    test("tables of a newer release are rejected, unless it declares them compatible", async () => {
      await publishFiles(store, [A]);
      await database.sql("INSERT INTO codecompass.migration (version, compatible_from) VALUES (98, 1), (99, 98)");
      const later = await openAt(database.url);
      expect((await refusalOf(takeLease(later))).message).toMatch(/newer release/);
      expect((await refusalOf(later.snapshot("main"))).message).toMatch(/newer release/);
      await database.sql("DELETE FROM codecompass.migration WHERE version = 99");
      await publishFiles(await openAt(database.url), [B]);
      await database.sql("DELETE FROM codecompass.migration WHERE version = 98");
    });

    test("tables of an older release are not taken for a missing index", async () => {
      await publishFiles(store, [A]);
      await database.sql("ALTER TABLE codecompass.repository RENAME COLUMN epoch TO era");
      try {
        expect((await refusalOf(store.snapshot("main"))).message).toMatch(/older release; run `codecompass index`/);
      } finally {
        await database.sql("ALTER TABLE codecompass.repository RENAME COLUMN era TO epoch");
      }
    });

    test("a caller that cancels does not affect others with the same query", async () => {
      await publishFiles(store, roundTree(1));
      const reader = await openAt(database.url, false);
      const controller = new AbortController();
      const snapshots = await Promise.all(
        Array.from({ length: 8 }, (_, at) => reader.snapshot("main", at === 0 ? { signal: controller.signal } : {})),
      );
      const terms = [{ term: "common", weight: 1 }];
      const pages = snapshots.map((one, at) =>
        one!.lexical({ terms, limit: 5 }, at === 0 ? { signal: controller.signal } : {}),
      );
      controller.abort(new Error("enough"));
      const [first, ...others] = await Promise.allSettled(pages);
      expect(first).toMatchObject({ status: "rejected", reason: { message: "enough" } });
      for (const other of others) expect(other).toMatchObject({ status: "fulfilled", value: { matched: 24 } });
    });

    test("content of another release is reindex_required, rows with a wrong sum are corrupt_manifest", async () => {
      await publishFiles(store, [A, B]);
      const set = (what: string) =>
        database.sql(`UPDATE codecompass.repository SET ${what} WHERE key = $1`, [location]);
      await set("schema_version = 1");
      expect(await store.inspect()).toMatchObject({ status: "reindex_required", currentVersion: 1 });
      expect((await refusalOf(store.snapshot("main"))).code).toBe("index_incompatible");
      await set(`schema_version = ${SCHEMA_VERSION}`);
      await database.sql(
        "DELETE FROM codecompass.view_entry WHERE path = $1 AND repo = (SELECT id FROM codecompass.repository WHERE key = $2)",
        [A.path, location],
      );
      const later = await openAt(database.url, false);
      expect(await later.inspect()).toMatchObject({ status: "corrupt_manifest" });
      expect(await later.verify("quick")).toHaveLength(1);
      await publishFiles(store, [A, B], { mode: "reset" });
      expect(await store.verify("full")).toEqual([]);
    });

    test("a damaged blob is detected, reported and repaired by a rebuild", async () => {
      await publishFiles(store, [{ ...A, text: "def damaged words" }]);
      await database.sql(`UPDATE codecompass.blob b SET bytes = set_byte(b.bytes, 6, (get_byte(b.bytes, 6) + 1) % 256)
        FROM codecompass.file_version v, codecompass.repository r
        WHERE r.key = '${location}' AND v.repo = r.id AND b.key = v.text_key`);
      const snapshot = (await store.snapshot("main"))!;
      expect((await refusalOf(snapshot.text((await snapshot.file(A.path))!))).code).toBe("index_incompatible");
      expect(await store.verify("full")).toHaveLength(1);
      await publishFiles(store, [{ ...A, text: "def damaged words" }], { mode: "reset" });
      expect(await store.verify("full")).toEqual([]);
    });

    test("interrupted connections are reopened, and nothing is lost", async () => {
      await publishFiles(store, roundTree(0));
      const cut = () =>
        database.sql(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
        );
      for (let round = 1; round <= 8; round++) {
        const published = publishFiles(store, roundTree(round));
        for (let cuts = 0; cuts < round; cuts++) await cut();
        await published;
        expect(await dumpAnswers(store)).toContain(`round${round}`);
      }
      expect((await store.views())[0]!.generation).toBe(9);
      expect(await store.verify("full")).toEqual([]);
    });

    test("a full disk is reported, and the published state stays", async () => {
      await publishFiles(store, [A]);
      await database.sql(`CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$`);
      await database.sql(
        "CREATE TRIGGER full_disk BEFORE INSERT ON codecompass.view FOR EACH ROW EXECUTE FUNCTION full_disk()",
      );
      try {
        const { message } = await refusalOf(publishFiles(store, [B], { ref: "other" }));
        expect(message).toMatch(/no space left on its disk; free some/);
      } finally {
        await database.sql("DROP FUNCTION full_disk CASCADE");
      }
      expect(await paths()).toEqual([A.path]);
      await publishFiles(store, [B], { ref: "other" });
    });

    test("a read-only database is reported as such when it is used for writing", async () => {
      await publishFiles(store, [A]);
      const url = new URL(database.url);
      url.searchParams.set("options", "-c default_transaction_read_only=on");
      const replica = await openAt(url.href);
      expect(await paths(replica)).toEqual([A.path]);
      await replica.used("main");
      const refused = await refusalOf(takeLease(replica));
      expect(refused).toMatchObject({ code: "invalid_input", data: { parameter: "--store" } });
      expect(refused.message).toMatch(/read-only replica .*written to the primary/);
    });

    test("a user without permission, and one whose database lacks an extension", async () => {
      const role = `cc_reader_${places}`;
      const bare = await testDatabase();
      if ("skip" in bare) throw new Error(bare.skip);
      await bare.sql(`CREATE ROLE ${role} LOGIN PASSWORD '${SECRET}'`);
      try {
        const url = new URL(bare.url);
        url.username = role;
        url.password = SECRET;
        const { message } = await refusalOf(takeLease(await openAt(url.href)));
        expect(message).toMatch(
          /does not let this user do that: .* by the database's owner, with `codecompass migrate`/,
        );
        for (const one of opened.splice(1)) await one.close();
      } finally {
        await bare.sql(`DROP OWNED BY ${role} CASCADE`);
        await bare.sql(`DROP ROLE ${role}`);
        await bare.drop();
      }
    });

    test("of two writers one writes, the other gets the holder of the lease", async () => {
      const first = await takeLease(store, processIdentity(1));
      expect(await (await openAt(database.url)).lease(processIdentity(2), 30_000)).toEqual({
        held: true,
        by: processIdentity(1),
      });
      await first.release();
    });

    test("a process of another machine counts as alive until its lease expires", async () => {
      await takeLease(store, processIdentity(7));
      await database.sql("UPDATE codecompass.lease SET host = 'elsewhere' WHERE pid = 7");
      const env = testEnv();
      env.dead.add(7);
      const other = await openAt(database.url, true, { env });
      expect(await other.lease(processIdentity(2), 30_000)).toMatchObject({ held: true });
      await database.sql("UPDATE codecompass.lease SET expires_at = 1 WHERE pid = 7");
      expect(await other.lease(processIdentity(2), 30_000)).toHaveProperty("lease");
    });

    test("an aborted query stops on the server, too", async () => {
      await publishFiles(store, [A]);
      const blocker = await openAt(database.url);
      const controller = new AbortController();
      const held = database.sql("BEGIN; LOCK TABLE codecompass.repository; SELECT pg_sleep(50)").catch(() => {});
      const locks = (granted: boolean) =>
        database.sql(
          "SELECT pid FROM pg_locks WHERE relation = 'codecompass.repository'::regclass AND granted = $1 AND (granted IS FALSE OR mode = 'AccessExclusiveLock')",
          [granted],
        );
      while ((await locks(true)).length === 0);
      const asked = blocker.snapshot("main", { signal: controller.signal });
      while ((await locks(false)).length === 0);
      controller.abort(new Error("enough"));
      await expect(asked).rejects.toThrow("enough");
      expect(await locks(false)).toEqual([]);
      for (const { pid } of await locks(true)) await database.sql("SELECT pg_terminate_backend($1)", [pid]);
      await held;
    });

    test("text full of SQL is stored as text", async () => {
      const evil = ["'; DROP TABLE codecompass.view; --", "$1", "\\x00", "%s", "a'b\"c`d", "{a,b}", "NULL", "--"];
      const files = evil.map((word, at) => ({ path: `${word}-${at}`, text: `def f${at} ${word}` }));
      await publishFiles(store, files, { ref: evil[0]! });
      const snapshot = (await store.snapshot(evil[0]!))!;
      expect((await snapshot.files()).map(({ path }) => path)).toEqual(files.map(({ path }) => path).sort());
      for (const { path, text } of files) expect(await snapshot.text((await snapshot.file(path))!)).toBe(text);
      expect(await store.snapshot("' OR 1=1 --")).toBeUndefined();
    });

    test("invalid addresses are reported without repeating them", async () => {
      for (const url of [
        `postgres://u:${SECRET}@`,
        `postgres://u:${SECRET}@h`,
        `mysql://u:${SECRET}@h/d`,
        `nonsense ${SECRET}`,
      ]) {
        const refused = await refusalOf((async () => postgresStores({ url, env: testEnv() }))());
        expect(refused).toMatchObject({ code: "invalid_input", data: { parameter: "--store" } });
      }
      const away = await openAt(`postgres://u:${SECRET}@127.0.0.1:1/d`);
      expect((await refusalOf(away.snapshot("main"))).message).toMatch(
        /127\.0\.0\.1:1\/d cannot be reached: see that PostgreSQL runs/,
      );
      const none = new URL(database.url);
      none.pathname = "/no_such_database";
      expect((await refusalOf((await openAt(none.href)).snapshot("main"))).message).toMatch(
        /no such database; create it/,
      );
      expect((await refusalOf((await openAt(as("nobody_here"))).snapshot("main"))).message).toMatch(
        /refused the (user|password)|does not exist/,
      );
    });
  });
}

function servers(): void {
  describe("a private server", () => {
    test("requires a password and gets a wrong one, or none", async () => {
      const server = await startServer();
      try {
        const hba = join(server.data, "pg_hba.conf");
        const trusted = readFileSync(hba, "utf8");
        const admin = postgresStores({ url: server.url, env: testEnv() });
        const store = await admin.open("x", { create: true, project: PROJECT });
        await publishFiles(store, [A]);
        await store.close();
        writeFileSync(hba, "host all all 127.0.0.1/32 scram-sha-256\n");
        server.kill();
        server.start();
        const url = server.url.replace("postgres@", `postgres:${SECRET}@`);
        const locked = await postgresStores({ url, env: testEnv() }).open("x", { create: false, project: PROJECT });
        expect((await refusalOf(locked.snapshot("main"))).message).toMatch(/refused the password; correct it/);
        await locked.close();
        const silent = await postgresStores({ url: server.url, env: testEnv() }).open("x", {
          create: false,
          project: PROJECT,
        });
        expect((await refusalOf(silent.snapshot("main"))).message).toMatch(
          /asks for a password; give it in PGPASSWORD/,
        );
        await silent.close();
        writeFileSync(hba, trusted);
      } finally {
        await server.remove();
      }
    }, 60_000);

    test("is killed repeatedly during ingest: nothing torn, nothing lost", async () => {
      const server = await startServer();
      try {
        const stores = postgresStores({ url: server.url, env: testEnv() });
        const store = await stores.open("x", { create: true, project: PROJECT });
        await publishFiles(store, roundTree(0));
        let acknowledged = 0;
        for (let round = 1; round <= 5; round++) {
          const lease = await takeLease(store, processIdentity(1));
          const build = await store.begin(lease, "main", "update");
          const put = build.put(batchOf(roundTree(round)));
          server.kill();
          server.start();
          await put;
          const publishing = build.publish(publication(roundTree(round).map(show)));
          if (round % 2 === 0) {
            server.kill();
            server.start();
          }
          acknowledged = await publishing;
          await lease.release();
          const answers = await dumpAnswers(store);
          expect(answers).toContain(`round${round} common`);
          expect(answers).not.toContain(`round${round - 1} `);
        }
        expect((await store.views())[0]!.generation).toBe(acknowledged);
        expect(await store.verify("full")).toEqual([]);
        await store.close();
      } finally {
        await server.remove();
      }
    }, 120_000);
  });
}
