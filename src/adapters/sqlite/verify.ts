/** Looks for damage: `quick` at what every answer rests on, `full` at every stored byte. */
import type { Finding } from "../../ports/store.ts";
import { decodeFacts } from "../../segment/facts.ts";
import { decodeRecord, decodeText } from "../../segment/record.ts";
import { wholeOf } from "./likeness.ts";
import { fileOf, VERSION_COLUMNS, type VersionRow } from "./rows.ts";
import type { Source } from "./source.ts";
import { readVectors } from "./vectors.ts";
import { requireRows } from "./view-state.ts";

export function verifySource(source: Source, level: "quick" | "full"): Finding[] {
  const findings: Finding[] = [];
  const look = (where: string, check: () => void) => {
    try {
      check();
    } catch (error) {
      findings.push({ what: error instanceof Error ? error.message : String(error), where });
    }
  };
  look("manifest", () => source.requireSchema());
  look("views", () => {
    for (const { ref } of source.views()) look(`view ${ref}`, () => checkText(source, ref));
  });
  if (level === "full") {
    look("database", () => checkDatabase(source));
    look("file versions", () => checkVersions(source, look));
    look("texts", () => checkTexts(source, look));
    look("vectors", () => checkVectors(source, look));
  }
  return findings;
}

/** The rows of a view, whatever its pack says, and its segments to their last byte. */
function checkText(source: Source, ref: string): void {
  const state = source.state(ref)!;
  requireRows(source.db, ref);
  source.onPresentSegments(state, () => {
    for (const { segment } of source.text(state).parts) segment.check();
  });
}

type Look = (where: string, check: () => void) => void;

function checkDatabase(source: Source): void {
  const answer = source.db.pragma("integrity_check");
  if (answer !== "ok") throw new Error(String(answer));
}

/** One row at a time: a whole index would not fit into memory. */
function checkVersions(source: Source, look: Look): void {
  const sql = `SELECT ${VERSION_COLUMNS} FROM file_version WHERE id > ? ORDER BY id LIMIT 1`;
  for (let row = source.db.get<VersionRow>(sql, 0); row; row = source.db.get<VersionRow>(sql, row.id)) {
    const { id } = row;
    look(`file version ${id}`, () => {
      fileOf(row!);
      const record = source.db.get<{ bytes: Uint8Array }>("SELECT bytes FROM record WHERE version = ?", id);
      decodeRecord(wholeOf(source.db, "record", id, record?.bytes ?? new Uint8Array(0)));
      const facts = source.db.get<{ bytes: Uint8Array }>("SELECT bytes FROM facts WHERE version = ?", id);
      if (facts !== undefined) decodeFacts(wholeOf(source.db, "facts", id, facts.bytes));
    });
  }
}

function checkTexts(source: Source, look: Look): void {
  const sql = "SELECT id, text FROM content WHERE id > ? ORDER BY id LIMIT 1";
  for (let row = next(0); row; row = next(row.id)) {
    const { id, text } = row;
    look(`text ${id}`, () => void decodeText(wholeOf(source.db, "text", id, text)));
  }
  function next(after: number): { id: number; text: Uint8Array } | undefined {
    return source.db.get<{ id: number; text: Uint8Array }>(sql, after);
  }
}

function checkVectors({ db }: Source, look: Look): void {
  const sql = "SELECT id, version, model, checksum, bytes FROM vectors WHERE id > ? ORDER BY id LIMIT 1";
  type Row = Parameters<typeof readVectors>[2] & { readonly model: string };
  for (let row = db.get<Row>(sql, 0); row; row = db.get<Row>(sql, row.id)) {
    const { model, version } = row;
    look(`vectors of file version ${version}`, () => void readVectors(db, model, row!));
  }
}
