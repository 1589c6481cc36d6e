/**
 * What the default views of repositories show, in the order of paths, kept as long as it is asked for. As one statement
 * over all partitions, telling which of a hundred versions are shown took 12 ms to start and 1 ms to run.
 */
import type { Totals } from "../../engine/totals.ts";
import type { ContentHash, FileId } from "../../model/ids.ts";
import type { CatalogedFile } from "../../ports/catalog.ts";
import type { Limits } from "../../ports/limits.ts";
import { DEFAULT_VIEW } from "./default-view.ts";
import type { Asking, AskOptions, Value } from "./query-interface.ts";

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

export interface Views {
  readonly views: readonly DefaultView[];
  /** Of all repositories that were chosen, in their order. */
  readonly names: readonly string[];
}

export interface WideFile extends CatalogedFile {
  /** Number of its repository. */
  readonly repo: number;
}

export interface ShownView {
  /** By path, as the engine orders them: by bytes. */
  readonly files: readonly WideFile[];
  /** From the number of a version to its place in `files`. */
  readonly places: ReadonlyMap<number, number>;
}

/** A file takes some 250 bytes. */
const MOST_FILES = 200_000;

export class ShownFiles {
  readonly #asking: Asking;
  /** A map remembers the order of insertion: the first was not used for longest. */
  readonly #known = new Map<string, { readonly files: number; readonly shown: Promise<ShownView> }>();
  #files = 0;

  constructor(asking: Asking) {
    this.#asking = asking;
  }

  /**
   * `where` is about `r`, the repository. Repositories are chosen before their views are looked for: of ten thousand,
   * looking for all of them took 200 ms.
   */
  async views(where: string, values: readonly Value[], how: Pick<AskOptions, "limits" | "about">): Promise<Views> {
    const sql = `SELECT r.id AS repo, r.name, d.ref, d.commit_id AS commit, d.id, d.base_view, d.base_generation,
        d.generation, d.totals
      FROM (SELECT * FROM codecompass.repository r WHERE r.name IS NOT NULL AND ${where} OFFSET 0) r
      LEFT JOIN ${DEFAULT_VIEW} ON true ORDER BY r.name`;
    const rows = await this.#asking.rows<DefaultView | Unpublished>(sql, values, how);
    return { views: rows.filter((row) => row.id !== null), names: rows.map(({ name }) => name) };
  }

  /**
   * What the views show, in their order; those that are not known are read together. Whoever asks was shown the views by the
   * engine just before: what is remembered of them is theirs to see.
   */
  async of(views: readonly DefaultView[], limits?: Limits): Promise<ShownView[]> {
    const unknown = views.filter((view) => !this.#known.has(keyOf(view)));
    if (unknown.length > 0) this.#read(unknown, limits);
    const shown = views.map((view) => this.#use(keyOf(view)));
    this.#tidy();
    return Promise.all(shown);
  }

  #read(views: readonly DefaultView[], limits: Limits | undefined): void {
    const entries = entriesOf(this.#asking, views, limits);
    for (const view of views) {
      const key = keyOf(view);
      const shown = entries.then((all) => shownBy(view, all));
      shown.catch(() => this.#forget(key));
      this.#known.set(key, { files: filesIn(view), shown });
      this.#files += filesIn(view);
    }
  }

  #use(key: string): Promise<ShownView> {
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

interface Entry {
  readonly repo: number;
  readonly view: number;
  readonly path: string;
  readonly version: number | null;
  readonly language: string;
  readonly hash: string;
}

/** Of the views and of the bases that they are kept over, by repository and view. */
async function entriesOf(asking: Asking, views: readonly DefaultView[], limits: Limits | undefined) {
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
  const found = new Map<string, Entry[]>();
  for (const entry of await asking.rows<Entry>(sql, values, { limits, about: views.map(({ repo }) => repo) })) {
    const key = `${entry.repo} ${entry.view}`;
    const known = found.get(key);
    if (known === undefined) found.set(key, [entry]);
    else known.push(entry);
  }
  return found;
}

/** What a view says of a path goes before what its base does; an entry without a version shows no file. */
function shownBy(view: DefaultView, entries: ReadonlyMap<string, readonly Entry[]>): ShownView {
  const { repo, name: repository, ref, commit } = view;
  const byPath = new Map<string, Entry>();
  for (const id of [view.base_view, view.id])
    for (const entry of entries.get(`${repo} ${id}`) ?? []) byPath.set(entry.path, entry);
  const files = [...byPath.values()].flatMap(({ path, version, language, hash }): WideFile[] => {
    if (version === null) return [];
    const file = { id: version as FileId, path, language, contentHash: hash as ContentHash };
    return [{ repo, repository, view: ref, ...(commit !== null && { commit }), ...file }];
  });
  // Fewer than there are: a publication or a change of rights came in between. It is no state to remember.
  if (files.length !== filesIn(view)) throw new Superseded();
  files.sort((a, b) => byBytes(a.path, b.path));
  return { files, places: new Map(files.map(({ id }, at) => [id, at])) };
}

/** The view was published anew while it was read: the newest is read instead. */
export class Superseded extends Error {}

export function byBytes(a: string, b: string): number {
  if (a === b) return 0;
  // Below the surrogates, units are in the order of bytes.
  return HIGH.test(a) || HIGH.test(b) ? Buffer.compare(Buffer.from(a), Buffer.from(b)) : a < b ? -1 : 1;
}

const HIGH = /[\ud800-\uffff]/;

function keyOf({ repo, id, generation, base_view, base_generation }: DefaultView): string {
  return `${repo} ${id} ${generation} ${base_view} ${base_generation}`;
}

function filesIn({ totals }: DefaultView): number {
  return (JSON.parse(totals) as Totals).files;
}
