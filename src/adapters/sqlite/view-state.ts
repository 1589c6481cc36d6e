/** What a view shows at one generation, loaded from its rows; a later generation is loaded as the difference. */
import type { SkipReason } from "../../model/code.ts";
import type { ContentHash, FileId } from "../../model/ids.ts";
import type { ViewInfo } from "../../ports/view.ts";
import { CorruptionError } from "../../segment/bytes.ts";
import type { Connection } from "./connection.ts";
import { type Base, Digest, type IndexedFile, infoOf, VIEW_COLUMNS, type ViewRow } from "./rows.ts";
import { type PackedView, packedGeneration, readPack, WORTH_PACKING, writePack } from "./view-pack.ts";

export interface ViewState extends Base {
  readonly view: number;
  readonly info: ViewInfo;
}

/** As an array, in this order: objects with as many fields took twice the time of a cold start's load. */
const ENTRY_COLUMNS = "e.path, e.skip, e.version, v.path, v.hash, v.language, v.symbols, v.chunks, v.problem";
type EntryRow = readonly [
  path: string,
  skip: SkipReason | null,
  version: number | null,
  versionPath: string | null,
  hash: string,
  language: string,
  symbols: number,
  chunks: number,
  problem: string | null,
];

const SEEN_AT = "e.opened <= ? AND (e.closed IS NULL OR e.closed > ?)";

/** Throws `CorruptionError` when the rows do not add up to the view's digest. Call inside one read transaction. */
export function loadView(
  db: Connection,
  row: ViewRow,
  before: ViewState | undefined,
  { baseOf, storeId }: { readonly baseOf: (view: number, generation: number) => Base; readonly storeId: string },
): ViewState {
  const info = infoOf(row, storeId);
  if (row.base_view !== null) {
    const state = loadOver(db, row, info, baseOf(row.base_view, row.base_generation!));
    if (state.digest === row.digest) return state;
    throw new CorruptionError(`the rows of ref ${row.ref} do not add up to its digest`);
  }
  const known = knownState(before, row) ?? readPack(db, row.id, row.generation);
  if (known !== undefined) {
    const state = { view: row.id, info, ...advance(db, row.id, known, row.generation) };
    // Rows that were closed long ago may have been collected; then only a full load tells.
    if (state.digest === row.digest) return state;
  }
  const state = loadWhole(db, row, info);
  if (state.digest !== row.digest) throw new CorruptionError(`the rows of ref ${row.ref} do not add up to its digest`);
  return state;
}

function knownState(before: ViewState | undefined, row: ViewRow): PackedView | undefined {
  if (before?.view !== row.id || before.info.generation > row.generation) return undefined;
  return { ...before, generation: before.info.generation };
}

/** Packs the view's present state for the processes to come, if it is large and adds up. Inside a write transaction. */
export function packView(db: Connection, ref: string): void {
  const row = db.get<ViewRow>(`SELECT ${VIEW_COLUMNS} FROM view WHERE ref = ?`, ref);
  if (row === undefined || row.base_view !== null || packedGeneration(db, row.id) === row.generation) return;
  const { files, skips, digest } = loadWhole(db, row, infoOf(row, ""));
  if (digest !== row.digest || files.size + skips.size < WORTH_PACKING) return;
  writePack(db, row.id, { generation: row.generation, files, skips, digest });
}

/** Throws `CorruptionError` unless the rows themselves add up; a view over another is loaded from them always. */
export function requireRows(db: Connection, ref: string): void {
  const row = db.get<ViewRow>(`SELECT ${VIEW_COLUMNS} FROM view WHERE ref = ?`, ref);
  if (row === undefined || row.base_view !== null || loadWhole(db, row, infoOf(row, "")).digest === row.digest) return;
  throw new CorruptionError(`the rows of ref ${ref} do not add up to its digest`);
}

function loadWhole(db: Connection, row: ViewRow, info: ViewInfo): ViewState {
  const draft = new Draft();
  for (const entry of entries(db, SEEN_AT, row.id, row.generation, row.generation)) draft.open(entry);
  return draft.finish(row.id, info);
}

/** What the digest of the views over it says is what it is checked by. */
export function loadBase(db: Connection, view: number, generation: number): Base {
  const packed = readPack(db, view, generation);
  if (packed !== undefined) return advance(db, view, packed, generation);
  const draft = new Draft();
  for (const entry of entries(db, SEEN_AT, view, generation, generation)) draft.open(entry);
  return draft.base();
}

function loadOver(db: Connection, row: ViewRow, info: ViewInfo, base: Base): ViewState {
  const draft = new Draft(base);
  for (const entry of entries(db, SEEN_AT, row.id, row.generation, row.generation)) {
    draft.close(entry[0]);
    if (entry[1] !== null || entry[2] !== null) draft.open(entry);
  }
  return draft.finish(row.id, info);
}

function advance(db: Connection, view: number, before: PackedView, to: number): Base {
  const from = before.generation;
  if (from === to) return { files: before.files, skips: before.skips, digest: before.digest };
  const draft = new Draft(before);
  const closed = "SELECT path FROM view_entry WHERE view = ? AND closed > ? AND closed <= ? AND opened <= ?";
  for (const { path } of db.all<{ path: string }>(closed, view, from, to, from)) draft.close(path);
  for (const entry of entries(db, `e.opened > ? AND ${SEEN_AT}`, view, from, to, to)) draft.open(entry);
  return draft.base();
}

function entries(db: Connection, where: string, ...values: number[]): EntryRow[] {
  const tables = "view_entry e LEFT JOIN file_version v ON v.id = e.version";
  return db.arrays<EntryRow>(`SELECT ${ENTRY_COLUMNS} FROM ${tables} WHERE e.view = ? AND ${where}`, ...values);
}

class Draft {
  private readonly files: Map<string, IndexedFile>;
  private readonly skips: Map<string, SkipReason>;
  private readonly digest: Digest;

  constructor(before?: Base) {
    this.files = new Map(before?.files);
    this.skips = new Map(before?.skips);
    this.digest = new Digest(before?.digest);
  }

  open(row: EntryRow): void {
    const [path, skip, version] = row;
    if (version === null) {
      if (skip === null) throw new CorruptionError("an entry of a view shows nothing");
      this.skips.set(path, skip);
      this.digest.add(path, skip);
      return;
    }
    const file = shownBy(row);
    this.files.set(path, file);
    this.digest.add(path, file);
  }

  close(path: string): void {
    const shown = this.files.get(path) ?? this.skips.get(path);
    if (shown !== undefined) this.digest.remove(path, shown);
    this.files.delete(path);
    this.skips.delete(path);
  }

  base(): Base {
    return { files: this.files, skips: this.skips, digest: this.digest.toString() };
  }

  finish(view: number, info: ViewInfo): ViewState {
    return { view, info, ...this.base() };
  }
}

function shownBy([path, , version, versionPath, hash, language, symbols, chunks, problem]: EntryRow): IndexedFile {
  if (versionPath !== path) throw new CorruptionError(`file version ${version} is missing or belongs to another path`);
  const file = { id: version as FileId, path, language, contentHash: hash as ContentHash, symbols, chunks };
  return problem === null ? file : { ...file, problem };
}
