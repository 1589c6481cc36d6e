/**
 * What is stored of files, named by the hash of its bytes: kept once, whichever repositories and refs hold it. A repository
 * has a `holding` for each blob it needs.
 */
import { hash } from "node:crypto";
import { int4 } from "./copy.ts";
import { BY_INDEX, ONE_BY_ONE } from "./planner-settings.ts";
import type { Transaction } from "./query-interface.ts";

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

/** Those of the keys, written one behind the other, that are there; locked, so that nobody collects them before they are held. */
const LOCK_THERE = `SELECT b.key FROM (
    SELECT substring($1::bytea FROM ${KEY_BYTES} * i + 1 FOR ${KEY_BYTES}) AS key
    FROM generate_series(0, length($1::bytea) / ${KEY_BYTES} - 1) i
  ) asked JOIN codecompass.blob b ON b.key = asked.key FOR KEY SHARE OF b`;

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
  // In one order, so that two writers never wait for each other.
  const sorted = [...blobs.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  const keys = sorted.map(({ key }) => key);
  if (trust === "distrust") await dropDamaged(tx, keys);
  const known = namesOf(await tx.rows<Keyed>(LOCK_THERE, [Buffer.concat(keys)], ONE_BY_ONE));
  const missing = sorted.filter(({ name }) => !known.has(name));
  if (missing.length > 0)
    await tx.copy(
      "codecompass.blob",
      "key, bytes",
      missing.map(({ key, bytes }) => [key, bytes]),
    );
  const ours = "SELECT key FROM codecompass.holding WHERE repo = $1 AND key = ANY($2)";
  const held = namesOf(await tx.rows<Keyed>(ours, [repo, keys]));
  const fresh = sorted.filter(({ name }) => !held.has(name));
  const holder = int4(repo);
  if (fresh.length > 0)
    await tx.copy(
      "codecompass.holding",
      "repo, key",
      fresh.map(({ key }) => [holder, key]),
    );
  return fresh.reduce((sum, { bytes }) => sum + bytes.length, 0);
}

async function dropDamaged(tx: Transaction, keys: readonly BlobKey[]): Promise<void> {
  const whole = `substring(sha256(bytes) FOR ${KEY_BYTES}) = key`;
  await tx.rows(`DELETE FROM codecompass.blob WHERE key = ANY($1) AND NOT ${whole}`, [keys], BY_INDEX);
}

interface Keyed {
  readonly key: BlobKey;
}

function namesOf(rows: readonly Keyed[]): Set<string> {
  return new Set(rows.map(({ key }) => key.toString("hex")));
}

/** Lets go of what no version of the repository needs, and removes what nobody holds any more. */
export async function forgetBlobs(tx: Transaction, repo: number): Promise<void> {
  const released = await tx.rows<Keyed>(
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
  await removeUnheld(
    tx,
    released.map(({ key }) => key),
  );
}

const KEYS_AT_ONCE = 10_000;

/** First locked, then looked at again: a writer that just found a blob waits, or is waited for. */
export async function removeUnheld(tx: Transaction, keys: readonly Buffer[]): Promise<void> {
  for (let from = 0; from < keys.length; from += KEYS_AT_ONCE) {
    const some = keys.slice(from, from + KEYS_AT_ONCE);
    await tx.rows("SELECT 1 FROM codecompass.blob WHERE key = ANY($1) ORDER BY key FOR UPDATE", [some], BY_INDEX);
    await tx.rows(
      `DELETE FROM codecompass.blob b WHERE b.key = ANY($1)
        AND NOT EXISTS (SELECT 1 FROM codecompass.holding h WHERE h.key = b.key)`,
      [some],
      BY_INDEX,
    );
  }
}
