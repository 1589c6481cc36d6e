/** A silent peer is given up: a writer by the server, also behind a pooler, and a server by its client. */
import { afterAll, describe, expect, test } from "vitest";
import { openGateway } from "../../../test/kit/gateway.ts";
import { testDatabase } from "../../../test/kit/postgres.ts";
import { addressOf } from "./address.ts";
import { Db, type DbOptions } from "./db.ts";
import type { Queryable } from "./queryable.ts";

const database = await testDatabase();
afterAll(async () => {
  if ("drop" in database) await database.drop();
});

describe.skipIf("skip" in database)("a transaction", () => {
  if ("skip" in database) return;
  const db = new Db({ address: addressOf(database.url), connections: 2 });
  afterAll(() => db.close());
  const silence = async (queryable: Queryable) => {
    const sql = "SELECT current_setting('idle_in_transaction_session_timeout') AS longest";
    return (await queryable.rows<{ longest: string }>(sql))[0]!.longest;
  };

  test("of a writer ends when nothing is heard of him", async () => {
    expect(await db.transaction(silence)).toBe("2min");
  });

  test("of a reader that holds one state, too, later", async () => {
    const { queryable, release } = await db.held();
    expect(await silence(queryable)).toBe("15min");
    await release();
  });

  test("leaves the connection as it was", async () => {
    expect(await silence(db)).toBe("0");
  });
});

describe.skipIf("skip" in database)("a setting", () => {
  if ("skip" in database) return;
  const db = new Db({ address: addressOf(database.url), connections: 1 });
  afterAll(() => db.close());
  const shown = async (queryable: Queryable, settings: readonly string[] = []) => {
    const sql = "SELECT current_setting('enable_nestloop') AS loops, current_setting('work_mem') AS memory";
    const [row] = await queryable.rows<{ loops: string; memory: string }>(sql, [], { settings });
    return row;
  };
  const off = ["enable_nestloop = off"];

  test("is for one question, of the pool or of a transaction, which keeps its own", async () => {
    expect(await shown(db, off)).toEqual({ loops: "off", memory: "4MB" });
    expect(await shown(db)).toEqual({ loops: "on", memory: "4MB" });
    await db.transaction(async (tx) => {
      expect(await shown(tx, off)).toEqual({ loops: "off", memory: "32MB" });
      expect(await shown(tx)).toEqual({ loops: "on", memory: "32MB" });
    });
    const { queryable, release } = await db.held();
    expect(await shown(queryable, off)).toMatchObject({ loops: "off" });
    expect(await shown(queryable)).toMatchObject({ loops: "on" });
    await release();
    expect(await shown(db)).toEqual({ loops: "on", memory: "4MB" });
  });
});

describe.skipIf("skip" in database)("a server that went away", () => {
  if ("skip" in database) return;

  test("is waited for once, not by every query", async () => {
    const { gateway, query, close } = await throughGateway(database.url, { reconnectMs: 2_000 });
    await query();
    gateway.refuse();
    await expect(query()).rejects.toThrow();
    expect(gateway.refused()).toBeGreaterThan(1);
    const before = gateway.refused();
    await expect(query()).rejects.toThrow();
    expect(gateway.refused()).toBe(before + 1);
    gateway.accept();
    await query();
    await close();
  });

  test("that stops answering is queried again over another connection", async () => {
    const { gateway, query, close } = await throughGateway(database.url, { answerMs: 300 });
    await query();
    gateway.holdOpen();
    expect(await query()).toEqual([{ one: 1 }]);
    await close();
  });
});

describe.skipIf("skip" in database)("a statement that a pooler lost", () => {
  if ("skip" in database) return;
  const open = () => new Db({ address: addressOf(database.url), connections: 1 });
  const ask = (queryable: Queryable, number: number) =>
    queryable.rows("SELECT $1::integer AS number", [number], { prepared: "ours" });
  /** Over the same connection, which only named statements share. */
  const onIt = <Row>(db: Db, sql: string) => db.rows<Row>(sql, [], { prepared: "beside" });

  test("is sent without a name from then on", async () => {
    const db = open();
    await ask(db, 1);
    await onIt(db, "DEALLOCATE ALL");
    expect(await ask(db, 2)).toEqual([{ number: 2 }]);
    await db.close();
  });

  test("is not taken for what another has prepared there", async () => {
    const [first, db] = [open(), open()];
    await ask(first, 1);
    const sql = "SELECT name FROM pg_prepared_statements WHERE name LIKE 'ours%'";
    const [{ name }] = (await onIt<{ name: string }>(first, sql)) as [{ name: string }];
    await onIt(db, `PREPARE ${name} AS SELECT $1::integer + 1 AS number`);
    expect(await ask(db, 2)).toEqual([{ number: 2 }]);
    await Promise.all([first.close(), db.close()]);
  });

  test("has a name that says what it asks", async () => {
    const db = open();
    await db.rows("SELECT 1 AS one", [], { prepared: "same" });
    expect(await db.rows("SELECT 2 AS two", [], { prepared: "same" })).toEqual([{ two: 2 }]);
    await db.close();
  });

  test("makes a transaction begin again", async () => {
    const db = open();
    await db.transaction((tx) => ask(tx, 1));
    await db.rows("DEALLOCATE ALL");
    expect(await db.transaction((tx) => ask(tx, 2))).toEqual([{ number: 2 }]);
    await db.close();
  });
});

/** A way to the server that tests can close. */
async function throughGateway(url: string, options: Partial<DbOptions>) {
  const far = new URL(url);
  const gateway = await openGateway(Number(far.port));
  far.host = `127.0.0.1:${gateway.port}`;
  const db = new Db({ address: addressOf(far.href), connections: 1, ...options });
  return {
    gateway,
    query: () => db.rows("SELECT 1 AS one"),
    close: async () => {
      await db.close();
      await gateway.close();
    },
  };
}
