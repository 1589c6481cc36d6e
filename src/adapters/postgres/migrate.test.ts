import { expect, test } from "vitest";
import { addressOf } from "./address.ts";
import { newestStep, unlessUnprepared } from "./migrate.ts";

const STEP = { version: 3, compatible_from: 1 };

/** A database whose `migration` table is there or is not; records its queries. */
function database(there: { table: boolean }) {
  const asked: string[] = [];
  const rows = async (sql: string) => {
    asked.push(sql);
    if (sql.includes("to_regclass")) return [{ made: there.table }];
    if (!there.table) throw missing();
    return [STEP];
  };
  return { db: { rows: rows as never, address: addressOf("postgres://there/some") }, asked };
}

function missing(): Error {
  return Object.assign(new Error("relation does not exist"), { code: "42P01" });
}

test("without tables none is queried: each query would be an error in the server's log", async () => {
  const there = { table: false };
  const { db, asked } = database(there);
  const never = async () => expect.unreachable();
  expect(await unlessUnprepared(db, "nothing", never)).toBe("nothing");
  expect(await newestStep(db)).toBeUndefined();
  expect(asked.every((sql) => sql.includes("to_regclass"))).toBe(true);
  there.table = true;
  expect(await newestStep(db)).toEqual(STEP);
});

test("the tables are checked once, until one of them is missing", async () => {
  const there = { table: true };
  const { db, asked } = database(there);
  for (const answer of ["a", "b", "c"]) expect(await unlessUnprepared(db, "nothing", async () => answer)).toBe(answer);
  expect(asked).toHaveLength(1);
  there.table = false;
  const lost = async (): Promise<string> => {
    throw missing();
  };
  expect(await unlessUnprepared(db, "nothing", lost)).toBe("nothing");
  asked.length = 0;
  expect(await unlessUnprepared(db, "nothing", lost)).toBe("nothing");
  expect(asked).toHaveLength(1);
});

test("a table that only this release knows means that an older one prepared the database", async () => {
  const { db } = database({ table: true });
  const queryable = unlessUnprepared(db, "nothing", async () => {
    throw missing();
  });
  await expect(queryable).rejects.toMatchObject({
    code: "invalid_input",
    data: { reason: expect.stringContaining("older release") },
  });
});
