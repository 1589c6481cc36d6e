/** What one open store has read: states of views, their segments, records, texts and facts, as far as they were needed. */
import type { Kernel } from "../../embed/kernel.ts";
import { ByteCache } from "../../engine/byte-cache.ts";
import type { FileFrame, FileRecord } from "../../model/code.ts";
import { type Facts, NO_FACTS } from "../../model/edges.ts";
import type { ProjectId } from "../../model/ids.ts";
import type { FileRow, Limits } from "../../ports/store.ts";
import { CorruptionError } from "../../segment/corruption.ts";
import { decodeFacts } from "../../segment/facts.ts";
import { decodeFrame, decodeRecord, decodeText } from "../../segment/record.ts";
import { frameBytes } from "../../segment/record-columns.ts";
import type { Db } from "./db.ts";
import { Aborted } from "./failures.ts";
import { FileLoader, readBlobs } from "./file-loader.ts";
import type { Published } from "./listener.ts";
import { requireReadable } from "./migrate.ts";
import { placeOf, requireSchema } from "./repository.ts";
import { type OpenView, type PartKind, SegmentReplaced, Segments } from "./segments.ts";
import { stampRevision, stampsOf } from "./stamps.ts";
import { VectorShelves } from "./vectors.ts";
import { loadView, loadWhole, type Shown, VIEW_COLUMNS, type ViewRow, type ViewState } from "./view-state.ts";

/** Merges that may come between the start and the end of one question. */
const MOST_MERGES = 5;
const RECORD_CACHE_BYTES = 32 << 20;
/** Some 10,000 files. */
const FRAME_CACHE_BYTES = 8 << 20;
const TEXT_CACHE_BYTES = 16 << 20;
const FACTS_CACHE_BYTES = 64 << 20;
/** Decoded, a record takes about this many times the bytes of its stored form; facts somewhat less. */
const RECORD_EXPANSION = 12;
const FACTS_EXPANSION = 8;
/** A state of 10,000 files takes some 2 MB. */
const MOST_STATES = 16;
const TEXTS_AT_ONCE = 256;

export interface ReadMeans {
  /** Compiles what compares vectors. */
  readonly kernelOf: () => Kernel;
  /** The part of its caches that this reader may fill; less where several threads read the same. */
  readonly cacheShare: number;
}

/** What snapshots of this process hold: the oldest generation by view, and epochs. */
export interface Pins {
  readonly views: ReadonlyMap<number, number>;
  readonly epochs: ReadonlySet<number>;
}

interface Found extends Partial<ViewRow> {
  /** The oldest release, as a step of the tables, that may still read them. */
  readonly least: number;
  readonly repo: number;
  readonly now_epoch: number;
  readonly schema_version: number;
}

export class Source {
  readonly vectors: VectorShelves;
  readonly #db: Db;
  readonly #key: string;
  readonly #segments: Segments;
  readonly #states = new Map<string, ViewState>();
  readonly #loading = new Map<string, Promise<ViewState>>();
  readonly #opened = new WeakMap<ViewState, Promise<OpenView>>();
  readonly #records: ByteCache<number, FileRecord>;
  readonly #frames: ByteCache<number, FileFrame>;
  readonly #facts: ByteCache<number, Facts>;
  readonly #texts: ByteCache<string, string>;
  readonly #recordLoader: FileLoader;
  readonly #textLoader: FileLoader;
  readonly #pins = new Map<ViewState, number>();
  #base: { readonly view: number; readonly generation: number; readonly shown: Promise<Shown> } | undefined;
  #stamps:
    | {
        readonly state: ViewState;
        readonly tree: ProjectId;
        readonly revision: number;
        readonly stamps: ReadonlyMap<string, string>;
      }
    | undefined;

  constructor(db: Db, key: string, { kernelOf, cacheShare }: ReadMeans) {
    this.#db = db;
    this.#key = key;
    this.#segments = new Segments(db);
    this.vectors = new VectorShelves(db, kernelOf);
    this.#records = new ByteCache(RECORD_CACHE_BYTES * cacheShare);
    this.#frames = new ByteCache(FRAME_CACHE_BYTES * cacheShare);
    this.#facts = new ByteCache(FACTS_CACHE_BYTES * cacheShare);
    this.#texts = new ByteCache(TEXT_CACHE_BYTES * cacheShare);
    this.#recordLoader = new FileLoader(db, "record");
    this.#textLoader = new FileLoader(db, "text");
  }

