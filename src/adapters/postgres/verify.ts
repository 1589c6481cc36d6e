/** Looks for damage: `quick` at what every answer rests on, `full` at every stored byte. */
import { requireNoneMissing } from "../../engine/missing-content.ts";
import type { Finding, VerifyLevel } from "../../ports/store.ts";
import { CorruptionError } from "../../segment/bytes.ts";
import { decodeFacts } from "../../segment/facts.ts";
import { decodeRecord, decodeText, decodeVectors } from "../../segment/stored-content.ts";
import type { Asking } from "./query-interface.ts";
import { findRepository, type Place, placeOf, type Repository, requireSchema } from "./repository.ts";
import { fetchParts, Segments } from "./segments.ts";
import { loadView, loadWhole, readViews, type ViewRow } from "./view-state.ts";

const ROWS_AT_ONCE = 256;

export async function verifyRepository(asking: Asking, key: string, level: VerifyLevel): Promise<Finding[]> {
  const repository = await findRepository(asking, key);
  if (repository === undefined) return [];
  const findings: Finding[] = [];
  const look = async (where: string, check: () => Promise<void> | void) => {
    try {
      await check();
    } catch (error) {
      findings.push({ what: error instanceof Error ? error.message : String(error), where });
    }
  };
  await look("manifest", () => requireSchema(repository));
  const place = placeOf(repository);
  for (const row of await readViews(asking, place))
    await look(`view ${row.ref}`, () => checkView(asking, repository, row));
  if (level === "rows") await look("content", () => requireContent(asking, place));
  if (level === "full") {
    await look("file versions", () => checkVersions(asking, place, look));
    await look("vectors", () => checkVectors(asking, place, look));
  }
  return findings;
}

type Look = (where: string, check: () => void) => Promise<void>;

/** The rows of a view, and its segments to their last byte. */
async function checkView(asking: Asking, repository: Repository, row: ViewRow): Promise<void> {
  const { repo } = placeOf(repository);
  const baseOf = (view: number, generation: number) => loadWhole({ asking, repo }, view, generation);
  const state = await loadView(asking, { ...placeOf(repository), uid: repository.uid }, row, { baseOf });
  const { segments } = await new Segments(asking).open(state);
  for (const stored of segments) {
    await fetchParts(asking, repo, [stored], stored.kinds);
    stored.segment.check();
  }
}

/** Whether everything that versions name is there, without reading it. */
async function requireContent(asking: Asking, { repo, epoch }: Place): Promise<void> {
  const sql = `SELECT v.path FROM codecompass.file_version v WHERE v.repo = $1 AND v.epoch = $2 AND (
      NOT EXISTS (SELECT 1 FROM codecompass.blob b WHERE b.key = v.text_key)
      OR NOT EXISTS (SELECT 1 FROM codecompass.blob b WHERE b.key = v.record_key)
      OR v.facts_key IS NOT NULL AND NOT EXISTS (SELECT 1 FROM codecompass.blob b WHERE b.key = v.facts_key)
      OR EXISTS (SELECT 1 FROM codecompass.vectors t WHERE t.repo = v.repo AND t.version = v.id
        AND NOT EXISTS (SELECT 1 FROM codecompass.blob b WHERE b.key = t.key)))
    ORDER BY v.path`;
  const rows = await asking.rows<{ path: string }>(sql, [repo, epoch]);
  requireNoneMissing(rows.map(({ path }) => path));
}

interface VersionRow {
  readonly id: number;
  readonly path: string;
  readonly text: Buffer | null;
  readonly record: Buffer | null;
  readonly facts: Buffer | null;
  readonly has_facts: boolean;
}

async function checkVersions(asking: Asking, { repo, epoch }: Place, look: Look): Promise<void> {
  const sql = `SELECT v.id, v.path, t.bytes AS text, r.bytes AS record, f.bytes AS facts, v.facts_key IS NOT NULL AS has_facts
    FROM (SELECT * FROM codecompass.file_version WHERE repo = $1 AND epoch = $2 AND id > $3 ORDER BY id LIMIT ${ROWS_AT_ONCE}) v
    LEFT JOIN codecompass.blob t ON t.key = v.text_key
    LEFT JOIN codecompass.blob r ON r.key = v.record_key
    LEFT JOIN codecompass.blob f ON f.key = v.facts_key
    ORDER BY v.id`;
  for (let after = 0; ; ) {
    const rows = await asking.rows<VersionRow>(sql, [repo, epoch, after]);
    for (const row of rows) await look(`file version ${row.id}`, () => checkVersion(row));
    if (rows.length < ROWS_AT_ONCE) return;
    after = rows.at(-1)!.id;
  }
}

function checkVersion({ path, text, record, facts, has_facts: hasFacts }: VersionRow): void {
  if (text === null || record === null || (hasFacts && facts === null))
    throw new CorruptionError(`the content of ${path} is missing`);
  decodeText(text);
  if (decodeRecord(record).path !== path) throw new CorruptionError(`the record of ${path} belongs to another file`);
  if (facts !== null) decodeFacts(facts);
}

async function checkVectors(asking: Asking, { repo }: Place, look: Look): Promise<void> {
  const sql = `SELECT t.version, t.model, b.bytes
    FROM (SELECT * FROM codecompass.vectors WHERE repo = $1 AND (model, version) > ($2, $3::bigint)
      ORDER BY model, version LIMIT ${ROWS_AT_ONCE}) t
    LEFT JOIN codecompass.blob b ON b.key = t.key ORDER BY t.model, t.version`;
  type Row = { version: number; model: string; bytes: Buffer | null };
  for (let after: readonly [string, number] = ["", 0]; ; ) {
    const rows: Row[] = await asking.rows<Row>(sql, [repo, ...after]);
    for (const { version, bytes } of rows) {
      await look(`vectors of file version ${version}`, () => void decodeVectors(bytes ?? new Uint8Array(0)));
    }
    if (rows.length < ROWS_AT_ONCE) return;
    const last = rows.at(-1)!;
    after = [last.model, last.version];
  }
}
