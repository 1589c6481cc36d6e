/** Vectors in the database, and in memory once a question needs them: never before. */
import { crc32 } from "node:zlib";
import { Arena } from "../../embed/arena.ts";
import type { Kernel } from "../../embed/kernel.ts";
import {
  keyOf,
  nearestIn,
  newShelf,
  onlyAlso,
  planFor,
  type Shelf,
  sumOf,
  type ViewPlan,
} from "../../engine/vector-cache.ts";
import type { FileId } from "../../model/ids.ts";
import type { Vectors } from "../../model/vectors.ts";
import type { DensePage, DenseQuery } from "../../ports/candidates.ts";
import type { FileVectors } from "../../ports/versions.ts";
import { CorruptionError } from "../../segment/bytes.ts";
import { decodeVectors } from "../../segment/stored-content.ts";
import type { Connection } from "./connection.ts";
import { basesOf, forgetBase, isBase, keptOver, noteBase, wholeOf } from "./delta-rows.ts";
import { requireUnembedded } from "./marks.ts";
import { checksum, type IndexedFile } from "./rows.ts";
import type { ViewState } from "./view-state.ts";

interface VectorRow {
  readonly id: number;
  readonly version: number;
  readonly checksum: number;
  readonly bytes: Uint8Array;
}

/** Where most of a view is missing, one pass over the table is quicker than many look-ups. */
const FEW_MISSING = 0.2;
const ROWS_AT_ONCE = 512;
/** More than this share of rows that no view shows, and the memory is filled anew. */
const MOST_WASTE = 2;

export class VectorShelves {
  private readonly db: Connection;
  private readonly kernelOf: () => Kernel;
  private readonly shelves = new Map<string, Shelf>();

  constructor(db: Connection, kernelOf: () => Kernel) {
    this.db = db;
    this.kernelOf = kernelOf;
  }

  dense(state: ViewState, query: DenseQuery): DensePage {
    const shelf = this.shelf(query.model);
    if (query.limit === 0 && query.least === undefined) {
      this.loadEach(
        shelf,
        (query.also ?? []).map((file) => file.id),
      );
      return onlyAlso(shelf, query);
    }
    return nearestIn(shelf, this.planOf(shelf, state), query);
  }

  private shelf(fingerprint: string): Shelf {
    const model = keyOf(fingerprint);
    let shelf = this.shelves.get(model);
    if (shelf === undefined) {
      shelf = newShelf(model);
      this.shelves.set(model, shelf);
    }
    return shelf;
  }

  private planOf(shelf: Shelf, state: ViewState): ViewPlan {
    let known = shelf.plans.get(state);
    if (known === undefined) {
      const files = [...state.files.values()].filter((file) => file.chunks > 0);
      // A new state may show vectors that were stored since.
      shelf.absent.clear();
      this.load(shelf, files);
      known = planFor(shelf, files);
      shelf.plans.set(state, known);
    }
    return known;
  }

  private load(shelf: Shelf, files: readonly IndexedFile[]): void {
    const chunks = sumOf(files);
    if (shelf.arena !== undefined && shelf.arena.rows > MOST_WASTE * chunks + 10_000) {
      shelf.arena = undefined;
      shelf.plans = new WeakMap();
    }
    const missing = files.filter(({ id }) => shelf.arena?.has(id) !== true);
    if (missing.length === 0) return;
    this.db.reading(() => {
      if (missing.length <= FEW_MISSING * files.length)
        this.loadEach(
          shelf,
          missing.map(({ id }) => id),
        );
      else this.loadAll(shelf, new Set(missing.map(({ id }) => id as number)));
    });
  }

  private loadEach(shelf: Shelf, versions: readonly FileId[]): void {
    const sql = `SELECT ${COLUMNS} FROM vectors WHERE model = ? AND version = ?`;
    const read = (version: FileId) => this.db.get<VectorRow>(sql, shelf.model, version);
    for (const version of versions) {
      if (shelf.arena?.has(version) === true || shelf.absent.has(version)) continue;
      const row = read(version);
      if (row !== undefined) this.take(shelf, row);
      else
        this.db.reading(() => {
          const stored = read(version);
          if (stored === undefined) this.missed(shelf, new Set([version]));
          else this.take(shelf, stored);
        });
    }
  }

