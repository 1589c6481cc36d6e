/**
 * Which repositories come nearest in meaning to a question to many, so that only those are opened: pgvector finds the
 * nearest of all sketches (`embed/sketch.ts`). Nothing is ranked here, and nothing of it is shown: whoever is opened
 * compares its vectors exactly. What is left over of files that are gone opens a repository in vain.
 */
import { SKETCH_BYTES, sketchOf } from "../../embed/sketch.ts";
import { keyOf } from "../../engine/vector-cache.ts";
import type { NearAsk } from "../../ports/catalog.ts";
import type { Limits } from "../../ports/limits.ts";
import { decodeVectors } from "../../segment/stored-content.ts";
import { type Field, int4, int8, text } from "./copy.ts";
import type { Db } from "./db.ts";
import { isFrom, type Release } from "./extension-version.ts";
import { addTo } from "./post-publish.ts";
import type { Asking, Transaction, Value } from "./query-interface.ts";

/** pgvector, as this database has it. */
export interface Pgvector {
  readonly version: string;
  /** Where its operators are, quoted. */
  readonly schema: string;
  /** Whether the tables are those of this release. */
  readonly isPrepared: boolean;
}

/** The first release that goes on looking where rows in front may not be seen. */
const OLDEST: Release = [0, 8];

export async function pgvectorOf(asking: Pick<Asking, "rows">): Promise<Pgvector | undefined> {
  const sql = `SELECT e.extversion AS version, quote_ident(n.nspname) AS schema,
      EXISTS (SELECT 1 FROM pg_tables t WHERE t.schemaname = 'codecompass' AND t.tablename = 'near') AS "isPrepared"
    FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector'`;
  return (await asking.rows<Pgvector>(sql, [], { prepared: "pgvector" }))[0];
}

async function usablePgvector(asking: Pick<Asking, "rows">): Promise<Pgvector | undefined> {
  const found = await pgvectorOf(asking);
  return found?.isPrepared && isUsable(found) ? found : undefined;
}

export function isUsable({ version }: Pick<Pgvector, "version">): boolean {
  return isFrom(OLDEST, version);
}

export interface NearIn {
  /** Names of repositories; absent: every one that has a name and that the connection's role may see. */
  readonly names?: readonly string[];
  readonly limits?: Limits | undefined;
}

/** Chunks whose repositories are told: 32 repositories of ten thousand small ones take some 60. */
const MOST_CHUNKS = 400;

/** Nearest first; undefined where the database cannot tell. */
export async function repositoriesNear(
  asking: Pick<Asking, "rows">,
  { model, vector }: NearAsk,
  { names, limits }: NearIn,
): Promise<string[] | undefined> {
  const pgvector = await usablePgvector(asking);
  if (pgvector === undefined) return undefined;
  const values: Value[] = [bitsOf(sketchOf(vector)), keyOf(model), ...(names === undefined ? [] : [names])];
  const ask = (sql: string, settings: readonly string[]) => asking.rows<NearRow>(sql, values, { limits, settings });
  const named = names === undefined ? "o.name IS NOT NULL" : "o.name = ANY($3::text[])";
  const scope = `n.repo = ANY(ARRAY(SELECT o.id FROM codecompass.repository o WHERE ${named}))`;
  let rows = await ask(nearest(pgvector, names === undefined ? "true" : scope, ""), BY_INDEX_OF_BITS);
  // Few of the nearest belong to those that are meant, or may be seen: of these all are compared.
  if (chunksOf(rows) < MOST_CHUNKS) rows = await ask(nearest(pgvector, scope, "+ 0"), BY_REPOSITORY);
  // Nothing was added yet: that says nothing of what is there.
  return rows.length === 0 ? undefined : rows.map(({ name }) => name);
}

interface NearRow {
  readonly name: string;
  readonly chunks: number;
}

function chunksOf(rows: readonly NearRow[]): number {
  return rows.reduce((sum, { chunks }) => sum + chunks, 0);
}

