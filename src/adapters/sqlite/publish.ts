/** Publishes a view: closes and opens rows, keeps digest and totals in step. Everything inside one write transaction. */
import { NO_TOTALS, sortedCounts, type Totals } from "../../engine/totals.ts";
import { isParseFailure, type SkipReason } from "../../model/code.ts";
import { CompassError } from "../../model/errors.ts";
import type { Generation } from "../../model/ids.ts";
import type { Publication } from "../../ports/build.ts";
import type { VersionKey } from "../../ports/versions.ts";
import type { ViewChange } from "../../ports/view.ts";
import { CorruptionError } from "../../segment/bytes.ts";
import type { Connection } from "./connection.ts";
import { type EntryRows, entryRows, isSameEntry } from "./entry-rows.ts";
import {
  Digest,
  fileOf,
  type IndexedFile,
  requireWhole,
  VERSION_COLUMNS,
  type VersionRow,
  VIEW_COLUMNS,
  type ViewRow,
  viewChecksum,
} from "./rows.ts";
import { WORTH_PACKING } from "./view-pack.ts";
import { packView } from "./view-state.ts";

export interface PublishOptions {
  readonly ref: string;
  /** The generation to count from when the view is new: that of the index it replaces. */
  readonly after: number;
  /** The view that a new one is kept as a difference to, where there is such a view. */
  readonly base?: string;
}

export function publishView(db: Connection, publication: Publication, options: PublishOptions): Generation {
  const before = publishedBy(db, publication.jobId);
  if (before !== undefined) return before;
  const row = db.get<ViewRow>(`SELECT ${VIEW_COLUMNS} FROM view WHERE ref = ?`, options.ref) ?? createView(db, options);
  requireWhole(row);
  const draft = new ViewDraft(db, row);
  for (const change of publication.changes) draft.apply(change);
  draft.finish(publication);
  if (publication.changes.length >= WORTH_PACKING) packView(db, options.ref);
  const sql = "INSERT INTO publication (job, view, generation, published_at) VALUES (?, ?, ?, ?)";
  db.run(sql, publication.jobId, row.id, draft.generation, publication.publishedAt);
  return draft.generation as Generation;
}

export function publishedBy(db: Connection, job: string): Generation | undefined {
  return db.get<{ generation: Generation }>("SELECT generation FROM publication WHERE job = ?", job)?.generation;
}

export function versionId(db: Connection, key: VersionKey): number | undefined {
  const sql = "SELECT id FROM file_version WHERE hash = ? AND path = ? AND extractor = ?";
  const id = db.get<{ id: number }>(sql, key.contentHash, key.path, key.extractor)?.id;
  // By its id: a damaged entry of the index on hashes may lead to an older version of the same path.
  if (
    id !== undefined &&
    db.get("SELECT 1 FROM file_version WHERE id = ? AND hash = ?", id, key.contentHash) === undefined
  )
    throw new CorruptionError(`file version ${id} has another content than the index on contents says`);
  return id;
}

function createView(db: Connection, { ref, after, base: named }: PublishOptions): ViewRow {
  const base = baseFor(db, named);
  const { totals, digest } = base ?? { totals: JSON.stringify(NO_TOTALS), digest: "0:0" };
  const [base_view, base_generation] = [base?.id ?? null, base?.generation ?? null];
  const columns = "ref, base_view, base_generation, generation, published_at, totals, digest, checksum";
  const sql = `INSERT INTO view (${columns}) VALUES (?, ?, ?, ?, 0, ?, ?, 0)`;
  const { lastInsertRowid: id } = db.run(sql, ref, base_view, base_generation, after, totals, digest);
  const row = {
    id,
    ref,
    base_view,
    base_generation,
    generation: after,
    commit_id: null,
    published_at: 0,
    totals,
    digest,
  };
  return { ...row, checksum: viewChecksum(row) };
}

/** A base has no base: a state is never more than two lists of rows. */
export function baseFor(db: Connection, ref: string | undefined): ViewRow | undefined {
  if (ref === undefined) return undefined;
  const row = db.get<ViewRow>(`SELECT ${VIEW_COLUMNS} FROM view WHERE ref = ?`, ref);
  if (row === undefined || row.base_view !== null) return undefined;
  requireWhole(row);
  return row;
}

