/** Forgets what no view shows and no reader may still hold, rewrites segments that are mostly dead, gives space back. */
import type { GcReport } from "../../ports/store.ts";
import type { Connection } from "./connection.ts";
import { basesOf, forgetKept } from "./delta-rows.ts";
import { replaceSegments, settleSegments } from "./merging.ts";
import { wordsOf } from "./segments.ts";
import { forgetStamps } from "./stamps.ts";
import { forgetVectors } from "./vectors.ts";
import { packView } from "./view-state.ts";

/** A reader in another process may hold a state for this long after it was replaced. */
export const GRACE_MS = 10 * 60_000;
/** A segment with less than this part of its files alive is rewritten. */
const MOSTLY_DEAD = 0.5;

export interface GcOptions {
  readonly now: number;
  /** Oldest generation that a snapshot of this process holds, by view. */
  readonly pinned: ReadonlyMap<number, number>;
}

/** Inside a write transaction. */
export function collectGarbage(db: Connection, { now, pinned }: GcOptions): Omit<GcReport, "bytesFreed"> {
  for (const { id, ref } of db.all<{ id: number; ref: string }>("SELECT id, ref FROM view")) {
    // Before: a pack that is older than the rows that go would never again lead to the present state.
    packView(db, ref);
    forgetClosedRows(db, id, now, pinned.get(id));
  }
  db.run("DELETE FROM view_pack WHERE view NOT IN (SELECT id FROM view)");
  const versionsRemoved = forgetVersions(db, now);
  forgetStamps(db);
  return { versionsRemoved, segmentsMerged: rewriteDead(db) + settleSegments(db) };
}

function forgetClosedRows(db: Connection, view: number, now: number, pinned: number | undefined): void {
  const sql = "SELECT max(generation) AS generation FROM publication WHERE view = ? AND published_at <= ?";
  const settled = db.get<{ generation: number | null }>(sql, view, now - GRACE_MS)?.generation ?? 0;
  const until = Math.min(settled, pinned ?? settled, oldestUse(db, view) ?? settled);
  db.run("DELETE FROM view_entry WHERE view = ? AND closed IS NOT NULL AND closed <= ?", view, until);
  db.run("DELETE FROM publication WHERE view = ? AND generation < ?", view, until);
}

/** Views that are kept as a difference to this one go on showing the generation they were made from. */
function oldestUse(db: Connection, view: number): number | undefined {
  const sql = "SELECT min(base_generation) AS oldest FROM view WHERE base_view = ?";
  return db.get<{ oldest: number | null }>(sql, view)?.oldest ?? undefined;
}

function forgetVersions(db: Connection, now: number): number {
  const unused = "id NOT IN (SELECT version FROM view_entry WHERE version IS NOT NULL)";
  const { changes } = db.run(`DELETE FROM file_version WHERE ${unused} AND created_at <= ?`, now - GRACE_MS);
  if (changes === 0) return 0;
  forgetKept(db);
  const gone = "version NOT IN (SELECT id FROM file_version)";
  db.run(`DELETE FROM record WHERE ${gone} AND version NOT IN ${basesOf("record")}`);
  forgetVectors(db);
  db.run(`DELETE FROM facts WHERE ${gone} AND version NOT IN ${basesOf("facts")}`);
  db.run(`DELETE FROM content WHERE hash NOT IN (SELECT hash FROM file_version) AND id NOT IN ${basesOf("text")}`);
  return changes;
}

function rewriteDead(db: Connection): number {
  const alive = new Set(db.all<{ id: number }>("SELECT id FROM file_version").map((row) => row.id));
  const rows = db.all<{ id: number; versions: Uint8Array }>("SELECT id, versions FROM segment");
  const dead = rows.filter(({ versions }) => {
    const words = wordsOf(versions);
    return words.filter((version) => alive.has(version)).length < words.length * MOSTLY_DEAD;
  });
  for (const segment of dead) replaceSegments(db, [segment]);
  return dead.length;
}
