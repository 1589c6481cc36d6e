/** Forgets what no view shows and no reader may still hold, and rewrites segments that are mostly dead. */
import type { GcReport } from "../../ports/store.ts";
import { forgetBlobs, measureBlobs } from "./blobs.ts";
import { removeSegments, replaceSegments, settleSegments } from "./merging.ts";
import type { Pinned } from "./pinned-views.ts";
import { SUMS_ON_NODES } from "./planner-settings.ts";
import type { Transaction } from "./query-interface.ts";
import type { Place } from "./repository.ts";
import { wordsOf } from "./segments.ts";
import { forgetStamps } from "./stamps.ts";
import { forgetFindable, rewriteFindable } from "./term-index.ts";

/** A reader in another process may hold a state for this long after it was replaced. */
const GRACE_MS = 10 * 60_000;
/** A segment with less than this part of its files alive is rewritten. */
const MOSTLY_DEAD = 0.5;

export interface GcOptions {
  readonly place: Place;
  readonly now: number;
  /** What snapshots of this process hold. */
  readonly pinned: Pinned;
}

/** Inside one transaction. */
export async function collectGarbage(tx: Transaction, it: GcOptions): Promise<Omit<GcReport, "bytesFreed">> {
  const { place, now } = it;
  await forgetEpochs(tx, it);
  await forgetClosedRows(tx, it);
  const versionsRemoved = await forgetVersions(tx, place, now);
  await forgetStamps(tx, place);
  await forgetBlobs(tx, place.repo);
  const segmentsMerged = (await rewriteDead(tx, place)) + (await settleSegments(tx, place));
  if (versionsRemoved > 0) await rewriteFindable(tx, place);
  await measure(tx, place.repo);
  return { versionsRemoved, segmentsMerged };
}

/** States that a rebuild or an import replaced, and what a killed one left. */
async function forgetEpochs(tx: Transaction, { place: { repo, epoch }, now, pinned }: GcOptions): Promise<void> {
  const sql = `DELETE FROM codecompass.epoch WHERE repo = $1 AND id <> $2 AND (retired_at IS NULL OR retired_at <= $3)
    AND id <> ALL($4) RETURNING id`;
  const gone = await tx.rows<{ id: number }>(sql, [repo, epoch, now - GRACE_MS, [...pinned.epochs]]);
  for (const { id } of gone) await removeEpoch(tx, { repo, epoch: id });
}

export async function removeEpoch(tx: Transaction, { repo, epoch }: Place): Promise<void> {
  const at = [repo, epoch];
  for (const table of ["view_entry", "publication"]) {
    await tx.run(
      `DELETE FROM codecompass.${table} WHERE repo = $1
        AND view IN (SELECT id FROM codecompass.view WHERE repo = $1 AND epoch = $2)`,
      at,
    );
  }
  await tx.run(
    `DELETE FROM codecompass.vectors WHERE repo = $1
      AND version IN (SELECT id FROM codecompass.file_version WHERE repo = $1 AND epoch = $2)`,
    at,
  );
  const segments = await tx.rows<{ id: number }>(
    "SELECT id FROM codecompass.segment WHERE repo = $1 AND epoch = $2",
    at,
  );
  await removeSegments(
    tx,
    repo,
    segments.map(({ id }) => id),
  );
  for (const table of ["view", "file_version", "stamp", "stamped_tree"])
    await tx.run(`DELETE FROM codecompass.${table} WHERE repo = $1 AND epoch = $2`, at);
  await forgetFindable(tx, repo);
}

/** Generations that were replaced long ago, unless a snapshot or a view over them still shows them. */
async function forgetClosedRows(tx: Transaction, { place: { repo, epoch }, now, pinned }: GcOptions): Promise<void> {
  const sql = `SELECT w.id,
      (SELECT max(p.generation) FROM codecompass.publication p
        WHERE p.repo = $1 AND p.view = w.id AND p.published_at <= $3) AS settled,
      (SELECT min(o.base_generation) FROM codecompass.view o WHERE o.repo = $1 AND o.base_view = w.id) AS base_of
    FROM codecompass.view w WHERE w.repo = $1 AND w.epoch = $2`;
  type Row = { id: number; settled: number | null; base_of: number | null };
  for (const { id, settled, base_of } of await tx.rows<Row>(sql, [repo, epoch, now - GRACE_MS])) {
    const newest = settled ?? 0;
    const until = Math.min(newest, pinned.views.get(id) ?? newest, base_of ?? newest);
    const at = [repo, id, until];
    await tx.run("DELETE FROM codecompass.view_entry WHERE repo = $1 AND view = $2 AND closed <= $3", at);
    await tx.run("DELETE FROM codecompass.publication WHERE repo = $1 AND view = $2 AND generation < $3", at);
  }
}

async function forgetVersions(tx: Transaction, { repo, epoch }: Place, now: number): Promise<number> {
  const gone = await tx.run(
    `DELETE FROM codecompass.file_version v WHERE v.repo = $1 AND v.epoch = $2 AND v.created_at <= $3
      AND NOT EXISTS (SELECT 1 FROM codecompass.view_entry e WHERE e.repo = $1 AND e.version = v.id)`,
    [repo, epoch, now - GRACE_MS],
  );
  if (gone === 0) return 0;
  await tx.run(
    `DELETE FROM codecompass.vectors t WHERE t.repo = $1
      AND NOT EXISTS (SELECT 1 FROM codecompass.file_version v WHERE v.repo = $1 AND v.id = t.version)`,
    [repo],
  );
  await forgetFindable(tx, repo);
  return gone;
}

async function rewriteDead(tx: Transaction, place: Place): Promise<number> {
  const { repo, epoch } = place;
  const alive = new Set(
    (
      await tx.rows<{ id: number }>("SELECT id FROM codecompass.file_version WHERE repo = $1 AND epoch = $2", [
        repo,
        epoch,
      ])
    ).map(({ id }) => id),
  );
  const sql = "SELECT id, versions FROM codecompass.segment WHERE repo = $1 AND epoch = $2";
  const rows = await tx.rows<{ id: number; versions: Buffer }>(sql, [repo, epoch]);
  const dead = rows.filter(({ versions }) => {
    const words = wordsOf(versions);
    return words.filter((version) => alive.has(version)).length < words.length * MOSTLY_DEAD;
  });
  for (const segment of dead) await replaceSegments(tx, place, [segment]);
  return dead.length;
}

/** What the repository holds, as bytes; content that forks share counts for each of them. */
async function measure(tx: Transaction, repo: number): Promise<void> {
  const sql = "SELECT sum(octet_length(bytes)) AS bytes FROM codecompass.segment_part WHERE repo = $1 GROUP BY repo";
  const [parts] = await tx.rows<{ bytes: number }>(sql, [repo], SUMS_ON_NODES);
  const bytes = (await measureBlobs(tx, repo)) + (parts?.bytes ?? 0);
  await tx.run("UPDATE codecompass.repository SET bytes = $2 WHERE id = $1", [repo, bytes]);
}
