/**
 * What the files of working trees were read as, by the stamp they bore. Most of a large tree's stamps are in one blob; the
 * rows of the table are those that came later.
 */
import type { SkipReason } from "../../model/code.ts";
import type { ProjectId } from "../../model/ids.ts";
import type { StampRow } from "../../ports/backend.ts";
import { CorruptionError } from "../../segment/bytes.ts";
import { packColumns, unpackColumns } from "../../segment/column-blobs.ts";
import type { Connection } from "./connection.ts";
import { checksum } from "./rows.ts";

/** Fewer stamps are as quickly read from their rows. */
const WORTH_PACKING = 512;

/** A damaged row is no knowledge, nor is a damaged pack: their files are read again. */
export function readStamps(db: Connection, tree: ProjectId): readonly StampRow[] {
  const later = laterRows(db, tree);
  const packed = readPack(db, tree);
  if (later.size === 0) return packed;
  const rows = packed.filter(({ path }) => !later.has(path));
  for (const row of later.values()) if (row !== undefined) rows.push(row);
  return rows;
}

/** Inside a write transaction. */
export function writeStamps(db: Connection, tree: ProjectId, stamps: readonly StampRow[]): void {
  const { count } = db.get<{ count: number }>("SELECT count(*) AS count FROM stamp WHERE tree = ?", tree)!;
  if (count + stamps.length >= WORTH_PACKING) {
    const all = new Map([...readStamps(db, tree), ...stamps].map((row) => [row.path, row]));
    writePack(db, tree, [...all.values()]);
    requireReadable(stamps, readStamps(db, tree));
    return;
  }
  const sql = "INSERT OR REPLACE INTO stamp (tree, path, stamp, version, skip, checksum) VALUES (?, ?, ?, ?, ?, ?)";
  for (const { path, stamp, version, skip } of stamps)
    db.run(sql, tree, path, stamp, version, skip, checksum(tree, path, stamp, version, skip));
  requireReadable(stamps, laterRows(db, tree).values());
}

/**
 * A row whose key is damaged ends the scan of its tree: the rows behind it cannot be read or deleted, and neither can those
 * that are written in their place. Their files would stay stale forever.
 */
function requireReadable(written: readonly StampRow[], read: Iterable<StampRow | undefined>): void {
  const stampOf = new Map<string, string>();
  for (const row of read) if (row !== undefined) stampOf.set(row.path, row.stamp);
  const lost = written.find(({ path, stamp }) => stampOf.get(path) !== stamp);
  if (lost !== undefined) throw new CorruptionError(`the stamp of ${lost.path} cannot be read back`);
}

/** Removes stamps whose version is gone, or whose path no view shows. Inside a write transaction. */
export function collectStamps(db: Connection): void {
  const versions = new Set(db.arrays<[number]>("SELECT id FROM file_version").map(([id]) => id));
  const paths = new Set(db.arrays<[string]>("SELECT path FROM view_entry WHERE closed IS NULL").map(([path]) => path));
  for (const [tree] of db.arrays<[ProjectId]>("SELECT tree FROM stamp UNION SELECT tree FROM stamp_pack")) {
    const all = readStamps(db, tree);
    const used = all.filter(({ path, version }) => (version === null ? paths.has(path) : versions.has(version)));
    if (used.length < all.length) writePack(db, tree, used);
  }
}

type StoredStamp = StampRow & { readonly checksum: number };

/** By path; undefined for a damaged row. */
function laterRows(db: Connection, tree: ProjectId): Map<string, StampRow | undefined> {
  const rows = db.all<StoredStamp>("SELECT path, stamp, version, skip, checksum FROM stamp WHERE tree = ?", tree);
  return new Map(
    rows.map(({ checksum: sum, ...row }) => {
      const { path, stamp, version, skip } = row;
      const isWhole = checksum(tree, path, stamp, version, skip) === sum && (version ?? skip) !== null;
      return [path, isWhole ? row : undefined];
    }),
  );
}

/** In place of the tree's rows. Skips have no version; their reasons are few and are listed apart. */
function writePack(db: Connection, tree: ProjectId, stamps: readonly StampRow[]): void {
  const skips = stamps.flatMap(({ skip }, at) => (skip === null ? [] : [[at, skip] as const]));
  const bytes = packColumns({
    meta: { tree, skips },
    texts: [stamps.map(({ path }) => path), stamps.map(({ stamp }) => stamp)],
    words: [Uint32Array.from(stamps, ({ version }) => version ?? 0)],
  });
  db.run("INSERT OR REPLACE INTO stamp_pack (tree, bytes) VALUES (?, ?)", tree, bytes);
  db.run("DELETE FROM stamp WHERE tree = ?", tree);
}

/** The pack that was read last: a checkout reads it again and again, and 7,000 stamps took 10 ms each time. */
let last: { readonly tree: ProjectId; readonly bytes: Uint8Array; readonly rows: StampRow[] } | undefined;

function readPack(db: Connection, tree: ProjectId): StampRow[] {
  const row = db.get<{ bytes: Uint8Array }>("SELECT bytes FROM stamp_pack WHERE tree = ?", tree);
  if (row === undefined) return [];
  const { bytes } = row;
  if (last?.tree !== tree || !isSame(last.bytes, bytes)) last = { tree, bytes, rows: unpacked(bytes, tree) };
  return last.rows;
}

/** What is damaged may be no bytes at all. */
function isSame(one: unknown, other: unknown): boolean {
  return one instanceof Uint8Array && other instanceof Uint8Array && Buffer.compare(one, other) === 0;
}

function unpacked(bytes: Uint8Array, tree: ProjectId): StampRow[] {
  try {
    const { meta, texts, words } = unpackColumns(bytes);
    const { tree: owner, skips } = meta as { tree: ProjectId; skips: [number, SkipReason][] };
    if (owner !== tree) return [];
    const skipAt = new Map(skips);
    const [paths, stamps] = texts as [string[], string[]];
    const [versions] = words as [Uint32Array];
    return stamps.map((stamp, at) => {
      const skip = skipAt.get(at) ?? null;
      return { path: paths[at]!, stamp, version: skip === null ? versions[at]! : null, skip };
    });
  } catch {
    return [];
  }
}
