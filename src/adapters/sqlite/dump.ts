/** Everything the views show, as one state of the database, in an order that does not depend on how it came about. */
import type { FileId } from "../../model/ids.ts";
import type { StoreDump, ViewDump } from "../../ports/dump.ts";
import type { StoredFile, VersionKey } from "../../ports/versions.ts";
import type { ViewEntry } from "../../ports/view.ts";
import { CorruptionError } from "../../segment/bytes.ts";
import { storedText } from "./contents.ts";
import { type LikeKind, storedOf } from "./delta-rows.ts";
import { refusing } from "./failures.ts";
import { storedFacts } from "./marks.ts";
import { fileOf, VERSION_COLUMNS, type VersionRow } from "./rows.ts";
import type { Source } from "./source.ts";
import type { ViewState } from "./view-state.ts";

/** `source` is the dump's own: its read transaction lasts until the release. */
export function dumpOf(source: Source): StoreDump {
  source.requireSchema();
  source.db.exec("BEGIN");
  const keys = new Map<FileId, VersionKey>();
  const views = source.views().map(({ ref }) => viewDump(source, source.state(ref)!, keys));
  const sorted = [...keys].sort(([, a], [, b]) => compareKeys(a, b));
  return {
    views,
    files: async function* () {
      for (const [id] of sorted) yield refusing("reading the index", () => storedFile(source, id));
    },
    release: () => source.retire(),
  };
}

function viewDump(source: Source, state: ViewState, keys: Map<FileId, VersionKey>): ViewDump {
  const entries: ViewEntry[] = [...state.skips].map(([path, skip]) => ({ path, skip }));
  for (const [path, { id, contentHash }] of state.files) {
    const version = keys.get(id) ?? { path, contentHash, extractor: rowOf(source, id).extractor };
    keys.set(id, version);
    entries.push({ path, version });
  }
  return { info: state.info, entries: entries.sort((a, b) => compare(a.path, b.path)) };
}

function storedFile(source: Source, id: FileId): StoredFile {
  const row = rowOf(source, id);
  fileOf(row);
  const { path, hash, extractor, language, symbols, chunks, bytes, problem, blob } = row;
  const record = blobOf(source, "record", "SELECT version AS id, bytes FROM record WHERE version = ?", id);
  const content = storedText(source.db, hash);
  const text = content && storedOf(source.db, "text", content.id, content.text);
  const facts = storedFacts(source.db, id);
  if (record === undefined || text === undefined) throw new CorruptionError(`the content of ${path} is missing`);
  return {
    path,
    contentHash: hash as StoredFile["contentHash"],
    extractor,
    language,
    symbolCount: symbols,
    chunkCount: chunks,
    byteCount: bytes,
    ...(problem !== null && { problem }),
    ...(blob && { blob }),
    record,
    text,
    facts: facts === undefined ? new Uint8Array(0) : storedOf(source.db, "facts", id, facts),
  };
}

function rowOf(source: Source, id: FileId): VersionRow {
  const row = source.db.get<VersionRow>(`SELECT ${VERSION_COLUMNS} FROM file_version WHERE id = ?`, id);
  if (row === undefined) throw new CorruptionError(`file version ${id} is missing`);
  return row;
}

/** As it would be stored by itself, whatever it is kept over here: the same state gives the same bytes. */
function blobOf({ db }: Source, kind: LikeKind, sql: string, key: number | string): Uint8Array | undefined {
  const row = db.get<{ id: number; bytes: Uint8Array }>(sql, key);
  return row && storedOf(db, kind, row.id, row.bytes);
}

function compareKeys(a: VersionKey, b: VersionKey): number {
  return compare(a.path, b.path) || compare(a.contentHash, b.contentHash) || compare(a.extractor, b.extractor);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
