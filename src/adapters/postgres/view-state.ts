/** What a view shows at one generation, loaded from its rows; a later generation is loaded as the difference. */
import { type Totals, viewInfo } from "../../engine/totals.ts";
import type { SkipReason } from "../../model/code.ts";
import type { ContentHash, FileId } from "../../model/ids.ts";
import type { Limits } from "../../ports/limits.ts";
import type { FileRow, ViewInfo } from "../../ports/view.ts";
import { CorruptionError } from "../../segment/bytes.ts";
import { TOGETHER } from "./planner-settings.ts";
import type { Asking, AskOptions } from "./query-interface.ts";
import type { Place } from "./repository.ts";

export interface ViewRow {
  readonly id: number;
  readonly epoch: number;
  readonly ref: string;
  /** The view, and its generation, that this one is kept as a difference to. */
  readonly base_view: number | null;
  readonly base_generation: number | null;
  readonly generation: number;
  readonly commit_id: string | null;
  readonly published_at: number;
  readonly totals: string;
}

export const VIEW_COLUMNS = "id, epoch, ref, base_view, base_generation, generation, commit_id, published_at, totals";

/** A file of a view, with what its row says beyond the port's. */
export interface IndexedFile extends FileRow {
  readonly symbols: number;
  readonly chunks: number;
  readonly extractor: string;
  readonly problem?: string;
}

/** A generation of a view. */
export interface Shown {
  readonly files: ReadonlyMap<string, IndexedFile>;
  readonly skips: ReadonlyMap<string, SkipReason>;
}

export interface ViewState extends Shown {
  readonly repo: number;
  /** Of the repository: see `Repository`. */
  readonly uid: string;
  readonly epoch: number;
  readonly view: number;
  readonly info: ViewInfo;
}

/** `uid`: of the view's repository. */
export function infoOf(row: ViewRow, uid: string): ViewInfo {
  const { ref, generation, commit_id: commit, published_at: publishedAt, totals } = row;
  const stateId = stateIdOf(row, uid);
  return viewInfo({ stateId, ref, generation, commit, publishedAt }, JSON.parse(totals) as Totals);
}

export function stateIdOf({ id, generation, published_at }: ViewRow, uid: string): string {
  return `${uid}.${id}.${generation}.${published_at}`;
}

export async function readView(asking: Asking, { repo, epoch }: Place, ref: string): Promise<ViewRow | undefined> {
  const sql = `SELECT ${VIEW_COLUMNS} FROM codecompass.view WHERE repo = $1 AND epoch = $2 AND ref = $3`;
  return (await asking.rows<ViewRow>(sql, [repo, epoch, ref], { prepared: "view" }))[0];
}

export async function readViews(asking: Asking, { repo, epoch }: Place): Promise<ViewRow[]> {
  const sql = `SELECT ${VIEW_COLUMNS} FROM codecompass.view WHERE repo = $1 AND epoch = $2 ORDER BY ref`;
  return asking.rows<ViewRow>(sql, [repo, epoch]);
}

export type BaseOf = (view: number, generation: number) => Promise<Shown>;

/** Throws `CorruptionError` when the rows are not as many as the view says. */
export async function loadView(
  asking: Asking,
  place: Place & { readonly uid: string },
  row: ViewRow,
  { before, baseOf, limits }: { before?: ViewState | undefined; baseOf: BaseOf; limits?: Limits | undefined },
): Promise<ViewState> {
  const ask = { asking, repo: place.repo, limits };
  const known = { ...place, view: row.id, info: infoOf(row, place.uid) };
  if (
    row.base_view === null &&
    before?.uid === place.uid &&
    before.view === row.id &&
    before.info.generation <= row.generation
  ) {
    const state = { ...known, ...(await advanced(ask, before, row)) };
    // Rows that were closed long ago may have been collected; then only a full load tells.
    if (addsUp(state, row)) return state;
  }
  const state = { ...known, ...(await loadShown(ask, row, baseOf)) };
  if (!addsUp(state, row)) throw new CorruptionError(`the rows of ref ${row.ref} do not add up to its sums`);
  return state;
}

export function loadShown(ask: Ask, row: ViewRow, baseOf: BaseOf): Promise<Shown> {
  return row.base_view === null ? loadWhole(ask, row.id, row.generation) : loadOver(ask, row, baseOf);
}

export interface Ask {
  readonly asking: Asking;
  readonly repo: number;
  readonly limits?: Limits | undefined;
  /** These paths and what is below them; absent: all. */
  readonly paths?: readonly string[] | undefined;
}

