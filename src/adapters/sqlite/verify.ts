/** Looks for damage: `quick` at what every answer rests on, `full` at every stored byte. */
import { requireFacts, requireNoVectors, type StoredMarks } from "../../engine/integrity.ts";
import type { Finding, VerifyLevel } from "../../ports/store.ts";
import { CorruptionError } from "../../segment/bytes.ts";
import { decodeFacts } from "../../segment/facts.ts";
import { decodeRecord, decodeText } from "../../segment/stored-content.ts";
import { wholeOf } from "./delta-rows.ts";
import { isDamage } from "./failures.ts";
import { hasMarks, storedFacts } from "./marks.ts";
import { fileOf, VERSION_COLUMNS, type VersionRow } from "./rows.ts";
import type { Source } from "./source.ts";
import { readVectors } from "./vectors.ts";
import { requireRows, type ViewState } from "./view-state.ts";

export function verifySource(source: Source, level: VerifyLevel): Finding[] {
  const findings: Finding[] = [];
  const look = (where: string, check: () => void) => {
    try {
      check();
    } catch (error) {
      const what = error instanceof Error ? error.message : String(error);
      findings.push({ what, where, ...(isDamage(error) && { damage: true }) });
    }
  };
  look("manifest", () => source.requireSchema());
  if (findings.length > 0) return findings;
  look("views", () => {
    const check = level === "rows" ? checkRows : checkText;
    for (const { ref } of source.views()) look(`view ${ref}`, () => check(source, ref));
  });
  if (level !== "quick") look("file versions", () => checkPresence(source));
  if (level === "full") {
    look("database", () => checkDatabase(source));
    look("file versions", () => checkVersions(source, look));
    look("texts", () => checkTexts(source, look));
    look("vectors", () => checkVectors(source, look));
  }
  return findings;
}

/** The rows of a view, whatever its pack says, and the heads of its segments. */
function checkRows(source: Source, ref: string): ViewState {
  const state = source.state(ref)!;
  requireRows(source.db, ref);
  source.onPresentSegments(state, () => void source.text(state));
  return state;
}

/** Also the segments to their last byte. */
function checkText(source: Source, ref: string): void {
  const state = checkRows(source, ref);
  source.onPresentSegments(state, () => {
    for (const { segment } of source.text(state).parts) segment.check();
  });
}

type PresentRow = StoredMarks & { readonly id: number; readonly hash: string };

/** That every file version has what it says was stored for it. Keys only: no blob is read to its end. */
function checkPresence({ db }: Source): void {
  db.reading(() => {
    const ids = (sql: string) => new Set(db.arrays<[number]>(sql).map(([id]) => id));
    const [records, facts] = [ids("SELECT version FROM record"), ids("SELECT version FROM facts")];
    const texts = new Set(db.arrays<[string]>("SELECT hash FROM content NOT INDEXED").map(([hash]) => hash));
    const vectors = new Set(
      db.arrays<[number, string]>("SELECT version, model FROM vectors NOT INDEXED").map((it) => it.join(" ")),
    );
    const marks = hasMarks(db) ? "facts_mark AS facts, embedded" : "NULL AS facts, NULL AS embedded";
    for (const row of db.all<PresentRow>(`SELECT id, hash, ${marks} FROM file_version NOT INDEXED`)) {
      const { id, hash, embedded } = row;
      if (!records.has(id)) throw new CorruptionError(`the record of file version ${id} is missing`);
      if (!texts.has(hash)) throw new CorruptionError(`the text of file version ${id} is missing`);
      if (row.facts && !facts.has(id)) requireFacts(id, row, undefined);
      if (embedded !== null && !vectors.has(`${id} ${embedded}`)) requireNoVectors(id, row, embedded);
    }
  });
}

type Look = (where: string, check: () => void) => void;

function checkDatabase(source: Source): void {
  const answer = source.db.pragma("integrity_check");
  if (answer !== "ok") throw new CorruptionError(String(answer));
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
      const facts = storedFacts(source.db, id);
      if (facts !== undefined) decodeFacts(wholeOf(source.db, "facts", id, facts));
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
