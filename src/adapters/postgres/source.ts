/** What one open store has read of views: their states, segments and stamps, as far as they were needed. */
import type { Kernel } from "../../embed/kernel.ts";
import type { ProjectId } from "../../model/ids.ts";
import type { Limits } from "../../ports/limits.ts";
import type { ViewInfo } from "../../ports/view.ts";
import { Contents } from "./contents.ts";
import type { Db } from "./db.ts";
import { Aborted } from "./failures.ts";
import type { Published } from "./listener.ts";
import { requireReadable } from "./migrate.ts";
import { Pins } from "./pins.ts";
import { placeOf, requireSchema } from "./repository.ts";
import { type OpenView, type PartKind, SegmentReplaced, Segments } from "./segments.ts";
import { stampRevision, stampsOf } from "./stamps.ts";
import { VectorShelves } from "./vectors.ts";
import { loadView, loadWhole, type Shown, VIEW_COLUMNS, type ViewRow, type ViewState } from "./view-state.ts";

/** Merges that may come between the start and the end of one question. */
const MOST_MERGES = 5;
/** A state of 10,000 files takes some 2 MB. */
const MOST_STATES = 16;

export interface ReadMeans {
  /** Compiles what compares vectors. */
  readonly kernelOf: () => Kernel;
  /** The part of its caches that this reader may fill; less where several threads read the same. */
  readonly cacheShare: number;
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
  readonly contents: Contents;
  readonly pins = new Pins();
  readonly #db: Db;
  readonly #key: string;
  readonly #segments: Segments;
  readonly #states = new Map<string, ViewState>();
  readonly #loading = new Map<string, Promise<ViewState>>();
  readonly #opened = new WeakMap<ViewState, Promise<OpenView>>();
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
    this.contents = new Contents(db, cacheShare);
  }

  /** The state that was told of, where it is loaded. A repository that was removed and made anew counts from one again. */
  known(ref: string, seen: ViewInfo | undefined): ViewState | undefined {
    const state = this.#states.get(ref);
    const isSame = state?.info.generation === seen?.generation && state?.info.publishedAt === seen?.publishedAt;
    return state !== undefined && isSame ? this.#keep(ref, state) : undefined;
  }

  /** The newest published state of a ref, loaded as far as it changed. */
  async state(ref: string, limits?: Limits): Promise<ViewState | undefined> {
    const columns = VIEW_COLUMNS.split(", ").map((column) => `w.${column}`);
    const sql = `SELECT (SELECT max(m.compatible_from) FROM codecompass.migration m) AS least, r.id AS repo, r.epoch AS now_epoch, r.schema_version, ${columns.join(", ")}
      FROM codecompass.repository r
      LEFT JOIN codecompass.view w ON w.repo = r.id AND w.epoch = r.epoch AND w.ref = $2
      WHERE r.key = $1`;
    const [row] = await this.#db.rows<Found>(sql, [this.#key, ref], { limits, prepared: "state" });
    if (row === undefined) this.#db.requireAll();
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

  /** Stamps are not published; they are read again when their tree's revision grew. */
  async stamps(state: ViewState, tree: ProjectId): Promise<ReadonlyMap<string, string>> {
    const revision = await stampRevision(this.#db, state, tree);
    const known = this.#stamps;
    if (known?.state === state && known.tree === tree && known.revision === revision) return known.stamps;
    const stamps = await stampsOf(this.#db, state, tree, state);
    this.#stamps = { state, tree, revision, stamps };
    return stamps;
  }
}
