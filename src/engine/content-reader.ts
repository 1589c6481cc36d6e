/** What was read of one content: view states, segments, vectors and files, as far as they were needed. */
import type { Kernel } from "../embed/kernel.ts";
import type { ProjectId } from "../model/ids.ts";
import type { Content, StampRow, ViewRow } from "../ports/backend.ts";
import type { Limits, ViewInfo } from "../ports/snapshot.ts";
import { CorruptionError } from "../segment/bytes.ts";
import { Contents } from "./contents.ts";
import { type OpenView, type PartKind, SegmentReplaced, Segments } from "./segments.ts";
import { SharedWork } from "./shared-work.ts";
import { VectorSearch } from "./vectors.ts";
import { readPack } from "./view-pack.ts";
import {
  addsUp,
  infoOf,
  loadOver,
  loadPlain,
  stateIdOf,
  type ViewContent,
  type ViewGeneration,
  type ViewState,
} from "./view-state.ts";

/** Merges that may come between the start and the end of one query. */
const MOST_MERGES = 5;
/** A state of 10,000 files takes some 2 MB. */
const MOST_STATES = 16;

export interface ReaderOptions {
  /** Compiles what compares vectors. */
  readonly kernelOf: () => Kernel;
  /** The part of its caches that this reader may fill; less where several threads read the same. */
  readonly cacheShare: number;
  /** Names whose rights apply to the present request; empty where there are no principals. */
  readonly principal: () => string;
  /** The database runs in this process: a read costs little, and a write may compare with earlier versions. */
  readonly isEmbedded: boolean;
}

interface StampSnapshot {
  readonly state: ViewState;
  readonly tree: ProjectId;
  readonly revision: number | undefined;
  readonly stamps: ReadonlyMap<string, string>;
}

export class ContentReader {
  readonly content: Content;
  readonly contents: Contents;
  readonly vectors: VectorSearch;
  readonly segments: Segments;
  readonly isEmbedded: boolean;
  readonly #states = new Map<string, ViewState>();
  /** As they were read last, by ref. */
  readonly #rows = new Map<string, ViewRow>();
  readonly #work: SharedWork;
  readonly #opened = new WeakMap<ViewState, OpenView>();
  readonly #pins = new Map<ViewGeneration, number>();
  /** Shared by all views over it; the one used last is kept. */
  #base: { readonly view: number; readonly generation: number; readonly content: ViewContent } | undefined;
  #stamps: StampSnapshot | undefined;
  #isRetired = false;

  constructor(content: Content, options: ReaderOptions) {
    this.content = content;
    this.isEmbedded = options.isEmbedded;
    this.#work = new SharedWork(options.principal);
    this.segments = new Segments(content, this.#work);
    this.vectors = new VectorSearch(content, options.kernelOf);
    this.contents = new Contents(content, options);
  }

  /** The state that the caller has seen, where it is loaded. */
  known(ref: string, seen: Pick<ViewInfo, "stateId"> | undefined): ViewState | undefined {
    const state = this.#states.get(ref);
    return state !== undefined && state.info.stateId === seen?.stateId ? this.#keep(state) : undefined;
  }

  noteRows(rows: readonly ViewRow[]): void {
    for (const row of rows) this.#rows.set(row.ref, row);
  }

  /** The row that the caller has seen, whether or not what it shows is loaded. */
  knownRow(ref: string, seen: Pick<ViewInfo, "stateId"> | undefined): ViewRow | undefined {
    const row = this.#rows.get(ref);
    return row !== undefined && stateIdOf(row, this.content.id) === seen?.stateId ? row : undefined;
  }

  /** The state of the row, loaded as far as it changed. Throws `CorruptionError` when its rows do not add up. */
  async state(row: ViewRow): Promise<ViewState> {
    const before = this.#states.get(row.ref);
    const stateId = stateIdOf(row, this.content.id);
    if (before?.info.stateId === stateId) return this.#keep(before);
    // No signal is passed on: a caller that gives up must not take the state from the others that wait for it.
    return this.#keep(await this.#work.run(`load ${stateId}`, () => this.#load(row, before)));
  }

  async #load(row: ViewRow, before: ViewState | undefined): Promise<ViewState> {
    const finish = (content: ViewContent): ViewState => ({
      view: row.id,
      info: infoOf(row, this.content.id),
      files: content.files,
      skips: content.skips,
      digest: content.digest,
    });
    const at = { view: row.id, generation: row.generation };
    if (row.baseView !== null) return finish(await this.#loadOver(row));
    const isEarlier = before?.view === row.id && before.info.generation <= row.generation;
    const known = isEarlier ? { ...before, generation: before.info.generation } : await readPack(this.content, row);
    if (known !== undefined) {
      const advanced = await loadPlain(this.content, at, known);
      // Rows that were closed long ago may have been collected; then only a full load tells.
      if (addsUp(advanced, row)) return finish(advanced);
    }
    const whole = await loadPlain(this.content, at);
    if (addsUp(whole, row)) return finish(whole);
    throw new CorruptionError(`the rows of ref ${row.ref} do not add up to its digest`);
  }

  async #loadOver(row: ViewRow): Promise<ViewContent> {
    const [view, generation] = [row.baseView!, row.baseGeneration!];
    const at = { view: row.id, generation: row.generation };
    const held = this.#base;
    if (held?.view === view && held.generation === generation) {
      const shown = await loadOver(this.content, at, held.content);
      // Otherwise the number of the base may have been given to another view since it was loaded.
      if (addsUp(shown, row)) return shown;
    }
    const pack = await readPack(this.content, { id: view, generation });
    for (const known of pack === undefined ? [undefined] : [pack, undefined]) {
      const base = await loadPlain(this.content, { view, generation }, known);
      const shown = await loadOver(this.content, at, base);
      if (!addsUp(shown, row)) continue;
      this.#base = { view, generation, content: base };
      return shown;
    }
    throw new CorruptionError(`the rows of ref ${row.ref} do not add up to its digest`);
  }

