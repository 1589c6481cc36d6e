/** COPY in and out over one connection, in the binary format of `copy.ts`. */
import type { PoolClient } from "pg";
import { decodeRows, encodeRows, type Field } from "./copy.ts";
import { loadCopyStreams } from "./driver.ts";

export async function copyIn(
  client: PoolClient,
  table: string,
  columns: string,
  rows: Iterable<readonly Field[]>,
): Promise<void> {
  const [{ from }, { Readable }, { pipeline }] = await Promise.all([
    loadCopyStreams(),
    import("node:stream"),
    import("node:stream/promises"),
  ]);
  const into = client.query(from(`COPY ${table} (${columns}) FROM STDIN (FORMAT binary)`));
  await pipeline(Readable.from(encodeRows(rows), { objectMode: true }), into);
}

export async function copyOut(client: PoolClient, sql: string): Promise<Field[][]> {
  const { to } = await loadCopyStreams();
  const parts: Buffer[] = [];
  for await (const part of client.query(to(`COPY (${sql}) TO STDOUT (FORMAT binary)`))) parts.push(part as Buffer);
  return decodeRows(Buffer.concat(parts));
}
