/** The rows behind `engine/integrity.ts`: what a file version says was stored for it, and what is there. */
import { NO_MARKS, requireFacts, requireNoVectors, type StoredMarks } from "../../engine/integrity.ts";
import { type Connection, hasColumn } from "./connection.ts";

/** Databases known to have the columns. One that lacks them gets them from the next writer. */
const marked = new WeakSet<Connection>();

export function hasMarks(db: Connection): boolean {
  if (!marked.has(db) && hasColumn(db, "file_version", "embedded")) marked.add(db);
  return marked.has(db);
}

const MARKS = "v.facts_mark AS facts, v.embedded AS embedded";

type FactsRow = StoredMarks & { readonly bytes: Uint8Array | null };

/** The stored facts; undefined where the version has none. Throws `CorruptionError` when they are lost. */
export function storedFacts(db: Connection, version: number): Uint8Array | undefined {
  if (!hasMarks(db)) return db.get<{ bytes: Uint8Array }>("SELECT bytes FROM facts WHERE version = ?", version)?.bytes;
  // One statement: rows of two moments need not fit each other.
  const sql = `SELECT ${MARKS}, f.bytes FROM file_version v LEFT JOIN facts f ON f.version = v.id WHERE v.id = ?`;
  const row = db.get<FactsRow>(sql, version);
  const bytes = row?.bytes ?? undefined;
  requireFacts(version, row ?? NO_MARKS, bytes);
  return bytes;
}

/**
 * Throws `CorruptionError` when one of the versions, whose vectors were not found, was embedded with the model. In the
 * transaction that looked for them: vectors may be stored at any time.
 */
export function requireUnembedded(db: Connection, versions: ReadonlySet<number>, model: string): void {
  if (versions.size === 0 || !hasMarks(db)) return;
  const sql = `SELECT v.id, ${MARKS} FROM file_version v WHERE v.embedded = ?`;
  // Most often one file is asked about; where a whole view is, one pass is quicker.
  const [only] = versions.size === 1 ? versions : [];
  type Row = StoredMarks & { readonly id: number };
  const rows = only === undefined ? db.all<Row>(sql, model) : db.all<Row>(`${sql} AND v.id = ?`, model, only);
  for (const { id, ...marks } of rows) if (versions.has(id)) requireNoVectors(id, marks, model);
}
