/**
 * What is stored of files, named by the hash of its bytes: kept once on each node, whichever repositories and refs hold it.
 * A repository has a `holding` for each blob it needs.
 */
import { hash } from "node:crypto";
import { int4 } from "./copy.ts";
import { contentTable, nodeOf, REPOSITORIES_PER_NODE } from "./data-nodes.ts";
import { BY_INDEX, NESTED_LOOPS, SUMS_ON_NODES } from "./planner-settings.ts";
import type { Queryable, QueryOptions, SqlValue, Transaction } from "./queryable.ts";

const KEY_BYTES = 16;

export type BlobKey = Buffer;

export function blobKey(bytes: Uint8Array): BlobKey {
  return hash("sha256", bytes, "buffer").subarray(0, KEY_BYTES);
}

interface Blob {
  /** The key in hex. */
  readonly name: string;
  readonly key: BlobKey;
  readonly bytes: Uint8Array;
}

/** By name. */
export type Blobs = Map<string, Blob>;

export function addBlob(to: Blobs, bytes: Uint8Array): BlobKey {
  const key = blobKey(bytes);
  const name = key.toString("hex");
  to.set(name, { name, key, bytes });
  return key;
}

/**
 * Bytes by id; ids whose blob is missing are left out. `keys`: a query for rows of `id` and `key`. In the store itself each key
 * is looked up in the partition that it hashes to. A data node is sent all keys at once.
 */
export async function readBlobs(
  queryable: Queryable,
  node: number,
  keys: { readonly sql: string; readonly values: readonly SqlValue[] },
  options: QueryOptions = {},
): Promise<Map<number, Buffer>> {
  const table = contentTable(queryable, "blob");
  const sql =
    node === 0
      ? `SELECT k.id, b.bytes FROM (${keys.sql}) k CROSS JOIN LATERAL
          (SELECT b.bytes FROM ${table} b WHERE b.node = 0 AND b.key = k.key OFFSET 0) b`
      : `WITH k AS MATERIALIZED (${keys.sql}) SELECT k.id, b.bytes FROM k JOIN ${table} b ON b.key = k.key
          WHERE b.node = ${node} AND b.key = ANY(ARRAY(SELECT k.key FROM k))`;
  const rows = await queryable.rows<{ id: number; bytes: Buffer }>(sql, keys.values, { ...options, node });
  return new Map(rows.map(({ id, bytes }) => [id, bytes]));
}

/** Locks those of the keys that are there, so that none is collected before it is held. */
function lockPresent(node: number): string {
  if (node !== 0) return `SELECT key FROM codecompass.blob WHERE node = ${node} AND key = ANY($1) FOR KEY SHARE`;
  return `SELECT b.key FROM unnest($1::bytea[]) AS a (key) JOIN codecompass.blob b ON b.node = 0 AND b.key = a.key
    FOR KEY SHARE OF b`;
}

/**
 * Stores what is not there yet, and holds all of it. `distrust`: what is there was damaged or may be, and is looked at.
 * Returns the bytes that were new to the repository. Two writers of the same content collide, and one starts again.
 */
export async function putBlobs(
  tx: Transaction,
  repo: number,
  blobs: Blobs,
  trust: "trust" | "distrust",
): Promise<number> {
  const node = nodeOf(repo);
  // In one order, so that two writers never wait for each other.
  const sorted = [...blobs.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const keys = sorted.map(({ key }) => key);
  const whole = `substring(sha256(bytes) FOR ${KEY_BYTES}) = key`;
  const damaged = `DELETE FROM codecompass.blob WHERE node = ${node} AND key = ANY($1) AND NOT ${whole}`;
  if (trust === "distrust") await tx.rows(damaged, [keys], BY_INDEX);
  const known = namesOf(await tx.rows<BlobKeyRow>(lockPresent(node), [keys], node === 0 ? NESTED_LOOPS : {}));
  const missing = sorted.filter(({ name }) => !known.has(name));
  await tx.copy(
    "codecompass.blob",
    "node, key, bytes",
    missing.map(({ key, bytes }) => [int4(node), key, bytes]),
  );
  const ours = "SELECT key FROM codecompass.holding WHERE repo = $1 AND key = ANY($2)";
  const held = namesOf(await tx.rows<BlobKeyRow>(ours, [repo, keys]));
  const fresh = sorted.filter(({ name }) => !held.has(name));
  await tx.copy(
    "codecompass.holding",
    "repo, key",
    fresh.map(({ key }) => [int4(repo), key]),
  );
  return fresh.reduce((sum, { bytes }) => sum + bytes.length, 0);
}

type BlobKeyRow = { readonly key: BlobKey };

function namesOf(rows: readonly BlobKeyRow[]): Set<string> {
  return new Set(rows.map(({ key }) => key.toString("hex")));
}

const KEYS_AT_ONCE = 10_000;

/** Removes holdings that no version of the repository needs, and blobs without a holding. */
export async function forgetBlobs(tx: Transaction, repo: number): Promise<void> {
  const released = await tx.rows<BlobKeyRow>(
    `DELETE FROM codecompass.holding h WHERE h.repo = $1 AND NOT EXISTS (
        SELECT 1 FROM (
          SELECT text_key AS key FROM codecompass.file_version WHERE repo = $1
          UNION ALL SELECT record_key FROM codecompass.file_version WHERE repo = $1
          UNION ALL SELECT facts_key FROM codecompass.file_version WHERE repo = $1
          UNION ALL SELECT key FROM codecompass.vectors WHERE repo = $1
        ) used WHERE used.key = h.key)
      RETURNING h.key`,
    [repo],
  );
  const node = nodeOf(repo);
  const [first, last] = [node * REPOSITORIES_PER_NODE, (node + 1) * REPOSITORIES_PER_NODE - 1];
  for (let from = 0; from < released.length; from += KEYS_AT_ONCE) {
    const keys = released.slice(from, from + KEYS_AT_ONCE).map(({ key }) => key);
    // Locked before it is looked who holds them: a writer that just found one waits, or is waited for.
    const lock = `SELECT 1 FROM codecompass.blob WHERE node = ${node} AND key = ANY($1) ORDER BY key FOR UPDATE`;
    await tx.rows(lock, [keys], BY_INDEX);
    const sql = `SELECT a.key FROM unnest($1::bytea[]) AS a (key) WHERE NOT EXISTS (
      SELECT 1 FROM codecompass.holding h WHERE h.key = a.key AND h.repo BETWEEN ${first} AND ${last})`;
    const unheld = (await tx.rows<BlobKeyRow>(sql, [keys], BY_INDEX)).map(({ key }) => key);
    // A statement of its own, of nothing but keys: `removeParts` says why.
    await tx.rows(`DELETE FROM codecompass.blob WHERE node = ${node} AND key = ANY($1)`, [unheld], BY_INDEX);
  }
}

/** Bytes of the blobs that the repository holds, whether or not others hold them as well. */
export async function measureBlobs(tx: Transaction, repo: number): Promise<number> {
  const sql = `SELECT sum(octet_length(bytes)) AS bytes FROM codecompass.blob WHERE node = ${nodeOf(repo)}
    AND key = ANY(ARRAY(SELECT h.key FROM codecompass.holding h WHERE h.repo = $1)) GROUP BY node`;
  const [row] = await tx.rows<{ bytes: number | null }>(sql, [repo], SUMS_ON_NODES);
  return row?.bytes ?? 0;
}
