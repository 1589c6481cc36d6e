/** One database file open for reading, with everything that was loaded from it. */
import type { Kernel } from "../../embed/kernel.ts";
import type { ProjectId } from "../../model/ids.ts";
import { CorruptionError } from "../../segment/bytes.ts";
import type { TextView } from "../../segment/view.ts";
import { Connection, isEmpty, schemaVersionOf } from "./connection.ts";
import { Contents } from "./contents.ts";
import { identityOf } from "./directory.ts";
import { incompatible } from "./failures.ts";
import { type Base, type IndexedFile, stateIdOf, VIEW_COLUMNS, type ViewRow } from "./rows.ts";
import { SCHEMA_VERSION } from "./schema.ts";
import { SegmentReplaced, Segments } from "./segments.ts";
import { stampsOf } from "./stamps.ts";
import { VectorShelves } from "./vectors.ts";
import { loadBase, loadView, type ViewState } from "./view-state.ts";

/** Merges that may come between the start and the end of one question. */
const MOST_MERGES = 5;
export interface ReadMeans {
  /** Compiles what compares vectors. */
  readonly kernelOf: () => Kernel;
  /** The part of its caches that this reader may fill; less where several threads read the same. */
  readonly cacheShare: number;
}

/** A state of 10,000 files takes some 2 MB; somebody who asks for a hundred branches must not keep them all. */
const MOST_STATES = 16;

export class Source {
  readonly identity: string;
  readonly db: Connection;
  readonly contents: Contents;
  readonly vectors: VectorShelves;
  private readonly segments: Segments;
  private readonly states = new Map<string, ViewState>();
  private readonly texts = new WeakMap<ViewState, TextView<IndexedFile>>();
  private stampsRead:
    | {
        readonly version: unknown;
        readonly state: ViewState;
        readonly tree: ProjectId;
        readonly stamps: ReadonlyMap<string, string>;
      }
    | undefined;
  /** The log and its index that this connection reads, once seen. */
  private readonly sideFiles: (string | undefined)[] = [undefined, undefined];
  private readonly pins = new Map<ViewState, number>();
  private baseHeld: { readonly view: number; readonly generation: number; readonly base: Base } | undefined;
  private retired = false;
  private schemaSeen = false;
  private storeIdRead: string | undefined;

  constructor(path: string, identity: string, { kernelOf, cacheShare }: ReadMeans) {
    this.identity = identity;
    this.db = new Connection(path, "read");
    this.segments = new Segments(this.db);
    this.contents = new Contents(this.db, cacheShare);
    this.vectors = new VectorShelves(this.db, kernelOf);
  }

  /** Reads something. A file that cannot even be read is closed again. */
  touch(): void {
    try {
      this.db.get("SELECT 1 FROM sqlite_schema");
    } catch (error) {
      this.db.close();
      throw error;
    }
  }

  /**
   * False when somebody deleted the log or its index under this connection, which goes on reading the deleted ones: it
   * would never see a later publication. While it is open, SQLite itself leaves both in place.
   */
  hasItsLog(): boolean {
    return ["-wal", "-shm"].every((suffix, at) => {
      const now = identityOf(this.db.path + suffix);
      this.sideFiles[at] ??= now;
      return this.sideFiles[at] === now;
    });
  }

  /** A file without tables: its maker has not come that far, or was killed before. */
  isEmpty(): boolean {
    return !this.schemaSeen && isEmpty(this.db);
  }

  /** The schema version on disk. Throws `CorruptionError` when this is no index of ours. */
  schemaVersion(): number {
    return schemaVersionOf(this.db);
  }

  /** Asked before every read; one file keeps its schema for life. */
  requireSchema(): void {
    if (this.schemaSeen) return;
    const version = this.schemaVersion();
    if (version !== SCHEMA_VERSION) throw incompatible(schemaMessage(version));
    this.schemaSeen = true;
  }

  views(): ViewRow[] {
    return this.db.reading(() => {
      this.requireViews();
      return this.db.all<ViewRow>(`SELECT ${VIEW_COLUMNS} FROM view NOT INDEXED ORDER BY ref`);
    });
  }

  /** The newest publication of a view stays as long as the view does: one without a view means that its row was lost. */
  private requireViews(): void {
    const lost = this.db.get("SELECT 1 FROM publication WHERE view NOT IN (SELECT id FROM view NOT INDEXED)");
    if (lost !== undefined) throw new CorruptionError("the row of a view is missing");
  }

