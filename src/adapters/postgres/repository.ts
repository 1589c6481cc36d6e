/** The row of a repository: what a location means in the shared store, and which of its epochs is read. */
import { SCHEMA_VERSION } from "../../engine/store.ts";
import { SchemaMismatch } from "../../ports/backend.ts";
import { CorruptionError } from "../../segment/bytes.ts";
import { REPOSITORIES_PER_NODE } from "./data-nodes.ts";
import { damaged } from "./failures.ts";
import type { Queryable, Transaction } from "./queryable.ts";

export interface Repository {
  readonly id: number;
  /**
   * Generated with the row. Numbers of repositories start again in a new database, those of versions and
   * segments in every repository; what is remembered of them is remembered under this.
   */
  readonly uid: string;
  readonly epoch: number;
  readonly schema_version: number;
}

export interface EpochAddress {
  readonly repo: number;
  readonly epoch: number;
}

/** Identifies a repository on every machine. */
export interface RepositoryName {
  readonly key: string;
  /** For people; undefined for a tree that only this machine knows. */
  readonly name?: string;
}

export interface NewRepository extends RepositoryName {
  /** The project that its symbol ids are made from. */
  readonly project: string;
}

/** The uid of the row `r`. Tables of the release before lack the column; they are still read, as one unnamed incarnation. */
export const UID = "coalesce(to_jsonb(r) ->> 'uid', '') AS uid";
const COLUMNS = `id, ${UID}, epoch, schema_version`;

export async function findRepository(queryable: Queryable, key: string): Promise<Repository | undefined> {
  const sql = `SELECT ${COLUMNS} FROM codecompass.repository r WHERE key = $1`;
  const [row] = await queryable.rows<Repository>(sql, [key], { prepared: "repository" });
  return row;
}

/**
 * Asked before what was not found is remembered as absent: facts, or the vectors of a model. They may be lost, or the
 * repository was removed, or a principal lost its rights, since the request began.
 */
export async function requireAbsent(
  queryable: Queryable,
  repo: number,
  versions: readonly number[],
  model: string | undefined,
): Promise<void> {
  const wasStored = model === undefined ? "v.facts_key IS NOT NULL" : "to_jsonb(v) ->> 'embedded' = $3";
  const sql = `SELECT (SELECT v.path FROM codecompass.file_version v WHERE v.repo = r.id AND v.id = ANY($2) AND ${wasStored} LIMIT 1)
      AS lost FROM codecompass.repository r WHERE r.id = $1`;
  const values = [repo, versions, ...(model === undefined ? [] : [model])];
  const [row] = await queryable.rows<{ lost: string | null }>(sql, values, { prepared: "absent" });
  if (row === undefined) throw damaged("the repository was removed, or the rights to it ended, while it was read");
  if (row.lost !== null)
    throw new CorruptionError(`the ${model === undefined ? "facts" : "vectors"} of ${row.lost} are missing`);
}

export async function ensureRepository(tx: Transaction, { key, name, project }: NewRepository): Promise<Repository> {
  const known = await findRepository(tx, key);
  if (known !== undefined) return known;
  const values = [key, name ?? null, project, SCHEMA_VERSION];
  const id = (await newIdOnNode(tx)) ?? (await formerId(tx, key));
  const sql =
    id === undefined
      ? `INSERT INTO codecompass.repository (key, name, ids_project, schema_version) VALUES ($1, $2, $3, $4)
          ON CONFLICT (key) DO NOTHING`
      : `INSERT INTO codecompass.repository (id, key, name, ids_project, schema_version) OVERRIDING SYSTEM VALUE
          VALUES (${id}, $1, $2, $3, $4) ON CONFLICT (key) DO NOTHING`;
  await tx.run(sql, values);
  return (await findRepository(tx, key))!;
}

/** The lease of the removed repository was kept: its tokens continue, so that no earlier writer can publish. */
async function formerId(tx: Transaction, key: string): Promise<number | undefined> {
  const sql = `DELETE FROM codecompass.former_repository WHERE key = $1 AND id < ${REPOSITORIES_PER_NODE} RETURNING id`;
  return (await tx.rows<{ id: number }>(sql, [key], { prepared: "former_repository" }))[0]?.id;
}

/** On the data node with the fewest bytes; undefined without nodes: the content stays in the store itself. */
async function newIdOnNode(tx: Transaction): Promise<number | undefined> {
  const sql = `UPDATE codecompass.node SET last_repository = last_repository + 1 WHERE id = (
      SELECT n.id FROM codecompass.node n WHERE n.accepts_repositories ORDER BY (
        SELECT coalesce(sum(r.bytes), 0) FROM codecompass.repository r WHERE r.id / ${REPOSITORIES_PER_NODE} = n.id
      ), n.id LIMIT 1)
    RETURNING id * ${REPOSITORIES_PER_NODE} + last_repository AS id`;
  return (await tx.rows<{ id: number }>(sql, [], { prepared: "repository_node" }))[0]?.id;
}

export async function setDefaultRef(tx: Transaction, repo: number, ref: string): Promise<void> {
  const sql = "UPDATE codecompass.repository SET default_ref = $2 WHERE id = $1 AND default_ref IS DISTINCT FROM $2";
  await tx.run(sql, [repo, ref], { prepared: "default" });
}

/** Throws `SchemaMismatch` for what another release made. */
export function requireSchema({ schema_version: version }: Pick<Repository, "schema_version">): void {
  if (version !== SCHEMA_VERSION) throw new SchemaMismatch(version);
}

/** A state that is filled unseen and then switched to. */
export async function newEpoch(tx: Transaction, repo: number): Promise<number> {
  const [row] = await tx.rows<{ epoch: number }>(
    "UPDATE codecompass.repository SET last_epoch = last_epoch + 1 WHERE id = $1 RETURNING last_epoch AS epoch",
    [repo],
  );
  await tx.run("INSERT INTO codecompass.epoch (repo, id) VALUES ($1, $2)", [repo, row!.epoch]);
  return row!.epoch;
}

/** Makes the epoch the one that is read; what was read before is garbage from now on. */
export async function switchEpoch(tx: Transaction, { repo, epoch }: EpochAddress, now: number): Promise<void> {
  await tx.run(
    `INSERT INTO codecompass.epoch (repo, id, retired_at) SELECT id, epoch, $2 FROM codecompass.repository WHERE id = $1
      ON CONFLICT (repo, id) DO UPDATE SET retired_at = excluded.retired_at`,
    [repo, now],
  );
  const sql = "UPDATE codecompass.repository SET epoch = $2, schema_version = $3 WHERE id = $1";
  await tx.run(sql, [repo, epoch, SCHEMA_VERSION]);
}

export async function repositoryBytes(queryable: Queryable, key: string): Promise<number> {
  const sql = "SELECT bytes FROM codecompass.repository WHERE key = $1";
  return (await queryable.rows<{ bytes: number }>(sql, [key]))[0]?.bytes ?? 0;
}
