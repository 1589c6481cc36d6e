/** What a view shows at one generation, loaded from its rows; a later generation is loaded as the difference. */
import type { SkipReason } from "../../model/code.ts";
import type { ViewInfo } from "../../ports/store.ts";
import { CorruptionError } from "../../segment/corruption.ts";
import type { Connection } from "./connection.ts";
import { Digest, fileOf, type IndexedFile, infoOf, VERSION_COLUMNS, type VersionRow, type ViewRow } from "./rows.ts";

export interface ViewState {
  readonly view: number;
  readonly info: ViewInfo;
  readonly files: ReadonlyMap<string, IndexedFile>;
  readonly skips: ReadonlyMap<string, SkipReason>;
  readonly digest: string;
}

interface EntryRow extends VersionRow {
  readonly entry_path: string;
  readonly version: number | null;
  readonly skip: SkipReason | null;
}

interface ClosedRow {
  readonly path: string;
  readonly version: number | null;
  readonly skip: SkipReason | null;
}

const SEEN_AT = "e.opened <= ? AND (e.closed IS NULL OR e.closed > ?)";

/** Throws `CorruptionError` when the rows do not add up to the view's digest. Call inside one read transaction. */
export function loadView(db: Connection, row: ViewRow, before: ViewState | undefined): ViewState {
  const info = infoOf(row);
  if (before?.view === row.id && before.info.generation <= row.generation) {
    const state = advance(db, row, info, before);
    // Rows that were closed long ago may have been collected; then only a full load tells.
    if (state.digest === row.digest) return state;
  }
  const state = loadWhole(db, row, info);
  if (state.digest !== row.digest) throw new CorruptionError(`the rows of ref ${row.ref} do not add up to its digest`);
  return state;
}

function loadWhole(db: Connection, row: ViewRow, info: ViewInfo): ViewState {
  const draft = new Draft();
  for (const entry of entries(db, SEEN_AT, row.id, row.generation, row.generation)) draft.open(entry);
  return draft.finish(row.id, info);
}

function advance(db: Connection, row: ViewRow, info: ViewInfo, before: ViewState): ViewState {
  const from = before.info.generation;
  const to = row.generation;
  const draft = new Draft(before);
  const closed =
    "SELECT path, version, skip FROM view_entry WHERE view = ? AND closed > ? AND closed <= ? AND opened <= ?";
  for (const entry of db.all<ClosedRow>(closed, row.id, from, to, from)) draft.close(entry);
  for (const entry of entries(db, `e.opened > ? AND ${SEEN_AT}`, row.id, from, to, to)) draft.open(entry);
  return draft.finish(row.id, info);
}

function entries(db: Connection, where: string, ...values: number[]): EntryRow[] {
  const columns = `e.path AS entry_path, e.version, e.skip, ${VERSION_COLUMNS}`;
  const tables = "view_entry e LEFT JOIN file_version v ON v.id = e.version";
  return db.all<EntryRow>(`SELECT ${columns} FROM ${tables} WHERE e.view = ? AND ${where}`, ...values);
}

class Draft {
  private readonly files: Map<string, IndexedFile>;
  private readonly skips: Map<string, SkipReason>;
  private readonly digest: Digest;

  constructor(before?: ViewState) {
    this.files = new Map(before?.files);
    this.skips = new Map(before?.skips);
    this.digest = new Digest(before?.digest);
  }

  open(row: EntryRow): void {
    this.digest.add(row.entry_path, row.version, row.skip);
    if (row.version === null) {
      if (row.skip !== null) this.skips.set(row.entry_path, row.skip);
      return;
    }
    if (row.id === null) throw new CorruptionError(`file version ${row.version} is missing`);
    const file = fileOf(row);
    if (file.path !== row.entry_path)
      throw new CorruptionError(`a view shows file version ${row.version} at another path`);
    this.files.set(file.path, file);
  }

  close(row: ClosedRow): void {
    this.digest.remove(row.path, row.version, row.skip);
    this.files.delete(row.path);
    this.skips.delete(row.path);
  }

  finish(view: number, info: ViewInfo): ViewState {
    return { view, info, files: this.files, skips: this.skips, digest: this.digest.toString() };
  }
}
