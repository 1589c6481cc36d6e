/** Publishes a view: closes and opens rows, keeps digest and totals in step. Everything inside one write transaction. */
import type { SkipReason } from "../../model/code.ts";
import { CompassError } from "../../model/errors.ts";
import type { Generation } from "../../model/ids.ts";
import type { Publication, VersionKey, ViewChange } from "../../ports/store.ts";
import { CorruptionError } from "../../segment/corruption.ts";
import type { Connection } from "./connection.ts";
import {
  Digest,
  fileOf,
  type IndexedFile,
  infoOf,
  type Totals,
  VERSION_COLUMNS,
  type VersionRow,
  VIEW_COLUMNS,
  type ViewRow,
  viewChecksum,
} from "./rows.ts";

export interface PublishOptions {
  readonly ref: string;
  /** The generation to count from when the view is new: that of the index it replaces. */
  readonly after: number;
}

export function publishView(db: Connection, publication: Publication, options: PublishOptions): Generation {
  const before = publishedBy(db, publication.jobId);
  if (before !== undefined) return before;
  const row = db.get<ViewRow>(`SELECT ${VIEW_COLUMNS} FROM view WHERE ref = ?`, options.ref) ?? createView(db, options);
  infoOf(row);
  const draft = new ViewDraft(db, row);
  for (const change of publication.changes) draft.apply(change);
  draft.finish(publication);
  const sql = "INSERT INTO publication (job, view, generation, published_at) VALUES (?, ?, ?, ?)";
  db.run(sql, publication.jobId, row.id, draft.generation, publication.publishedAt);
  return draft.generation as Generation;
}

export function publishedBy(db: Connection, job: string): Generation | undefined {
  return db.get<{ generation: Generation }>("SELECT generation FROM publication WHERE job = ?", job)?.generation;
}

export function versionId(db: Connection, key: VersionKey): number | undefined {
  const sql = "SELECT id FROM file_version WHERE hash = ? AND path = ? AND extractor = ?";
  return db.get<{ id: number }>(sql, key.contentHash, key.path, key.extractor)?.id;
}

const NOTHING: Totals = { files: 0, symbols: 0, chunks: 0, languages: {}, skipped: {}, uncounted: {} };

function createView(db: Connection, { ref, after }: PublishOptions): ViewRow {
  const totals = JSON.stringify(NOTHING);
  const sql =
    "INSERT INTO view (ref, generation, published_at, totals, digest, checksum) VALUES (?, ?, 0, ?, '0:0', 0)";
  const { lastInsertRowid: id } = db.run(sql, ref, after, totals);
  const row = { id, ref, generation: after, commit_id: null, published_at: 0, totals, digest: "0:0" };
  return { ...row, checksum: viewChecksum(row) };
}

interface OpenEntry {
  readonly opened: number;
  readonly version: number | null;
  readonly skip: SkipReason | null;
}

class ViewDraft {
  readonly generation: number;
  private readonly db: Connection;
  private readonly row: ViewRow;
  private readonly digest: Digest;
  private readonly sums = { files: 0, symbols: 0, chunks: 0 };
  private readonly languages: Map<string, number>;
  private readonly skipped: Map<string, number>;

  constructor(db: Connection, row: ViewRow) {
    const totals = JSON.parse(row.totals) as Totals;
    this.db = db;
    this.row = row;
    this.generation = row.generation + 1;
    this.digest = new Digest(row.digest);
    Object.assign(this.sums, { files: totals.files, symbols: totals.symbols, chunks: totals.chunks });
    this.languages = new Map(Object.entries(totals.languages));
    this.skipped = new Map(Object.entries(totals.skipped));
  }

  apply(change: ViewChange): void {
    const version = "version" in change ? this.stored(change.version) : null;
    const skip = "skip" in change ? change.skip : null;
    const sql = "SELECT opened, version, skip FROM view_entry WHERE view = ? AND path = ? AND closed IS NULL";
    const open = this.db.get<OpenEntry>(sql, this.row.id, change.path);
    if (open && open.version === version && open.skip === skip) return;
    if (open) this.close(change.path, open);
    if (!("removed" in change)) this.open(change.path, version, skip);
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

  private stored(key: VersionKey): number {
    const id = versionId(this.db, key);
    if (id === undefined)
      throw new CompassError("internal_error", { reason: `${key.path} was published but never stored` });
    return id;
  }

  private close(path: string, entry: OpenEntry): void {
    const { id } = this.row;
    // A row that this very publication opened was never seen by anybody.
    if (entry.opened === this.generation)
      this.db.run("DELETE FROM view_entry WHERE view = ? AND path = ? AND opened = ?", id, path, entry.opened);
    else
      this.db.run(
        "UPDATE view_entry SET closed = ? WHERE view = ? AND path = ? AND opened = ?",
        this.generation,
        id,
        path,
        entry.opened,
      );
    const shown = this.shown(entry.version, entry.skip);
    this.digest.remove(path, shown);
    this.count(shown, -1);
  }

  private open(path: string, version: number | null, skip: SkipReason | null): void {
    const sql = "INSERT INTO view_entry (view, path, opened, version, skip) VALUES (?, ?, ?, ?, ?)";
    this.db.run(sql, this.row.id, path, this.generation, version, skip);
    const shown = this.shown(version, skip);
    this.digest.add(path, shown);
    this.count(shown, 1);
  }

  private shown(version: number | null, skip: SkipReason | null): IndexedFile | SkipReason {
    if (skip !== null) return skip;
    const row = this.db.get<VersionRow>(`SELECT ${VERSION_COLUMNS} FROM file_version WHERE id = ?`, version);
    if (row === undefined) throw new CorruptionError(`file version ${version} is missing`);
    return fileOf(row);
  }

  private count(shown: IndexedFile | SkipReason, by: 1 | -1): void {
    if (typeof shown === "string") {
      this.skipped.set(shown, (this.skipped.get(shown) ?? 0) + by);
      return;
    }
    this.sums.files += by;
    this.sums.symbols += by * shown.symbols;
    this.sums.chunks += by * shown.chunks;
    this.languages.set(shown.language, (this.languages.get(shown.language) ?? 0) + by);
  }
}

function sortedCounts(counts: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries([...counts].filter(([, count]) => count > 0).sort(([a], [b]) => (a < b ? -1 : 1)));
}