  private missed(shelf: Shelf, versions: ReadonlySet<number>): void {
    requireUnembedded(this.db, versions, shelf.model);
    for (const version of versions) shelf.absent.add(version);
  }

  private loadAll(shelf: Shelf, wanted: Set<number>): void {
    // The plus keeps SQLite from the index, whose order is another one: it would sort all rows for every page.
    const sql = `SELECT ${COLUMNS} FROM vectors WHERE id > ? AND +model = ? ORDER BY id LIMIT ${ROWS_AT_ONCE}`;
    for (let after = 0, rows: VectorRow[]; ; ) {
      rows = this.db.all<VectorRow>(sql, after, shelf.model);
      for (const row of rows) if (wanted.delete(row.version)) this.take(shelf, row);
      if (rows.length < ROWS_AT_ONCE) break;
      after = rows.at(-1)!.id;
    }
    this.missed(shelf, wanted);
  }

  private take(shelf: Shelf, row: VectorRow): void {
    const vectors = readVectors(this.db, shelf.model, row);
    shelf.arena ??= new Arena(vectors.dims, this.kernelOf());
    try {
      shelf.arena.add(row.version, vectors);
    } catch (cause) {
      throw new CorruptionError(`the vectors of file version ${row.version} do not fit the others`, { cause });
    }
  }
}

const COLUMNS = "id, version, checksum, bytes";

/** A file's vectors, and the version that it should have much in common with. */
export interface NewVectors extends FileVectors {
  readonly like?: number | undefined;
}

/** Inside a write transaction. A version that is not stored any more gets none. */
export function putVectors(db: Connection, fingerprint: string, files: readonly NewVectors[]): void {
  const model = keyOf(fingerprint);
  const sql = `INSERT OR REPLACE INTO vectors (version, model, checksum, bytes) SELECT ?, ?, ?, ?
    WHERE EXISTS (SELECT 1 FROM file_version WHERE id = ?)`;
  for (const { file, vectors, like } of files) {
    const before = rowId(db, model, file);
    // The same text has the same vectors; others are kept over these bytes.
    if (before !== undefined && isBase(db, "vectors", before)) continue;
    const kept = keptOver(db, "vectors", like === undefined ? undefined : rowId(db, model, like), vectors);
    const { bytes } = kept;
    const { changes, lastInsertRowid: id } = db.run(sql, file, model, rowChecksum(file, model, bytes), bytes, file);
    if (before !== undefined) forgetBase(db, "vectors", before);
    if (changes === 0) continue;
    noteBase(db, "vectors", id, kept);
    db.run("UPDATE file_version SET embedded = ? WHERE id = ?", model, file);
  }
}

function rowId(db: Connection, model: string, version: number): number | undefined {
  return db.get<{ id: number }>("SELECT id FROM vectors WHERE model = ? AND version = ?", model, version)?.id;
}

/** Vectors of versions that are gone. Inside a write transaction. */
export function forgetVectors(db: Connection): void {
  db.run(`DELETE FROM vectors WHERE version NOT IN (SELECT id FROM file_version) AND id NOT IN ${basesOf("vectors")}`);
}

/** Throws `CorruptionError` unless the row is as it was written. */
export function readVectors(db: Connection, model: string, { id, version, checksum: sum, bytes }: VectorRow): Vectors {
  if (rowChecksum(version, model, bytes) !== sum)
    throw new CorruptionError(`the row of the vectors of file version ${version} is damaged`);
  return decodeVectors(wholeOf(db, "vectors", id, bytes));
}

export function unembeddedIn(db: Connection, fingerprint: string, files: Iterable<IndexedFile>): IndexedFile[] {
  const sql = "SELECT version FROM vectors WHERE model = ?";
  const have = new Set(db.all<{ version: number }>(sql, keyOf(fingerprint)).map((row) => row.version));
  return [...files].filter((file) => file.chunks > 0 && !have.has(file.id));
}

/** The blob's own CRC, its first word, stands for its content. */
function rowChecksum(version: number, model: string, bytes: Uint8Array): number {
  return checksum(version, model, crc32(bytes.subarray(0, 16)));
}
