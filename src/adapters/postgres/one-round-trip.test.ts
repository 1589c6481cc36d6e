/** What is sent together fails together: no query runs without the rights that come first. */
import type { PoolClient } from "pg";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { onTestDatabase } from "../../../test/kit/database-tests.ts";
import type { TestDatabase } from "../../../test/kit/postgres.ts";
import { inOneRoundTrip } from "./db.ts";

await onTestDatabase(flights);

function flights(database: TestDatabase): void {
  const client = new pg.Client({ connectionString: database.url, pipeline: true });
  const pooled = client as unknown as PoolClient;
  const ask = async (sql: string) => (await client.query(sql)).rows;
  const flight = (begin: string, sql: string) => inOneRoundTrip(pooled, [begin], () => ask(sql));
  beforeAll(async () => {
    await client.connect();
    await client.query("CREATE TABLE noted (at integer)");
  });
  afterAll(async () => {
    await client.end();
    await database.drop();
  });

  test("the answer is that of the question, under what was said first, which ends with it", async () => {
    const setting = "SELECT current_setting('codecompass.principal', true) AS whose";
    expect(await flight("BEGIN; SET LOCAL codecompass.principal = '7'", setting)).toEqual([{ whose: "7" }]);
    expect(await ask(setting)).toEqual([{ whose: "" }]);
  });

  test.each([
    ["BEGIN; SET LOCAL ROLE no_such_role", "INSERT INTO noted VALUES (1)", /role "no_such_role" does not exist/],
    ["BEGIN", "INSERT INTO noted VALUES (2), ('x')", /invalid input syntax/],
    ["BEGIN", "SELECT 1/0 FROM (INSERT INTO noted VALUES (3)) x", /syntax error/],
  ])("%s; %s", async (begin, sql, reason) => {
    await expect(flight(begin, sql)).rejects.toThrow(reason);
    expect(await ask("SELECT at FROM noted")).toEqual([]);
    expect(client.getTransactionStatus()).toBe("I");
    expect(await ask("SELECT 1 AS one")).toEqual([{ one: 1 }]);
  });
}
