/** Removes what no view shows and no reader may still hold; and epochs, or a whole repository. */
import { OF_A_REPOSITORY } from "./access-tables.ts";
import { forgetBlobs, measureBlobs } from "./blobs.ts";
import { SUMS_ON_NODES } from "./planner-settings.ts";
import type { Transaction } from "./queryable.ts";
import type { EpochAddress } from "./repository.ts";
import { forgetFindable, rewriteFindable } from "./term-index.ts";

export interface CollectOptions {
  readonly place: EpochAddress;
  /** What was replaced or stored after this moment stays. */
  readonly before: number;
  /** By view: the oldest generation that a snapshot of this process shows. */
  readonly pinned: ReadonlyMap<number, number>;
  /** Epochs that are read in this process. */
  readonly epochs: readonly number[];
}

/** Inside one transaction. Returns how many versions went away. */
export async function collectGarbage(tx: Transaction, options: CollectOptions): Promise<number> {
  const { place, before } = options;
  await removeOldEpochs(tx, options);
  await removeClosedEntries(tx, options);
  const removed = await removeVersions(tx, place, before);
  await removeStamps(tx, place);
  await forgetBlobs(tx, place.repo);
  if (removed > 0) await rewriteFindable(tx, place);
  return removed;
}

/** States that a rebuild or an import replaced, and what a killed one left. */
async function removeOldEpochs(tx: Transaction, { place, before, epochs }: CollectOptions): Promise<void> {
  const { repo, epoch } = place;
  const sql = `SELECT id FROM codecompass.epoch WHERE repo = $1 AND id <> $2 AND (retired_at IS NULL OR retired_at <= $3)
    AND id <> ALL($4)`;
  const gone = await tx.rows<{ id: number }>(sql, [repo, epoch, before, epochs]);
  for (const { id } of gone) await removeEpoch(tx, { repo, epoch: id });
}

export async function removeEpoch(tx: Transaction, { repo, epoch }: EpochAddress): Promise<void> {
  const sql = "DELETE FROM codecompass.segment WHERE repo = $1 AND epoch = $2 RETURNING id";
  const segments = await tx.rows<{ id: number }>(sql, [repo, epoch]);
  const ids = segments.map(({ id }) => id);
  await removeParts(tx, repo, ids);
  for (const table of ["view", "file_version", "stamp", "stamped_tree"])
    await tx.run(`DELETE FROM codecompass.${table} WHERE repo = $1 AND epoch = $2`, [repo, epoch]);
  await tx.run("DELETE FROM codecompass.epoch WHERE repo = $1 AND id = $2", [repo, epoch]);
  for (const owner of ["view", "file_version"] as const) await removeOrphans(tx, repo, owner);
  await forgetFindable(tx, repo);
}

/** By the table of what they belong to. */
const OWNED = {
  view: { column: "view", tables: ["view_entry", "publication", "view_pack"] },
  file_version: { column: "version", tables: ["vectors"] },
};

/**
 * A condition that compares with rows of the store itself would not be sent to a data node: the node would learn where the
 * rows lie, which means other rows in each of its own partitions.
 */
export async function removeParts(tx: Transaction, repo: number, segments: readonly number[]): Promise<void> {
  await tx.run("DELETE FROM codecompass.segment_part WHERE repo = $1 AND segment = ANY($2)", [repo, segments]);
}

/** Rows of what is gone. */
export async function removeOrphans(tx: Transaction, repo: number, owner: keyof typeof OWNED): Promise<void> {
  const { column, tables } = OWNED[owner];
  for (const table of tables)
    await tx.run(
      `DELETE FROM codecompass.${table} t WHERE t.repo = $1
        AND NOT EXISTS (SELECT 1 FROM codecompass.${owner} o WHERE o.repo = $1 AND o.id = t.${column})`,
      [repo],
    );
}

