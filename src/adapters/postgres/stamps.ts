/** What the files of working trees were read as, by the stamp they bore: shared by every view of a tree. */
import type { SkipReason } from "../../model/code.ts";
import type { ContentHash, ProjectId } from "../../model/ids.ts";
import { versionKeyText } from "../../ports/versions.ts";
import type { Stamped } from "../../ports/view.ts";
import { TOGETHER } from "./planner-settings.ts";
import { versionIds } from "./put-batch.ts";
import type { Asking, Transaction } from "./query-interface.ts";
import type { Place } from "./repository.ts";
import { atOrBelow, type Shown } from "./view-state.ts";

interface KnownRow {
  readonly path: string;
  readonly stamp: string;
  readonly skip: SkipReason | null;
  readonly hash: string | null;
  readonly extractor: string | null;
}

/** With the version that each stands for; one that was collected since leaves its stamp without a meaning. */
export async function knownStamps(
  asking: Asking,
  { repo, epoch }: Place,
  tree: ProjectId,
  paths?: readonly string[],
): Promise<Map<string, Stamped>> {
  const some = paths === undefined ? "" : `AND ${atOrBelow("s.path", "$4")}`;
  const sql = `SELECT s.path, s.stamp, s.skip, encode(v.hash, 'hex') AS hash, v.extractor
    FROM codecompass.stamp s LEFT JOIN codecompass.file_version v ON v.repo = $1 AND v.id = s.version
    WHERE s.repo = $1 AND s.epoch = $2 AND s.tree = $3 ${some}`;
  const values = [repo, epoch, tree, ...(paths === undefined ? [] : [paths])];
  const how = paths === undefined ? TOGETHER : {};
  const stamps = new Map<string, Stamped>();
  for (const row of await asking.rows<KnownRow>(sql, values, how)) {
    const { path, stamp, skip, hash, extractor } = row;
    if (skip !== null) stamps.set(path, { path, stamp, skip });
    else if (hash !== null && extractor !== null)
      stamps.set(path, { path, stamp, version: { path, contentHash: hash as ContentHash, extractor } });
  }
  return stamps;
}

/** A version that is not stored is not remembered. */
export async function restamp(
  tx: Transaction,
  place: Place,
  tree: ProjectId,
  stamps: readonly Stamped[],
): Promise<void> {
  const newest = [...new Map(stamps.map((it) => [it.path, it])).values()];
  const ids = await versionIds(
    tx,
    place,
    newest.flatMap((it) => ("version" in it ? [it.version] : [])),
  );
  const rows = newest.flatMap((it) => {
    const version = "version" in it ? ids.get(versionKeyText(it.version)) : undefined;
    const skip = "skip" in it ? it.skip : null;
    return version === undefined && skip === null ? [] : [{ ...it, version: version ?? null, skip }];
  });
  if (rows.length === 0) return;
  await tx.run(
    `INSERT INTO codecompass.stamp (repo, epoch, tree, path, stamp, version, skip)
      SELECT $1, $2, $3, n.path, n.stamp, n.version, n.skip
        FROM unnest($4::text[], $5::text[], $6::bigint[], $7::text[]) AS n (path, stamp, version, skip)
      ON CONFLICT (repo, epoch, tree, path) DO UPDATE
        SET stamp = excluded.stamp, version = excluded.version, skip = excluded.skip`,
    [
      place.repo,
      place.epoch,
      tree,
      rows.map(({ path }) => path),
      rows.map(({ stamp }) => stamp),
      rows.map(({ version }) => version),
      rows.map(({ skip }) => skip),
    ],
  );
  await tx.run(
    `INSERT INTO codecompass.stamped_tree (repo, epoch, tree, revision) VALUES ($1, $2, $3, 1)
      ON CONFLICT (repo, epoch, tree) DO UPDATE SET revision = codecompass.stamped_tree.revision + 1`,
    [place.repo, place.epoch, tree],
  );
}

/** What changes whenever the tree's stamps do. */
export async function stampRevision(asking: Asking, { repo, epoch }: Place, tree: ProjectId): Promise<number> {
  const sql = "SELECT revision FROM codecompass.stamped_tree WHERE repo = $1 AND epoch = $2 AND tree = $3";
  const rows = await asking.rows<{ revision: number }>(sql, [repo, epoch, tree], { prepared: "revision" });
  return rows[0]?.revision ?? 0;
}

/** The stamps under which the tree's files are what the view shows; empty for files that are not known to be. */
export async function stampsOf(
  asking: Asking,
  { repo, epoch }: Place,
  tree: ProjectId,
  { files, skips }: Shown,
): Promise<ReadonlyMap<string, string>> {
  const stamps = new Map<string, string>();
  for (const path of files.keys()) stamps.set(path, "");
  const sql = "SELECT path, stamp, version, skip FROM codecompass.stamp WHERE repo = $1 AND epoch = $2 AND tree = $3";
  type Row = { path: string; stamp: string; version: number | null; skip: SkipReason | null };
  for (const { path, stamp, version, skip } of await asking.rows<Row>(sql, [repo, epoch, tree])) {
    const same = version === null ? skip !== null && skips.get(path) === skip : files.get(path)?.id === version;
    if (same) stamps.set(path, stamp);
  }
  return stamps;
}

/** Stamps whose version is gone, or whose path no view shows. */
export async function forgetStamps(tx: Transaction, { repo, epoch }: Place): Promise<void> {
  const gone = await tx.run(
    `DELETE FROM codecompass.stamp s WHERE s.repo = $1 AND s.epoch = $2 AND CASE
        WHEN s.version IS NOT NULL
          THEN NOT EXISTS (SELECT 1 FROM codecompass.file_version v WHERE v.repo = $1 AND v.id = s.version)
        ELSE NOT EXISTS (SELECT 1 FROM codecompass.view_entry e JOIN codecompass.view w ON w.repo = $1 AND w.id = e.view
          WHERE e.repo = $1 AND e.path = s.path AND e.closed IS NULL AND w.epoch = $2) END`,
    [repo, epoch],
  );
  const sql = "UPDATE codecompass.stamped_tree SET revision = revision + 1 WHERE repo = $1 AND epoch = $2";
  if (gone > 0) await tx.run(sql, [repo, epoch]);
}
