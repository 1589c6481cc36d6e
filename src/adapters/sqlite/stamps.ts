/** What the files of working trees were read as, by the stamp they bore: shared by every view of a tree. */
import type { SkipReason } from "../../model/code.ts";
import type { ContentHash, ProjectId } from "../../model/ids.ts";
import type { Stamped } from "../../ports/store.ts";
import type { Connection } from "./connection.ts";
import { versionId } from "./publish.ts";
import { checksum, fileOf, type IndexedFile, VERSION_COLUMNS, type VersionRow } from "./rows.ts";
import type { ViewState } from "./view-state.ts";

type StampRow = readonly [path: string, stamp: string, version: number | null, skip: SkipReason | null, sum: number];

/** With the version that each stands for; one that was collected since leaves its stamp without a meaning. */
export function knownStamps(db: Connection, tree: ProjectId): ReadonlyMap<string, Stamped> {
  const stamps = new Map<string, Stamped>();
  for (const [path, stamp, version, skip] of wholeRows(db, tree)) {
    if (skip !== null) stamps.set(path, { path, stamp, skip });
    else if (version !== null) {
      const key = keyOf(db, version);
      if (key?.path === path) stamps.set(path, { path, stamp, version: key });
    }
  }
  return stamps;
}

/** Inside a write transaction. A version that is not stored is not remembered. */
export function restamp(db: Connection, tree: ProjectId, stamps: readonly Stamped[]): void {
  const sql = "INSERT OR REPLACE INTO stamp (tree, path, stamp, version, skip, checksum) VALUES (?, ?, ?, ?, ?, ?)";
  for (const stamped of stamps) {
    const { path, stamp } = stamped;
    const skip = "skip" in stamped ? stamped.skip : null;
    const version = "skip" in stamped ? null : (versionId(db, stamped.version) ?? null);
    db.run(sql, tree, path, stamp, version, skip, checksum(tree, path, stamp, version, skip));
  }
}

/** The stamps under which the tree's files are what the view shows; empty for files that are not known to be. */
export function stampsOf(db: Connection, tree: ProjectId, { files, skips }: ViewState): ReadonlyMap<string, string> {
  const stamps = new Map<string, string>();
  for (const path of files.keys()) stamps.set(path, "");
  for (const [path, stamp, version, skip] of wholeRows(db, tree)) {
    const same = skip === null ? files.get(path)?.id === version : skips.get(path) === skip;
    if (same) stamps.set(path, stamp);
  }
  return stamps;
}

/** Stamps whose version is gone, or whose path no view shows. Inside a write transaction. */
export function forgetStamps(db: Connection): void {
  db.run("DELETE FROM stamp WHERE skip IS NULL AND version NOT IN (SELECT id FROM file_version)");
  db.run("DELETE FROM stamp WHERE skip IS NOT NULL AND path NOT IN (SELECT path FROM view_entry WHERE closed IS NULL)");
}

/** A damaged row is no knowledge: its file is read again. */
function wholeRows(db: Connection, tree: ProjectId): StampRow[] {
  const rows = db.arrays<StampRow>("SELECT path, stamp, version, skip, checksum FROM stamp WHERE tree = ?", tree);
  return rows.filter(([path, stamp, version, skip, sum]) => checksum(tree, path, stamp, version, skip) === sum);
}

function keyOf(
  db: Connection,
  version: number,
): { path: string; contentHash: ContentHash; extractor: string } | undefined {
  const row = db.get<VersionRow>(`SELECT ${VERSION_COLUMNS} FROM file_version WHERE id = ?`, version);
  if (row === undefined) return undefined;
  const { path, contentHash }: IndexedFile = fileOf(row);
  return { path, contentHash, extractor: row.extractor };
}
