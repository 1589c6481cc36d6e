/** What `doctor` is told of a server. */
import { expect, test } from "vitest";
import { addressOf } from "./address.ts";
import { describeServer } from "./describe.ts";

test("a server that is too old is not called good", async () => {
  const old = { version: "12.22", number: 120_022, replica: false };
  const rows = async <Row>(): Promise<Row[]> => [old as Row];
  const described = describeServer({ rows, address: addressOf("postgres://me@db.example/index") });
  await expect(described).rejects.toThrow(/is PostgreSQL 12\.22; 15 or newer is needed: upgrade it/);
});
