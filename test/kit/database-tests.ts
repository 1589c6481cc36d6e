/** Tests that need PostgreSQL: they run on a database of their own, or one skipped test says why they do not. */
import { test } from "vitest";
import { type TestDatabase, testDatabase } from "./postgres.ts";

export async function onTestDatabase(define: (database: TestDatabase) => void): Promise<void> {
  const database = await testDatabase();
  if ("skip" in database) test.skip(`postgres: ${database.skip}`, () => {});
  else define(database);
}