  /** The newest published state of a ref, loaded as far as it changed. */
  async state(ref: string, limits?: Limits): Promise<ViewState | undefined> {
    const columns = VIEW_COLUMNS.split(", ").map((column) => `w.${column}`);
    const sql = `SELECT (SELECT max(m.compatible_from) FROM codecompass.migration m) AS least, r.id AS repo, r.epoch AS now_epoch, r.schema_version, ${columns.join(", ")}
      FROM codecompass.repository r
      LEFT JOIN codecompass.view w ON w.repo = r.id AND w.epoch = r.epoch AND w.ref = $2
      WHERE r.key = $1`;
    const [row] = await this.#db.rows<Found>(sql, [this.#key, ref], { limits, prepared: "state" });
    if (row === undefined) return undefined;
    requireReadable(row.least, this.#db.address.shown);
    requireSchema({ id: row.repo, epoch: row.now_epoch, schema_version: row.schema_version });
    return row.id === undefined || row.id === null ? undefined : this.#stateOf(row as Found & ViewRow);
  }

  async #stateOf(row: Found & ViewRow): Promise<ViewState> {
    const before = this.#states.get(row.ref);
    if (before?.view === row.id && before.info.generation === row.generation) return this.#keep(row.ref, before);
    // Whoever asks for the same state at the same moment waits for the same rows.
    const name = `${row.id} ${row.generation}`;
    let loading = this.#loading.get(name);
    if (loading === undefined) {
      const baseOf = (view: number, generation: number) => this.#baseOf(row.repo, view, generation);
      const place = placeOf({ id: row.repo, epoch: row.epoch, schema_version: row.schema_version });
      // Nobody's signal: who gives up must not take it from the others.
      loading = loadView(this.#db, place, row, { before, baseOf });
      this.#loading.set(name, loading);
      const done = () => void this.#loading.delete(name);
      loading.then(done, done);
    }
    return this.#keep(row.ref, await loading);
  }

  /** Whether a publication concerns what is held here. */
  holds(published: Published | undefined): boolean {
    if (published === undefined) return this.#states.size > 0;
    return this.#states.get(published.ref)?.repo === published.repo;
  }

  /** Loads what was published since, of one ref or of all that are held. */
  async refresh(ref: string | undefined): Promise<void> {
    for (const one of ref === undefined ? [...this.#states.keys()] : [ref]) await this.state(one);
  }

  /** A map remembers the order of insertion: the first is the one that was asked for longest ago. */
  #keep(ref: string, state: ViewState): ViewState {
    const known = this.#states.get(ref);
    const newer = known?.view === state.view && known.info.generation > state.info.generation;
    if (!newer) {
      this.#states.delete(ref);
      this.#states.set(ref, state);
      if (this.#states.size > MOST_STATES) this.#states.delete(this.#states.keys().next().value!);
    }
    return state;
  }

  /** Shared by all views over it; the one used last is kept. */
  #baseOf(repo: number, view: number, generation: number): Promise<Shown> {
    const held = this.#base;
    if (held?.view === view && held.generation === generation) return held.shown;
    const shown = loadWhole({ asking: this.#db, repo }, view, generation);
    this.#base = { view, generation, shown };
    shown.catch(() => {
      this.#base = undefined;
    });
    return shown;
  }

  /** Fetches what the question needs of the view's segments, then answers it from memory. */
  async answered<T>(
    state: ViewState,
    kinds: readonly PartKind[],
    limits: Limits | undefined,
    read: (view: OpenView) => T,
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        const view = await this.#open(state);
        await this.#segments.fetch(state, view, kinds);
        if (limits?.signal?.aborted) throw new Aborted(limits.signal.reason);
        return read(view);
      } catch (error) {
        // Segments may be merged while a state is held; its files are then in others.
        if (!(error instanceof SegmentReplaced) || attempt === MOST_MERGES) throw error;
        this.#opened.delete(state);
      }
    }
  }

  #open(state: ViewState): Promise<OpenView> {
    let opened = this.#opened.get(state);
    if (opened === undefined) {
      opened = this.#segments.open(state);
      this.#opened.set(state, opened);
      opened.catch(() => this.#opened.delete(state));
    }
    return opened;
  }

  async record(repo: number, file: Pick<FileRow, "id" | "path" | "contentHash">): Promise<FileRecord> {
    const cached = this.#records.get(file.id);
    if (cached !== undefined) return cached;
    const bytes = await this.#recordBytes(repo, file);
    const known = this.#records.get(file.id);
    if (known !== undefined) return known;
    const record = decodeRecord(bytes);
    if (record.path !== file.path || record.contentHash !== file.contentHash)
      throw new CorruptionError(`the record of ${file.path} belongs to ${record.path}`);
    this.#records.set(file.id, record, bytes.length * RECORD_EXPANSION);
    return record;
  }

  async frame(repo: number, file: FileRow): Promise<FileFrame> {
    const cached = this.#frames.get(file.id);
    if (cached !== undefined) return cached;
    const frame = decodeFrame(await this.#recordBytes(repo, file));
    this.#frames.set(file.id, frame, frameBytes(frame));
    return frame;
  }

  async #recordBytes(repo: number, { id, path }: Pick<FileRow, "id" | "path">): Promise<Uint8Array> {
    const bytes = await this.#recordLoader.load(repo, id);
    if (bytes === undefined) throw new CorruptionError(`the record of ${path} is missing`);
    return bytes;
  }

  /** Fetches records that the next question will want; nobody waits. */
  recordsSoon(repo: number, files: Iterable<FileRow>): void {
    for (const file of files) if (this.#records.get(file.id) === undefined) void this.#recordLoader.load(repo, file.id);
  }

  async text(repo: number, file: FileRow): Promise<string> {
    const cached = this.#texts.get(file.contentHash);
    if (cached !== undefined) return cached;
    const bytes = await this.#textLoader.load(repo, file.id);
    if (bytes === undefined) throw new CorruptionError(`the text of ${file.path} is missing`);
    const text = decodeText(bytes);
    this.#texts.set(file.contentHash, text, text.length);
    return text;
  }

  async packed(repo: number, files: readonly FileRow[]): Promise<Uint8Array[]> {
    const packed: Uint8Array[] = [];
    for (let from = 0; from < files.length; from += TEXTS_AT_ONCE) {
      const some = files.slice(from, from + TEXTS_AT_ONCE);
      const found = await readBlobs(
        this.#db,
        "text",
        repo,
        some.map(({ id }) => id),
      );
      for (const file of some) packed.push(required(found.get(file.id), `the text of ${file.path} is missing`));
    }
    return packed;
  }

  async facts(repo: number, files: readonly FileRow[]): Promise<Facts[]> {
    const kept = new Map(
      files.flatMap(({ id }) => {
        const facts = this.#facts.get(id);
        return facts === undefined ? [] : [[id, facts] as const];
      }),
    );
    const missing = files.map(({ id }) => id).filter((id) => !kept.has(id));
    const read = new Map<number, Facts>(kept);
    for (let from = 0; from < missing.length; from += TEXTS_AT_ONCE) {
      const some = missing.slice(from, from + TEXTS_AT_ONCE);
      const found = await readBlobs(this.#db, "facts", repo, some);
      for (const id of some) {
        const bytes = found.get(id);
        const facts = bytes === undefined ? NO_FACTS : decodeFacts(bytes);
        read.set(id, facts);
        this.#facts.set(id, facts, (bytes?.length ?? 16) * FACTS_EXPANSION);
      }
    }
    return files.map(({ id }) => read.get(id)!);
  }

  /** Stamps are not published; they are read again when their tree's revision grew. */
  async stamps(state: ViewState, tree: ProjectId): Promise<ReadonlyMap<string, string>> {
    const revision = await stampRevision(this.#db, state, tree);
    const known = this.#stamps;
    if (known?.state === state && known.tree === tree && known.revision === revision) return known.stamps;
    const stamps = await stampsOf(this.#db, state, tree, state);
    this.#stamps = { state, tree, revision, stamps };
    return stamps;
  }

  pin(state: ViewState): void {
    this.#pins.set(state, (this.#pins.get(state) ?? 0) + 1);
  }

  unpin(state: ViewState): void {
    const left = (this.#pins.get(state) ?? 1) - 1;
    if (left > 0) this.#pins.set(state, left);
    else this.#pins.delete(state);
  }

  pinned(): Pins {
    const views = new Map<number, number>();
    const epochs = new Set<number>();
    for (const { view, epoch, info } of this.#pins.keys()) {
      views.set(view, Math.min(views.get(view) ?? Number.POSITIVE_INFINITY, info.generation));
      epochs.add(epoch);
    }
    return { views, epochs };
  }
}

function required<T>(value: T | undefined, otherwise: string): T {
  if (value === undefined) throw new CorruptionError(otherwise);
  return value;
}