  /** The newest published state of a ref, loaded as far as it changed. */
  state(ref: string): ViewState | undefined {
    return this.db.reading(() => {
      const row = this.db.get<ViewRow>(`SELECT ${VIEW_COLUMNS} FROM view WHERE ref = ?`, ref);
      if (row === undefined) {
        this.requireViews();
        // Looked for without the index on refs, which may have lost the entry.
        if (this.db.get("SELECT 1 FROM view NOT INDEXED WHERE ref = ?", ref) === undefined) return undefined;
      }
      if (row?.ref !== ref) throw new CorruptionError("the index of views by their refs is damaged");
      const before = this.states.get(ref);
      const isNow = before?.info.stateId === stateIdOf(row, this.storeId());
      const state = isNow ? before : this.load(row, before);
      this.keep(ref, state);
      return state;
    });
  }

  private load(row: ViewRow, before: ViewState | undefined): ViewState {
    const how = { baseOf: (view: number, generation: number) => this.base(view, generation), storeId: this.storeId() };
    const held = this.baseHeld;
    try {
      return loadView(this.db, row, before, how);
    } catch (error) {
      // The number of the base may have been given to another view since it was loaded.
      if (!(error instanceof CorruptionError) || held === undefined || held !== this.baseHeld) throw error;
      this.baseHeld = undefined;
      return loadView(this.db, row, before, how);
    }
  }

  /** Made up when the file was created: two files at one path never have the same. */
  storeId(): string {
    this.storeIdRead ??= this.db.get<{ value: string }>("SELECT value FROM meta WHERE key = 'store_id'")?.value ?? "";
    return this.storeIdRead;
  }

  /** A map remembers the order of insertion: the first is the one that was asked for longest ago. */
  private keep(ref: string, state: ViewState): void {
    this.states.delete(ref);
    this.states.set(ref, state);
    if (this.states.size > MOST_STATES) this.states.delete(this.states.keys().next().value!);
  }

  /** Shared by all views over it; the one used last is kept. */
  private base(view: number, generation: number): Base {
    const held = this.baseHeld;
    if (held?.view === view && held.generation === generation) return held.base;
    const base = loadBase(this.db, view, generation);
    this.baseHeld = { view, generation, base };
    return base;
  }

  /** Segments may be merged while a state is held; its files are then in others, and the question is asked again. */
  onPresentSegments<T>(state: ViewState, read: () => T): T {
    for (let attempt = 1; ; attempt++) {
      try {
        return read();
      } catch (error) {
        if (!(error instanceof SegmentReplaced) || attempt === MOST_MERGES) throw error;
        this.texts.delete(state);
      }
    }
  }

  text(state: ViewState): TextView<IndexedFile> {
    let text = this.texts.get(state);
    if (text === undefined) {
      text = this.segments.textOf(state);
      this.texts.set(state, text);
    }
    return text;
  }

  /** Stamps are not published; they are read again whenever anybody wrote to the database. */
  stamps(state: ViewState, tree: ProjectId): ReadonlyMap<string, string> {
    const version = this.db.pragma("data_version");
    const read = this.stampsRead;
    if (read !== undefined && read.version === version && read.state === state && read.tree === tree)
      return read.stamps;
    const stamps = stampsOf(this.db, tree, state);
    this.stampsRead = { version, state, tree, stamps };
    return stamps;
  }

  /** What is shown stays: views, full text and vectors take longer to open. */
  rest(): void {
    this.contents.clear();
    this.db.pragma("shrink_memory");
  }

  pin(state: ViewState): void {
    this.pins.set(state, (this.pins.get(state) ?? 0) + 1);
  }

  unpin(state: ViewState): void {
    const left = (this.pins.get(state) ?? 1) - 1;
    if (left > 0) this.pins.set(state, left);
    else this.pins.delete(state);
    this.closeWhenUnused();
  }

  /** By view: the oldest generation that a snapshot of this process holds. */
  oldestPins(): ReadonlyMap<number, number> {
    const oldest = new Map<number, number>();
    for (const { view, info } of this.pins.keys()) {
      oldest.set(view, Math.min(oldest.get(view) ?? Number.POSITIVE_INFINITY, info.generation));
    }
    return oldest;
  }

  /** Another file took this one's place; it is closed when the last snapshot lets go. */
  retire(): void {
    this.retired = true;
    this.closeWhenUnused();
  }

  private closeWhenUnused(): void {
    if (this.retired && this.pins.size === 0) this.db.close();
  }
}

export function schemaMessage(version: number): string {
  return `it has schema version ${version}, this release reads ${SCHEMA_VERSION}`;
}
