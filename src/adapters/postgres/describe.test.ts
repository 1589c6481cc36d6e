/** What `doctor` reports about a server. */
import { expect, test } from "vitest";
import { addressOf } from "./address.ts";
import { describeServer } from "./stores.ts";

test("a server that is too old is not called good", async () => {
  const old = { version: "12.22", number: 120_022, replica: false };
  const rows = async <Row>(): Promise<Row[]> => [old as Row];
  const described = describeServer({ rows, address: addressOf("postgres://me@db.example/index") });
  await expect(described).rejects.toThrow(/is PostgreSQL 12\.22; 15 or newer is needed: upgrade it/);
});

/** A server of which nothing is known but what it says of extensions, and whether this user may make a schema. */
function fresh(installable: readonly string[], { create }: { readonly create: boolean }) {
  const rows = async <Row>(sql: string): Promise<Row[]> => {
    if (sql.includes("to_regclass")) return [{ made: false } as Row];
    if (sql.includes("server_version")) return [{ version: "15.9", number: 150_009, replica: false } as Row];
    if (sql.includes("has_database_privilege")) return [{ create, writes: create } as Row];
    return sql.includes("pg_available_extensions") ? installable.map((name) => ({ name }) as Row) : [];
  };
  return describeServer({ rows, address: addressOf("postgres://me@db.example/index") });
}

test("nor one on which an extension can never be made", async () => {
  const reason = /lacks the extension btree_gin; install PostgreSQL's contrib package on that server/;
  await expect(fresh(["pg_trgm"], { create: true })).rejects.toThrow(reason);
});

test("a user without the right to create tables reads who has to", async () => {
  const lines = async (create: boolean) => (await fresh(["pg_trgm", "btree_gin"], { create })).capabilities;
  expect(await lines(true)).toContain("tables: made with the first index");
  expect(await lines(false)).toContainEqual(expect.stringMatching(/by the database's owner/));
  expect(await lines(false)).not.toContainEqual(expect.stringMatching(/takes indexes/));
});

test("for a read-only user the store does not claim to take indexes", async () => {
  const told = async (writes: boolean) => {
    const rows = async <Row>(sql: string): Promise<Row[]> => {
      if (sql.includes("to_regclass")) return [{ made: true } as Row];
      if (sql.includes("migration")) return [{ version: 1, compatible_from: 1 } as Row];
      if (sql.includes("has_table_privilege")) return [{ writes } as Row];
      return sql.includes("server_version") ? [{ version: "15.9", number: 150_009, replica: false } as Row] : [];
    };
    return (await describeServer({ rows, address: addressOf("postgres://me@db.example/index") })).capabilities[0];
  };
  expect(await told(true)).toBe("primary: answers and takes indexes");
  expect(await told(false)).toMatch(/this user may only read it/);
});

test("tables of a newer release are good where this one can use them, and only there", async () => {
  const made = (compatible_from: number) => {
    const rows = async <Row>(sql: string): Promise<Row[]> => {
      if (sql.includes("to_regclass")) return [{ made: true } as Row];
      if (sql.includes("migration")) return [{ version: 99, compatible_from } as Row];
      return sql.includes("server_version") ? [{ version: "15.9", number: 150_009, replica: false } as Row] : [];
    };
    return describeServer({ rows, address: addressOf("postgres://me@db.example/index") });
  };
  expect((await made(1)).capabilities).toContain("tables: step 99, of a newer release; this one can use them");
  await expect(made(99)).rejects.toThrow(/was prepared by a newer release \(step 99\); upgrade codecompass here/);
});

test("extensions that rank or compare vectors are listed as not used", async () => {
  const rows = async <Row>(sql: string): Promise<Row[]> => {
    if (sql.includes("pg_available_extensions"))
      return ["pg_search", "vector", "plpgsql"].map((name) => ({ name, version: "0.8" }) as Row);
    if (sql.includes("to_regclass('codecompass.migration')")) return [{ made: true } as Row];
    if (sql.includes("codecompass.migration")) return [{ version: 1, compatible_from: 1 } as Row];
    return sql.includes("server_version") ? [{ version: "15.9", number: 150_009, replica: false } as Row] : [];
  };
  const { capabilities } = await describeServer({ rows, address: addressOf("postgres://me@db.example/index") });
  expect(capabilities).toEqual(
    expect.arrayContaining([
      "ranking: exact BM25 by codecompass",
      "vectors: compared exactly by codecompass",
      "pg_search: 0.8, not used",
      "vector: 0.8, not used",
    ]),
  );
  expect(capabilities.join()).not.toContain("plpgsql");
});
