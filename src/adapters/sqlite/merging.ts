/** Replaces several segments by one without the files that nothing needs any more. */

import { dueForMerge, dueForSettling, type SegmentSize } from "../../engine/merge-policy.ts";
import { cutIntoParts, readHead } from "../../segment/format.ts";
import { mergeSegments } from "../../segment/merge.ts";
import { openSegment } from "../../segment/read.ts";
import type { Connection } from "./connection.ts";
import { keepingOf, packPart } from "./segment-compression.ts";
import { bytesOf, readSegment, segmentChecksum, wordsOf } from "./segments.ts";

/** Merges until the tiers are in order. Returns how many segments went away. Inside a write transaction. */
export function tidySegments(db: Connection, mostChunks: number): number {
  let merged = 0;
  for (let due = dueForMerge(sizes(db), mostChunks); due.length > 0; due = dueForMerge(sizes(db), mostChunks)) {
    merged += replaceSegments(db, due);
  }
  return merged;
}

/** As `tidySegments`, when there is time. */
export function settleSegments(db: Connection): number {
  return tidySegments(db, Number.POSITIVE_INFINITY) + replaceSegments(db, dueForSettling(sizes(db)));
}

/** One segment in place of these, or none when no file of theirs is left. Returns how many went away. */
export function replaceSegments(db: Connection, segments: readonly Pick<SegmentSize, "id">[]): number {
  const ids = segments.map(({ id }) => id);
  const alive = (version: number) =>
    version !== 0 && db.get("SELECT 1 FROM file_version WHERE id = ?", version) !== undefined;
  const inputs = ids.map((id) => {
    const row = db.get<{ versions: Uint8Array; checksum: number }>(
      "SELECT versions, checksum FROM segment WHERE id = ?",
      id,
    )!;
    const versions = wordsOf(row.versions);
    const kept = Array.from(versions, alive);
    return { segment: readSegment(db, id, { versions, checksum: row.checksum }), versions, kept };
  });
  const versions = inputs.flatMap(({ versions, kept }) => [...versions].filter((_, at) => kept[at]));
  if (versions.length > 0) {
    const bytes = mergeSegments(inputs.map(({ segment, kept }) => ({ segment, keep: (file) => kept[file]! })));
    insertSegment(db, Uint32Array.from(versions), bytes, () => isAside(db, versions));
  }
  for (const id of ids) {
    db.run("DELETE FROM segment WHERE id = ?", id);
    db.run("DELETE FROM segment_part WHERE segment = ?", id);
  }
  return versions.length > 0 ? ids.length - 1 : ids.length;
}

/** Whether most of these are shown by other refs only, and neither by a work tree nor by the base. */
function isAside(db: Connection, versions: readonly number[]): boolean {
  const whole = "SELECT id FROM view WHERE base_view IS NULL";
  const sql = `SELECT version FROM view_entry WHERE closed IS NULL AND version IS NOT NULL AND view IN (${whole})`;
  const shown = new Set(db.all<{ version: number }>(sql).map((row) => row.version));
  return versions.filter((version) => shown.has(version)).length < versions.length / 2;
}

const neverAside = () => false;

/** What is new is taken for the work tree's own. */
export function insertSegment(db: Connection, versions: Uint32Array, bytes: Uint8Array, aside = neverAside): void {
  const { chunkCount } = openSegment(bytes);
  const { head, parts } = cutIntoParts(bytes);
  const sql = "INSERT INTO segment (chunks, checksum, versions, head) VALUES (?, 0, ?, ?)";
  const { lastInsertRowid: id } = db.run(sql, chunkCount, bytesOf(versions), head);
  const sum = segmentChecksum(id, versions, readHead(head).checksum);
  db.run("UPDATE segment SET checksum = ? WHERE id = ?", sum, id);
  const put = "INSERT INTO segment_part (segment, start, bytes) VALUES (?, ?, ?)";
  const keeping = keepingOf(chunkCount, aside);
  for (const part of parts) db.run(put, id, part.start, packPart(part.bytes, keeping));
}

function sizes(db: Connection): SegmentSize[] {
  return db.all<SegmentSize>("SELECT id, chunks FROM segment");
}
