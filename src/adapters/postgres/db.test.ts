/** Whoever holds a transaction and falls silent is given up by the server, also behind a pooler. */
import { afterAll, describe, expect, test } from "vitest";
import { testDatabase } from "../../../test/kit/postgres.ts";
import { addressOf } from "./address.ts";
import { type Asking, Db } from "./db.ts";

const database = await testDatabase();

describe.skipIf("skip" in database)("a transaction", () => {
  if ("skip" in database) return;
  const db = new Db({ address: addressOf(database.url), connections: 2 });
  afterAll(async () => {
    await db.close();
    await database.drop();
  });
  const silence = async (asking: Asking) => {
    const sql = "SELECT current_setting('idle_in_transaction_session_timeout') AS longest";
    return (await asking.rows<{ longest: string }>(sql))[0]!.longest;
  };

  test("of a writer ends when nothing is heard of him", async () => {
    expect(await db.transaction(silence)).toBe("2min");
  });

  test("of a reader that holds one state, too, later", async () => {
    const { asking, release } = await db.held();
    expect(await silence(asking)).toBe("15min");
    await release();
  });

  test("leaves the connection as it was", async () => {
    expect(await silence(db)).toBe("0");
  });
});