/** `plus`: an index of bits is not looked at for a sum. */
function nearest({ schema }: Pgvector, scope: string, plus: "" | "+ 0"): string {
  const far = `(n.bits OPERATOR(${schema}.<~>) $1::bit(${8 * SKETCH_BYTES})) ${plus}`;
  return `WITH c AS MATERIALIZED (SELECT n.repo, ${far} AS far FROM codecompass.near n
      WHERE n.model = $2 AND ${scope} ORDER BY ${far} LIMIT ${MOST_CHUNKS})
    SELECT r.name, count(*)::integer AS chunks FROM c JOIN codecompass.repository r ON r.id = c.repo
    WHERE r.name IS NOT NULL GROUP BY r.name ORDER BY min(c.far), r.name`;
}

/** The index is gone through until so many were found that may be seen, or 20,000 were looked at. */
const BY_INDEX_OF_BITS = [`hnsw.ef_search = ${MOST_CHUNKS}`, "hnsw.iterative_scan = relaxed_order", "jit = off"];
const BY_REPOSITORY = ["enable_seqscan = off", "jit = off"];

function bitsOf(sketch: Uint8Array): string {
  return Array.from(sketch, (byte) => byte.toString(2).padStart(8, "0")).join("");
}

/** Adds what is missing of a repository; of all of them without one. */
export async function addSketches(db: Pick<Db, "rows" | "transaction">, repo?: number): Promise<void> {
  if ((await usablePgvector(db)) === undefined) return;
  const repositories = repo === undefined ? await repositoriesToSketch(db) : [repo];
  await addTo(db, repositories, { lock: NEAR_LOCK, addSome });
}

async function repositoriesToSketch(asking: Pick<Asking, "rows">): Promise<number[]> {
  const sql = `SELECT DISTINCT t.repo FROM codecompass.vectors t WHERE ${UNSKETCHED} ORDER BY t.repo`;
  return (await asking.rows<{ repo: number }>(sql)).map(({ repo }) => repo);
}

const UNSKETCHED = `NOT EXISTS (SELECT 1 FROM codecompass.near n
  WHERE n.repo = t.repo AND n.version = t.version AND n.model = t.model)`;

/** Files whose vectors are in memory at once. */
const FILES_AT_ONCE = 500;
const NEAR_LOCK = 0x43434e52;

/** Of the versions behind `after`; returns the last that it looked at. */
async function addSome(tx: Transaction, repo: number, after: number): Promise<number | undefined> {
  const sql = `SELECT t.version, t.model, b.bytes FROM codecompass.vectors t JOIN codecompass.blob b ON b.key = t.key
    WHERE t.repo = $1 AND t.version > $2 AND ${UNSKETCHED}
    ORDER BY t.version FETCH FIRST ${FILES_AT_ONCE} ROWS WITH TIES`;
  const rows = await tx.rows<VectorRow>(sql, [repo, after], { prepared: "unsketched" });
  if (rows.length > 0) await tx.copy("codecompass.near", "repo, version, model, bits", sketched(repo, rows));
  return rows.at(-1)?.version;
}

interface VectorRow {
  readonly version: number;
  readonly model: string;
  readonly bytes: Buffer;
}

function* sketched(repo: number, rows: readonly VectorRow[]): Generator<Field[]> {
  const length = int4(8 * SKETCH_BYTES);
  for (const { version, model, bytes } of rows) {
    const { dims, rows: vectors } = decodeVectors(bytes);
    const file = [int4(repo), int8(version), text(model)];
    for (let from = 0; from < vectors.length; from += dims)
      yield [...file, Buffer.concat([length, sketchOf(vectors.subarray(from, from + dims))])];
  }
}

export async function forgetNear(tx: Transaction, repo: number): Promise<void> {
  await tx.run(
    `DELETE FROM codecompass.near n WHERE n.repo = $1
      AND NOT EXISTS (SELECT 1 FROM codecompass.file_version v WHERE v.repo = $1 AND v.id = n.version)`,
    [repo],
  );
}
