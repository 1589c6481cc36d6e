/** What a writer need not read again: the entries of its view or base, versions by their blobs, versions by their keys. */
import type { SkipReason } from "../../model/code.ts";
import type { ContentHash } from "../../model/ids.ts";
import type { Build } from "../../ports/build.ts";
import { type VersionKey, versionKeyText } from "../../ports/versions.ts";
import type { ViewEntry } from "../../ports/view.ts";
import type { Connection } from "./connection.ts";
import { baseFor, versionId } from "./publish.ts";
import { bytesOfHex } from "./put-batch.ts";
import { fileOf, VERSION_COLUMNS, type VersionRow, VIEW_COLUMNS, type ViewRow } from "./rows.ts";

type EntryRow = readonly [path: string, skip: SkipReason | null, hash: ContentHash | null, extractor: string];

const ENTRIES = `SELECT e.path, e.skip, v.hash, v.extractor FROM view_entry e LEFT JOIN file_version v ON v.id = e.version
  WHERE e.view = ? AND e.opened <= ? AND (e.closed IS NULL OR e.closed > ?)`;

/**
 * A path, and what lies below it; `0` comes after `/`. Two questions, because SQLite answers their `OR` by looking at
 * every entry of the view: 50 paths of Django's tree took 475 ms, and take 1.
 */
const AT = " AND e.path = ?";
const BELOW = " AND e.path >= ? AND e.path < ?";
/** More paths than this are quicker found by reading all: some 7,000 entries take as long as a thousand look-ups. */
const FEW_PATHS = 256;

/** What the view shows now; a new one begins with what its base shows. */
export function entriesOf(
  db: Connection,
  ref: string,
  base: string | undefined,
  paths?: readonly string[],
): ReadonlyMap<string, ViewEntry> {
  const row = db.get<ViewRow>(`SELECT ${VIEW_COLUMNS} FROM view WHERE ref = ?`, ref) ?? baseFor(db, base);
  const entries = new Map<string, ViewEntry>();
  if (row === undefined) return entries;
  if (row.base_view !== null) addEntries(entries, rowsOf(db, row.base_view, row.base_generation!, paths));
  addEntries(entries, rowsOf(db, row.id, row.generation, paths));
  return entries;
}

function rowsOf(db: Connection, view: number, generation: number, paths: readonly string[] | undefined): EntryRow[] {
  const at = [view, generation, generation];
  if (paths === undefined || paths.length > FEW_PATHS) return db.arrays<EntryRow>(ENTRIES, ...at);
  return paths.flatMap((given) => {
    const path = given.replace(/\/+$/, "");
    const below = db.arrays<EntryRow>(ENTRIES + BELOW, ...at, `${path}/`, `${path}0`);
    return [...db.arrays<EntryRow>(ENTRIES + AT, ...at, path), ...below];
  });
}

function addEntries(to: Map<string, ViewEntry>, rows: readonly EntryRow[]): void {
  for (const [path, skip, contentHash, extractor] of rows) {
    if (skip !== null) to.set(path, { path, skip });
    else if (contentHash !== null) to.set(path, { path, version: { path, contentHash, extractor } });
    else to.delete(path);
  }
}

export function recalled(db: Connection, blobs: Blobs, extractor: string): ReadonlyMap<string, VersionKey> {
  const sql = `SELECT ${VERSION_COLUMNS} FROM file_version WHERE blob = ? AND path = ? AND extractor = ?`;
  const found = new Map<string, VersionKey>();
  for (const { path, blob } of blobs) {
    const row = db.get<VersionRow>(sql, bytesOfHex(blob), path, extractor);
    if (row !== undefined) found.set(path, { path, contentHash: fileOf(row).contentHash, extractor });
  }
  return found;
}

type Blobs = Parameters<Build["recall"]>[0];

export function knownOf(db: Connection, keys: readonly VersionKey[]): ReadonlySet<string> {
  return new Set(keys.filter((key) => versionId(db, key) !== undefined).map(versionKeyText));
}

export function extractorOfVersion(db: Connection, id: number): string | undefined {
  return db.get<{ extractor: string }>("SELECT extractor FROM file_version WHERE id = ?", id)?.extractor;
}
