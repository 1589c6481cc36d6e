/** Looks for damage: `quick` at what every answer rests on, `full` at every stored byte. */
import { requireNoneMissing } from "../../engine/missing-content.ts";
import type { Finding, VerifyLevel } from "../../ports/store.ts";
import { CorruptionError } from "../../segment/bytes.ts";
import { decodeFacts } from "../../segment/facts.ts";
import { decodeRecord, decodeText, decodeVectors } from "../../segment/stored-content.ts";
import { readBlobsByKey } from "./blobs.ts";
import { contentTable, nodeOf } from "./data-nodes.ts";
import { BY_INDEX } from "./planner-settings.ts";
import type { Asking } from "./query-interface.ts";
import { findRepository, type Place, placeOf, type Repository, requireSchema } from "./repository.ts";
import { fetchParts, Segments } from "./segments.ts";
import { loadView, loadWhole, readViews, type ViewRow } from "./view-state.ts";

const ROWS_AT_ONCE = 256;
const KEYS_AT_ONCE = 10_000;

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
  const node = nodeOf(repo);
  const sql = `SELECT v.path, k.key FROM codecompass.file_version v CROSS JOIN LATERAL (
      SELECT unnest(ARRAY[v.text_key, v.record_key, v.facts_key]) AS key
      UNION ALL SELECT t.key FROM codecompass.vectors t WHERE t.repo = v.repo AND t.version = v.id) k
    WHERE v.repo = $1 AND v.epoch = $2 AND k.key IS NOT NULL ORDER BY v.path`;
  const named = await asking.rows<{ path: string; key: Buffer }>(sql, [repo, epoch]);
  const missing = new Set<string>();
  for (let from = 0; from < named.length; from += KEYS_AT_ONCE) {
    const some = named.slice(from, from + KEYS_AT_ONCE);
    const present = `SELECT key FROM ${contentTable(asking, "blob")} WHERE node = ${node} AND key = ANY($1)`;
    const rows = await asking.rows<{ key: Buffer }>(present, [some.map(({ key }) => key)], { ...BY_INDEX, node });
    const keys = new Set(rows.map(({ key }) => key.toString("hex")));
    for (const { path, key } of some) if (!keys.has(key.toString("hex"))) missing.add(path);
  }
  requireNoneMissing([...missing]);
}

interface KeyRow {
  readonly id: number;
  readonly path: string;
  readonly text_key: Buffer;
  readonly record_key: Buffer;
  readonly facts_key: Buffer | null;
}

async function checkVersions(asking: Asking, { repo, epoch }: Place, look: Look): Promise<void> {
  const sql = `SELECT id, path, text_key, record_key, facts_key FROM codecompass.file_version
    WHERE repo = $1 AND epoch = $2 AND id > $3 ORDER BY id LIMIT ${ROWS_AT_ONCE}`;
  for (let after = 0; ; ) {
    const rows = await asking.rows<KeyRow>(sql, [repo, epoch, after]);
    const keys = rows.flatMap(({ text_key, record_key, facts_key }) => [text_key, record_key, facts_key]);
    const found = await readBlobsByKey(asking, nodeOf(repo), keys);
    for (const [at, row] of rows.entries()) {
      const [text, record, facts] = found.slice(3 * at, 3 * at + 3);
      await look(`file version ${row.id}`, () => checkVersion(row, { text, record, facts }));
    }
    if (rows.length < ROWS_AT_ONCE) return;
    after = rows.at(-1)!.id;
  }
}

interface Content {
  readonly text: Buffer | undefined;
  readonly record: Buffer | undefined;
  readonly facts: Buffer | undefined;
}

function checkVersion({ path, facts_key: factsKey }: KeyRow, { text, record, facts }: Content): void {
  if (text === undefined || record === undefined || (factsKey !== null && facts === undefined))
    throw new CorruptionError(`the content of ${path} is missing`);
  decodeText(text);
  if (decodeRecord(record).path !== path) throw new CorruptionError(`the record of ${path} belongs to another file`);
  if (facts !== undefined) decodeFacts(facts);
}

async function checkVectors(asking: Asking, { repo }: Place, look: Look): Promise<void> {
  const sql = `SELECT version, model, key FROM codecompass.vectors WHERE repo = $1 AND (model, version) > ($2, $3::bigint)
    ORDER BY model, version LIMIT ${ROWS_AT_ONCE}`;
  type Row = { version: number; model: string; key: Buffer };
  for (let after: readonly [string, number] = ["", 0]; ; ) {
    const rows: Row[] = await asking.rows<Row>(sql, [repo, ...after]);
    const found = await readBlobsByKey(
      asking,
      nodeOf(repo),
      rows.map(({ key }) => key),
    );
    for (const [at, { version }] of rows.entries())
      await look(`vectors of file version ${version}`, () => void decodeVectors(found[at] ?? new Uint8Array(0)));
    if (rows.length < ROWS_AT_ONCE) return;
    const last = rows.at(-1)!;
    after = [last.model, last.version];
  }
}