class ViewDraft {
  readonly generation: number;
  private readonly db: Connection;
  private readonly row: ViewRow;
  private readonly rows: EntryRows;
  private readonly digest: Digest;
  private readonly sums: { files: number; symbols: number; chunks: number; givenUp: number };
  private readonly languages: Map<string, number>;
  private readonly skipped: Map<string, number>;
  private counted = false;

  constructor(db: Connection, row: ViewRow) {
    const totals = JSON.parse(row.totals) as Totals;
    this.db = db;
    this.row = row;
    this.generation = row.generation + 1;
    this.rows = entryRows(db, row, this.generation);
    this.digest = new Digest(row.digest);
    const { files, symbols, chunks, givenUp = 0 } = totals;
    this.sums = { files, symbols, chunks, givenUp };
    this.languages = new Map(Object.entries(totals.languages));
    this.skipped = new Map(Object.entries(totals.skipped));
  }

  apply(change: ViewChange): void {
    const { path } = change;
    const version = "version" in change ? this.stored(change.version) : null;
    const skip = "skip" in change ? change.skip : null;
    const before = this.rows.current(path);
    const after = "removed" in change ? undefined : { version, skip };
    if (isSameEntry(before, after)) return;
    if (before === undefined) this.requireAllRows();
    this.rows.replace(path, after);
    if (before !== undefined) this.count(path, this.shown(before.version, before.skip), -1);
    if (after !== undefined) this.count(path, this.shown(version, skip), 1);
  }

  finish({ commit, publishedAt, uncounted }: Publication): void {
    const totals: Totals = {
      ...this.sums,
      languages: sortedCounts(this.languages),
      skipped: sortedCounts(this.skipped),
      uncounted,
    };
    const row = {
      ...this.row,
      generation: this.generation,
      commit_id: commit ?? null,
      published_at: publishedAt,
      totals: JSON.stringify(totals),
      digest: this.digest.toString(),
    };
    const sql =
      "UPDATE view SET generation = ?, commit_id = ?, published_at = ?, totals = ?, digest = ?, checksum = ? WHERE id = ?";
    const { generation, commit_id, published_at, digest, id } = row;
    this.db.run(sql, generation, commit_id, published_at, row.totals, digest, viewChecksum(row), id);
  }

  /** Before a path is added that may only seem new because its row was lost. Views over a base are few rows, and loaded from them. */
  private requireAllRows(): void {
    if (this.counted || this.row.base_view !== null) return;
    this.counted = true;
    const sql =
      "SELECT count(*) AS count FROM view_entry WHERE view = ? AND opened < ? AND (closed IS NULL OR closed = ?)";
    const { count } = this.db.get<{ count: number }>(sql, this.row.id, this.generation, this.generation)!;
    const { files, skipped } = JSON.parse(this.row.totals) as Totals;
    const expected = Object.values(skipped).reduce((sum, skips) => sum + skips, files);
    if (count !== expected) throw new CorruptionError(`${this.row.ref} has ${count} rows instead of ${expected}`);
  }

  private stored(key: VersionKey): number {
    const id = versionId(this.db, key);
    if (id === undefined)
      throw new CompassError("internal_error", { reason: `${key.path} was published but never stored` });
    return id;
  }

  private shown(version: number | null, skip: SkipReason | null): IndexedFile | SkipReason {
    if (skip !== null) return skip;
    const row = this.db.get<VersionRow>(`SELECT ${VERSION_COLUMNS} FROM file_version WHERE id = ?`, version);
    if (row === undefined) throw new CorruptionError(`file version ${version} is missing`);
    return fileOf(row);
  }

  private count(path: string, shown: IndexedFile | SkipReason, by: 1 | -1): void {
    if (by === 1) this.digest.add(path, shown);
    else this.digest.remove(path, shown);
    if (typeof shown === "string") {
      this.skipped.set(shown, (this.skipped.get(shown) ?? 0) + by);
      return;
    }
    this.sums.files += by;
    this.sums.symbols += by * shown.symbols;
    this.sums.chunks += by * shown.chunks;
    if (isParseFailure(shown.problem)) this.sums.givenUp += by;
    this.languages.set(shown.language, (this.languages.get(shown.language) ?? 0) + by);
  }
}
