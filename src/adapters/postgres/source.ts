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
import { Pins } from "./pinned-views.ts";
import { requireSchema, UID } from "./repository.ts";
import { type OpenView, type PartKind, SegmentReplaced, Segments } from "./segments.ts";
import { SharedWork } from "./shared-work.ts";
import { stampRevision, stampsOf } from "./stamps.ts";
import { VectorShelves } from "./vectors.ts";
import {
  loadView,
  loadWhole,
  type Shown,
  stateIdOf,
  VIEW_COLUMNS,
  type ViewRow,
  type ViewState,
} from "./view-state.ts";

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
  readonly uid: string;
  readonly now_epoch: number;
  readonly schema_version: number;
}

/** Segments, vectors and files of one repository, as far as they were needed. */
interface Read {
  readonly uid: string;
  readonly segments: Segments;
  readonly vectors: VectorShelves;
  readonly contents: Contents;
}

/** A view at a generation that others are kept as differences to. */
interface Base {
  readonly uid: string;
  readonly view: number;
  readonly generation: number;
  readonly shown: Shown;
}

export class Source {
  readonly pins = new Pins();
  readonly #db: Db;
  readonly #key: string;
  readonly #means: ReadMeans;
  #read: Read | undefined;
  readonly #states = new Map<string, ViewState>();
  /** States that are being loaded, and views that are being opened. */
  readonly #work: SharedWork;
  readonly #opened = new WeakMap<ViewState, OpenView>();
  #base: Base | undefined;
  #stamps:
    | {
        readonly state: ViewState;
        readonly tree: ProjectId;
        readonly revision: number;
        readonly stamps: ReadonlyMap<string, string>;
      }
    | undefined;

  constructor(db: Db, key: string, means: ReadMeans) {
    this.#db = db;
    this.#key = key;
    this.#work = new SharedWork(db);
    this.#means = means;
  }

  /** What was read of the repository `uid`. When one of the same name takes its place, its numbers mean something else. */
  readOf(uid: string): Read {
    if (this.#read?.uid !== uid) {
      const { kernelOf, cacheShare } = this.#means;
      this.#read = {
        uid,
        segments: new Segments(this.#db),
        vectors: new VectorShelves(this.#db, kernelOf),
        contents: new Contents(this.#db, cacheShare),
      };
    }
    return this.#read;
  }

  rest(): void {
    this.#read?.contents.clear();
  }

  /** The state that was told of, where it is loaded. */
  known(ref: string, seen: ViewInfo | undefined): ViewState | undefined {
    const state = this.#states.get(ref);
    return state !== undefined && state.info.stateId === seen?.stateId ? this.#keep(ref, state) : undefined;
  }

  /** The newest published state of a ref, loaded as far as it changed. */
  async state(ref: string, limits?: Limits): Promise<ViewState | undefined> {
    const columns = VIEW_COLUMNS.split(", ").map((column) => `w.${column}`);
    const sql = `SELECT (SELECT max(m.compatible_from) FROM codecompass.migration m) AS least, r.id AS repo, ${UID}, r.epoch AS now_epoch, r.schema_version, ${columns.join(", ")}
      FROM codecompass.repository r
      LEFT JOIN codecompass.view w ON w.repo = r.id AND w.epoch = r.epoch AND w.ref = $2
      WHERE r.key = $1`;
    const [row] = await this.#db.rows<Found>(sql, [this.#key, ref], { limits, prepared: "state" });
    if (row === undefined) return undefined;
    requireReadable(row.least, this.#db.address.shown);
    requireSchema(row);
    return row.id === undefined || row.id === null ? undefined : this.#stateOf(row as Found & ViewRow);
  }

  async #stateOf(row: Found & ViewRow): Promise<ViewState> {
    const before = this.#states.get(row.ref);
    const stateId = stateIdOf(row, row.uid);
    if (before?.info.stateId === stateId) return this.#keep(row.ref, before);
    // No signal is passed on: a caller that gives up must not take the state from the others that wait for it.
    const loaded = await this.#work.run(`load ${stateId}`, () => this.#load(row, before));
    return this.#keep(row.ref, loaded);
  }

  async #load(row: Found & ViewRow, before: ViewState | undefined): Promise<ViewState> {
    let base: Base | undefined;
    const baseOf = async (view: number, generation: number) => {
      const held = this.#base;
      const isHeld = held?.uid === row.uid && held.view === view && held.generation === generation;
      const shown = isHeld ? held.shown : await loadWhole({ asking: this.#db, repo: row.repo }, view, generation);
      base = { uid: row.uid, view, generation, shown };
      return shown;
    };
    const place = { repo: row.repo, uid: row.uid, epoch: row.epoch };
    const state = await loadView(this.#db, place, row, { before, baseOf });
    // Shared by all views over it; the one used last is kept. Not before a state over it adds up: rows may have been missing.
    if (base !== undefined) this.#base = base;
    return state;
  }

  /** Whether a publication concerns what is held here. */
  holds(published: Published | undefined): boolean {
    return [...this.#states.values()].some(({ repo }) => published === undefined || repo === published.repo);
  }

  /** Loads what was published since, of all refs that are held. */
  async refresh(): Promise<void> {
    for (const ref of [...this.#states.keys()]) await this.state(ref);
  }

  /** A map remembers the order of insertion: the first is the one that was asked for longest ago. */
  #keep(ref: string, state: ViewState): ViewState {
    const known = this.#states.get(ref);
    const newer =
      known?.uid === state.uid && known.view === state.view && known.info.generation > state.info.generation;
    if (!newer) {
      this.#states.delete(ref);
      this.#states.set(ref, state);
      if (this.#states.size > MOST_STATES) this.#states.delete(this.#states.keys().next().value!);
    }
    return state;
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
        await this.readOf(state.uid).segments.fetch(state, view, kinds);
        if (limits?.signal?.aborted) throw new Aborted(limits.signal.reason);
        return read(view);
      } catch (error) {
        // Segments may be merged while a state is held; its files are then in others.
        if (!(error instanceof SegmentReplaced) || attempt === MOST_MERGES) throw error;
        this.#opened.delete(state);
      }
    }
  }

  async #open(state: ViewState): Promise<OpenView> {
    const known = this.#opened.get(state);
    if (known !== undefined) return known;
    const { segments } = this.readOf(state.uid);
    const opened = await this.#work.run(`open ${state.info.stateId}`, () => segments.open(state));
    this.#opened.set(state, opened);
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