  /** A map remembers the order of insertion: the first is the one that was used longest ago. */
  #keep(state: ViewState): ViewState {
    const { ref, generation } = state.info;
    const known = this.#states.get(ref);
    if (known?.view === state.view && known.info.generation > generation) return state;
    this.#states.delete(ref);
    this.#states.set(ref, state);
    if (this.#states.size > MOST_STATES) this.#states.delete(this.#states.keys().next().value!);
    return state;
  }

  /** Fetches what the query needs of the view's segments, then answers it from memory. */
  async answer<T>(
    state: ViewState,
    kinds: readonly PartKind[],
    limits: Limits | undefined,
    read: (view: OpenView) => T,
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        const view = await this.open(state);
        await this.segments.fetch(view, kinds, limits);
        return read(view);
      } catch (error) {
        // Segments may be merged while a state is held; its files are then in others.
        if (!(error instanceof SegmentReplaced) || attempt === MOST_MERGES) throw error;
        this.#opened.delete(state);
      }
    }
  }

  async open(state: ViewState): Promise<OpenView> {
    const known = this.#opened.get(state);
    if (known !== undefined) return known;
    const opened = await this.#work.run(`open ${state.info.stateId}`, () => this.segments.open(state));
    this.#opened.set(state, opened);
    return opened;
  }

  /**
   * The stamps under which the tree's files are what the view shows; empty for files that are not known to be. Stamps are
   * not published: they are read again when the tree's revision changed.
   */
  async stamps(state: ViewState, tree: ProjectId): Promise<ReadonlyMap<string, string>> {
    const [row] = await this.content.rows("trees", { tree });
    const known = this.#stamps;
    if (known?.state === state && known.tree === tree && known.revision === row?.revision) return known.stamps;
    const stamps = stampsOf(state, await this.content.rows("stamps", { tree }));
    this.#stamps = { state, tree, revision: row?.revision, stamps };
    return stamps;
  }

  pin(pinned: ViewGeneration): void {
    this.#pins.set(pinned, (this.#pins.get(pinned) ?? 0) + 1);
  }

  unpin(pinned: ViewGeneration): void {
    const left = (this.#pins.get(pinned) ?? 1) - 1;
    if (left > 0) this.#pins.set(pinned, left);
    else this.#pins.delete(pinned);
    this.#closeWhenUnused();
  }

  /** By view: the oldest generation that a snapshot of this process holds. */
  oldestPins(): ReadonlyMap<number, number> {
    const oldest = new Map<number, number>();
    for (const { view, info } of this.#pins.keys())
      oldest.set(view, Math.min(oldest.get(view) ?? Number.POSITIVE_INFINITY, info.generation));
    return oldest;
  }

  /** Other content took its place; it is closed when the last snapshot is released. */
  retire(): void {
    this.#isRetired = true;
    this.#closeWhenUnused();
  }

  #closeWhenUnused(): void {
    if (this.#isRetired && this.#pins.size === 0) this.content.close().catch(() => {});
  }
}

function stampsOf({ files, skips }: ViewContent, rows: readonly StampRow[]): ReadonlyMap<string, string> {
  const stamps = new Map<string, string>();
  for (const path of files.keys()) stamps.set(path, "");
  for (const { path, stamp, version, skip } of rows) {
    const isSame = version === null ? skip !== null && skips.get(path) === skip : files.get(path)?.id === version;
    if (isSame) stamps.set(path, stamp);
  }
  return stamps;
}