/** One generation of a view without a base. */
export async function loadWhole(ask: Ask, view: number, generation: number): Promise<Shown> {
  const draft = new Draft();
  const how = ask.paths === undefined ? TOGETHER : {};
  for (const entry of await entries(ask, SEEN_AT, [view, generation], how)) draft.open(entry);
  return draft;
}

async function loadOver(ask: Ask, row: ViewRow, baseOf: BaseOf): Promise<Shown> {
  const draft = new Draft(await baseOf(row.base_view!, row.base_generation!));
  for (const entry of await entries(ask, SEEN_AT, [row.id, row.generation])) {
    draft.close(entry.path);
    if (entry.skip !== null || entry.version !== null) draft.open(entry);
  }
  return draft;
}

async function advanced(ask: Ask, before: ViewState, { id, generation }: ViewRow): Promise<Shown> {
  const from = before.info.generation;
  if (from === generation) return { files: before.files, skips: before.skips };
  const draft = new Draft(before);
  const closed = `SELECT path FROM codecompass.view_entry
    WHERE repo = $1 AND view = $2 AND closed > $3 AND closed <= $4 AND opened <= $3`;
  const gone = await ask.asking.rows<{ path: string }>(closed, [ask.repo, id, from, generation], {
    limits: ask.limits,
  });
  for (const { path } of gone) draft.close(path);
  for (const entry of await entries(ask, `${SEEN_AT} AND e.opened > $4`, [id, generation, from])) draft.open(entry);
  return draft;
}

interface EntryRow {
  readonly path: string;
  readonly skip: SkipReason | null;
  readonly version: number | null;
  readonly known: boolean;
  readonly hash: string;
  readonly extractor: string;
  readonly language: string;
  readonly symbols: number;
  readonly chunks: number;
  readonly problem: string | null;
}

const SEEN_AT = "e.opened <= $3 AND (e.closed IS NULL OR e.closed > $3)";

function entries(
  { asking, repo, limits, paths }: Ask,
  where: string,
  values: readonly number[],
  how: AskOptions = {},
): Promise<EntryRow[]> {
  const some = paths === undefined ? "" : `AND ${atOrBelow("e.path", `$${values.length + 2}`)}`;
  const sql = `SELECT e.path, e.skip, e.version, v.path = e.path AS known, encode(v.hash, 'hex') AS hash, v.extractor,
      v.language, v.symbols, v.chunks, v.problem
    FROM codecompass.view_entry e
    LEFT JOIN codecompass.file_version v ON v.repo = $1 AND v.id = e.version
    WHERE e.repo = $1 AND e.view = $2 AND ${where} ${some}`;
  return asking.rows<EntryRow>(sql, [repo, ...values, ...(paths === undefined ? [] : [paths])], { limits, ...how });
}

/** Whether a path is one of those given or lies below one; the empty path is the root. */
export function atOrBelow(column: string, paths: string): string {
  return `EXISTS (SELECT 1 FROM (SELECT rtrim(given, '/') AS p FROM unnest(${paths}::text[]) AS given) AS asked
    WHERE p = '' OR ${column} = p OR starts_with(${column}, p || '/'))`;
}

class Draft implements Shown {
  readonly files: Map<string, IndexedFile>;
  readonly skips: Map<string, SkipReason>;

  constructor(before?: Shown) {
    this.files = new Map(before?.files);
    this.skips = new Map(before?.skips);
  }

  open(row: EntryRow): void {
    this.close(row.path);
    if (row.version !== null) this.files.set(row.path, shownBy(row));
    else if (row.skip !== null) this.skips.set(row.path, row.skip);
    else throw new CorruptionError("an entry of a view shows nothing");
  }

  close(path: string): void {
    this.files.delete(path);
    this.skips.delete(path);
  }
}

function shownBy(row: EntryRow): IndexedFile {
  const { path, version, known, hash, extractor, language, symbols, chunks, problem } = row;
  if (known !== true) throw new CorruptionError(`file version ${version} is missing or belongs to another path`);
  const file = { id: version as FileId, path, language, contentHash: hash as ContentHash, symbols, chunks, extractor };
  return problem === null ? file : { ...file, problem };
}

/**
 * A removal whose row was collected leaves one path too many, and nothing makes up for it: every opening is still there.
 */
function addsUp({ files, skips }: Shown, { totals }: ViewRow): boolean {
  const { files: count, skipped } = JSON.parse(totals) as Totals;
  return files.size === count && skips.size === Object.values(skipped).reduce((sum, some) => sum + some, 0);
}