/** Generations that were replaced long ago, unless a snapshot or a view over them still shows them. */
async function removeClosedEntries(tx: Transaction, { place, before, pinned }: CollectOptions): Promise<void> {
  const { repo, epoch } = place;
  const sql = `SELECT w.id,
      (SELECT max(p.generation) FROM codecompass.publication p
        WHERE p.repo = $1 AND p.view = w.id AND p.published_at <= $3) AS settled,
      (SELECT min(o.base_generation) FROM codecompass.view o WHERE o.repo = $1 AND o.base_view = w.id) AS base_of
    FROM codecompass.view w WHERE w.repo = $1 AND w.epoch = $2`;
  type Row = { id: number; settled: number | null; base_of: number | null };
  for (const { id, settled, base_of } of await tx.rows<Row>(sql, [repo, epoch, before])) {
    const newest = settled ?? 0;
    const until = Math.min(newest, pinned.get(id) ?? newest, base_of ?? newest);
    const at = [repo, id, until];
    await tx.run("DELETE FROM codecompass.view_entry WHERE repo = $1 AND view = $2 AND closed <= $3", at);
    await tx.run("DELETE FROM codecompass.publication WHERE repo = $1 AND view = $2 AND generation < $3", at);
  }
}

async function removeVersions(tx: Transaction, { repo, epoch }: EpochAddress, before: number): Promise<number> {
  const removed = await tx.run(
    `DELETE FROM codecompass.file_version v WHERE v.repo = $1 AND v.epoch = $2 AND v.created_at <= $3
      AND NOT EXISTS (SELECT 1 FROM codecompass.view_entry e WHERE e.repo = $1 AND e.version = v.id)`,
    [repo, epoch, before],
  );
  if (removed === 0) return 0;
  await removeOrphans(tx, repo, "file_version");
  await forgetFindable(tx, repo);
  return removed;
}

/** Stamps whose version is gone, or whose path no view shows. */
async function removeStamps(tx: Transaction, { repo, epoch }: EpochAddress): Promise<void> {
  const removed = await tx.run(
    `DELETE FROM codecompass.stamp s WHERE s.repo = $1 AND s.epoch = $2 AND CASE
        WHEN s.version IS NOT NULL
          THEN NOT EXISTS (SELECT 1 FROM codecompass.file_version v WHERE v.repo = $1 AND v.id = s.version)
        ELSE NOT EXISTS (SELECT 1 FROM codecompass.view_entry e JOIN codecompass.view w ON w.repo = $1 AND w.id = e.view
          WHERE e.repo = $1 AND e.path = s.path AND e.closed IS NULL AND w.epoch = $2) END`,
    [repo, epoch],
  );
  const sql = "UPDATE codecompass.stamped_tree SET revision = revision + 1 WHERE repo = $1 AND epoch = $2";
  if (removed > 0) await tx.run(sql, [repo, epoch]);
}

/** What the repository holds, as bytes; content that forks share counts for each of them. */
export async function measureRepository(tx: Transaction, repo: number): Promise<void> {
  const sql = "SELECT sum(octet_length(bytes)) AS bytes FROM codecompass.segment_part WHERE repo = $1 GROUP BY repo";
  const [parts] = await tx.rows<{ bytes: number }>(sql, [repo], SUMS_ON_NODES);
  const bytes = (await measureBlobs(tx, repo)) + (parts?.bytes ?? 0);
  await tx.run("UPDATE codecompass.repository SET bytes = $2 WHERE id = $1", [repo, bytes]);
}

/** The lease keeps others out until the end, and stays: see `formerId`. */
const LAST: ReadonlySet<string> = new Set(["holding", "lease"]);

export async function removeRepository(tx: Transaction, repo: number): Promise<void> {
  for (const table of OF_A_REPOSITORY)
    if (!LAST.has(table)) await tx.run(`DELETE FROM codecompass.${table} WHERE repo = $1`, [repo]);
  await forgetBlobs(tx, repo);
  await tx.run("UPDATE codecompass.lease SET pid = NULL WHERE repo = $1", [repo]);
  await tx.run(
    `INSERT INTO codecompass.former_repository (key, id) SELECT key, id FROM codecompass.repository WHERE id = $1
      ON CONFLICT (key) DO UPDATE SET id = excluded.id`,
    [repo],
  );
  await tx.run("DELETE FROM codecompass.repository WHERE id = $1", [repo]);
}
