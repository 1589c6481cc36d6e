/**
 * The default view of a repository: which one it is, as SQL, and the files it shows, by path. The files are cached: as one
 * statement over all partitions, telling which of a hundred versions are shown took 12 ms to start and 1 ms to run.
 */
import type { Totals } from "../../engine/totals.ts";
import type { ContentHash, FileId } from "../../model/ids.ts";
import type { CatalogedFile } from "../../ports/catalog.ts";
import type { Limits } from "../../ports/limits.ts";
import type { Queryable, QueryOptions, SqlValue } from "./queryable.ts";

/** Read so that tables of the release before will do, which knew of none. */
export const DEFAULT_REF = "(to_jsonb(r) ->> 'default_ref')";

/** The same order as `defaultView` of the core: what is known to be it, main, master, another branch, anything else, the base. */
const RANK = `CASE WHEN w.ref = ${DEFAULT_REF} THEN -1 WHEN w.ref = 'refs/heads/main' THEN 0 WHEN w.ref = 'refs/heads/master' THEN 1
  WHEN w.ref LIKE 'refs/heads/%' THEN 2 WHEN w.ref = 'base' THEN 4 ELSE 3 END`;

/** To be joined as `d`. What a clone has edited is its own, and never the default. */
export const DEFAULT_VIEW = `LATERAL (
  SELECT w.* FROM codecompass.view w
  WHERE w.repo = r.id AND w.epoch = r.epoch AND w.ref <> 'live' AND w.ref <> 'worktree' AND w.ref NOT LIKE 'worktree:%'
  ORDER BY ${RANK}, w.published_at DESC, w.ref LIMIT 1) d`;

/** The default view of a repository at its newest generation. */
export interface DefaultView {
  readonly id: number;
  readonly base_view: number | null;
  readonly base_generation: number | null;
  readonly generation: number;
  readonly repo: number;
  readonly name: string;
  readonly ref: string;
  readonly commit: string | null;
  readonly totals: string;
}

/** A repository that shows nothing yet. */
interface Unpublished {
  readonly id: null;
  readonly name: string;
}

export interface DefaultViews {
  readonly views: readonly DefaultView[];
  /** Of all repositories that were chosen, in their order. */
  readonly names: readonly string[];
}

export interface CandidateFile extends CatalogedFile {
  /** Number of its repository. */
  readonly repo: number;
}

export interface DefaultViewFiles {
  /** By path, as the engine orders them: by bytes. */
  readonly files: readonly CandidateFile[];
  /** From the number of a version to its place in `files`. */
  readonly places: ReadonlyMap<number, number>;
}

/** A file takes some 250 bytes. */
const MOST_FILES = 200_000;

export class DefaultViewCache {
  readonly #queryable: Queryable;
  /** A map remembers the order of insertion: the first was not used for longest. */
  readonly #known = new Map<string, { readonly files: number; readonly shown: Promise<DefaultViewFiles> }>();
  #files = 0;

  constructor(queryable: Queryable) {
    this.#queryable = queryable;
  }

  /**
   * `where` is about `r`, the repository. Repositories are chosen before their views are looked for: of ten thousand,
   * looking for all of them took 200 ms.
   */
  async views(
    where: string,
    values: readonly SqlValue[],
    how: Pick<QueryOptions, "limits" | "scope">,
  ): Promise<DefaultViews> {
    const sql = `SELECT r.id AS repo, r.name, d.ref, d.commit_id AS commit, d.id, d.base_view, d.base_generation,
        d.generation, d.totals
      FROM (SELECT * FROM codecompass.repository r WHERE r.name IS NOT NULL AND ${where} OFFSET 0) r
      LEFT JOIN ${DEFAULT_VIEW} ON true ORDER BY r.name`;
    const rows = await this.#queryable.rows<DefaultView | Unpublished>(sql, values, how);
    return { views: rows.filter((row) => row.id !== null), names: rows.map(({ name }) => name) };
  }

  /**
   * What the views show, in their order; those that are not known are read together. Whoever asks was shown the views by the
   * engine just before: what is remembered of them is theirs to see.
   */
  async of(views: readonly DefaultView[], limits?: Limits): Promise<DefaultViewFiles[]> {
    const unknown = views.filter((view) => !this.#known.has(keyOf(view)));
    if (unknown.length > 0) this.#read(unknown, limits);
    const shown = views.map((view) => this.#use(keyOf(view)));
    this.#tidy();
    return Promise.all(shown);
  }

  #read(views: readonly DefaultView[], limits: Limits | undefined): void {
    const entries = readEntries(this.#queryable, views, limits);
    for (const view of views) {
      const key = keyOf(view);
      const shown = entries.then((all) => filesOfView(view, all));
      shown.catch(() => this.#forget(key));
      this.#known.set(key, { files: fileCount(view), shown });
      this.#files += fileCount(view);
    }
  }

  #use(key: string): Promise<DefaultViewFiles> {
    const known = this.#known.get(key)!;
    this.#known.delete(key);
    this.#known.set(key, known);
    return known.shown;
  }

  #tidy(): void {
    for (const oldest of this.#known.keys()) {
      if (this.#files <= MOST_FILES) return;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    this.#files -= this.#known.get(key)?.files ?? 0;
    this.#known.delete(key);
  }
}

interface ViewEntryRow {
  readonly repo: number;
  readonly view: number;
  readonly path: string;
  readonly version: number | null;
  readonly language: string;
  readonly hash: string;
}

/** Of the views and of the bases that they are kept over, by repository and view. */
async function readEntries(queryable: Queryable, views: readonly DefaultView[], limits: Limits | undefined) {
  const bases = views.flatMap(({ repo, base_view, base_generation }) =>
    base_view === null ? [] : [{ repo, id: base_view, generation: base_generation! }],
  );
  const wanted = [...views, ...bases];
  const sql = `SELECT e.repo, e.view, e.path, e.version, v.language, encode(v.hash, 'hex') AS hash
    FROM unnest($1::integer[], $2::integer[], $3::integer[]) AS k (repo, view, generation)
    JOIN codecompass.view_entry e ON e.repo = k.repo AND e.view = k.view
      AND e.opened <= k.generation AND (e.closed IS NULL OR e.closed > k.generation)
    LEFT JOIN codecompass.file_version v ON v.repo = e.repo AND v.id = e.version`;
  const values = [
    wanted.map(({ repo }) => repo),
    wanted.map(({ id }) => id),
    wanted.map(({ generation }) => generation),
  ];
  const found = new Map<string, ViewEntryRow[]>();
  for (const entry of await queryable.rows<ViewEntryRow>(sql, values, {
    limits,
    scope: views.map(({ repo }) => repo),
  })) {
    const key = `${entry.repo} ${entry.view}`;
    const known = found.get(key);
    if (known === undefined) found.set(key, [entry]);
    else known.push(entry);
  }
  return found;
}

/** What a view says of a path goes before what its base does; an entry without a version shows no file. */
function filesOfView(view: DefaultView, entries: ReadonlyMap<string, readonly ViewEntryRow[]>): DefaultViewFiles {
  const { repo, name: repository, ref, commit } = view;
  const byPath = new Map<string, ViewEntryRow>();
  for (const id of [view.base_view, view.id])
    for (const entry of entries.get(`${repo} ${id}`) ?? []) byPath.set(entry.path, entry);
  const files = [...byPath.values()].flatMap(({ path, version, language, hash }): CandidateFile[] => {
    if (version === null) return [];
    const file = { id: version as FileId, path, language, contentHash: hash as ContentHash };
    return [{ repo, repository, view: ref, ...(commit !== null && { commit }), ...file }];
  });
  // Fewer than there are: a publication or a change of rights came in between. It is no state to remember.
  if (files.length !== fileCount(view)) throw new ViewSuperseded();
  files.sort((a, b) => compareBytes(a.path, b.path));
  return { files, places: new Map(files.map(({ id }, at) => [id, at])) };
}

/** The view was published anew while it was read: the newest is read instead. */
export class ViewSuperseded extends Error {}

export function compareBytes(a: string, b: string): number {
  if (a === b) return 0;
  // Below the surrogates, units are in the order of bytes.
  return HIGH.test(a) || HIGH.test(b) ? Buffer.compare(Buffer.from(a), Buffer.from(b)) : a < b ? -1 : 1;
}

const HIGH = /[\ud800-\uffff]/;

function keyOf({ repo, id, generation, base_view, base_generation }: DefaultView): string {
  return `${repo} ${id} ${generation} ${base_view} ${base_generation}`;
}

function fileCount({ totals }: DefaultView): number {
  return (JSON.parse(totals) as Totals).files;
}
