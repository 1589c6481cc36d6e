/** The files that the default views of repositories show, by path, cached until a view is published again; their contents. */
import type { FileRecord } from "../model/code.ts";
import type { ContentHash, FileId } from "../model/ids.ts";
import type { CatalogedContent, CatalogedFile } from "../ports/catalog.ts";
import type { Limits } from "../ports/snapshot.ts";
import { CorruptionError } from "../segment/bytes.ts";
import { decodeRecord, decodeText, encodeText } from "../segment/stored-content.ts";
import { PartUnavailable } from "./outages.ts";
import type { Totals } from "./totals.ts";

/** The default view of a repository at its newest generation. */
export interface DefaultView {
  readonly id: number;
  readonly base_view: number | null;
  readonly base_generation: number | null;
  readonly generation: number;
  readonly repo: number;
  /** Of the repository: its number may be given out again in a new database. */
  readonly uid: string;
  readonly name: string;
  readonly ref: string;
  readonly commit: string | null;
  readonly totals: string;
}

export interface DefaultViewEntry {
  readonly repo: number;
  readonly view: number;
  readonly path: string;
  readonly version: number | null;
  readonly language: string;
  readonly hash: string;
}

export interface CandidateFile extends CatalogedFile {
  /** Number of its repository. */
  readonly repo: number;
  readonly uid: string;
}

export interface DefaultViewFiles {
  /** By path, ordered by bytes. */
  readonly files: readonly CandidateFile[];
  /** From the number of a version to its place in `files`. */
  readonly places: ReadonlyMap<number, number>;
}

/** Entries of these views and of the views that they are based on. */
type ReadEntries = (views: readonly DefaultView[], limits: Limits | undefined) => Promise<readonly DefaultViewEntry[]>;

/** A file takes some 250 bytes. */
const MAX_FILES = 200_000;

/** The view was published again while it was read: the newest is read instead. */
export class ViewSuperseded extends Error {}

export class DefaultViewCache {
  readonly #readEntries: ReadEntries;
  /** A map keeps the order of insertion: the first was used least recently. */
  readonly #known = new Map<string, { readonly files: number; readonly shown: Promise<DefaultViewFiles> }>();
  #files = 0;

  constructor(readEntries: ReadEntries) {
    this.#readEntries = readEntries;
  }

  /**
   * What the views show, in their order; unknown ones are read together. The caller has just read the views with its own
   * rights, so it may see what is cached of them.
   */
  async read(views: readonly DefaultView[], limits?: Limits): Promise<DefaultViewFiles[]> {
    const unknown = views.filter((view) => !this.#known.has(keyOf(view)));
    if (unknown.length > 0) this.#load(unknown, limits);
    const shown = views.map((view) => this.#use(keyOf(view)));
    for (const oldest of this.#known.keys()) {
      if (this.#files <= MAX_FILES) break;
      this.#remove(oldest);
    }
    return Promise.all(shown);
  }

  #load(views: readonly DefaultView[], limits: Limits | undefined): void {
    const entries = this.#readEntries(views, limits).then((rows) =>
      Map.groupBy(rows, ({ repo, view }) => `${repo} ${view}`),
    );
    for (const view of views) {
      const key = keyOf(view);
      const shown = entries.then((all) => filesOf(view, all));
      shown.catch(() => this.#remove(key));
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

  #remove(key: string): void {
    this.#files -= this.#known.get(key)?.files ?? 0;
    this.#known.delete(key);
  }
}

/** An entry of a view hides that of its base; an entry without a version shows no file. */
function filesOf(view: DefaultView, entries: ReadonlyMap<string, readonly DefaultViewEntry[]>): DefaultViewFiles {
  const { repo, uid, name: repository, ref, commit } = view;
  const byPath = new Map<string, DefaultViewEntry>();
  for (const id of [view.base_view, view.id])
    for (const entry of entries.get(`${repo} ${id}`) ?? []) byPath.set(entry.path, entry);
  const files = [...byPath.values()].flatMap(({ path, version, language, hash }): CandidateFile[] => {
    if (version === null) return [];
    const file = { id: version as FileId, path, language, contentHash: hash as ContentHash };
    return [{ repo, uid, repository, view: ref, ...(commit !== null && { commit }), ...file }];
  });
  // Fewer than published: a publication or a change of rights came in between, and the state must not be cached.
  if (files.length !== fileCount(view)) throw new ViewSuperseded();
  files.sort((a, b) => compareBytes(a.path, b.path));
  return { files, places: new Map(files.map(({ id }, at) => [id, at])) };
}

/** As PostgreSQL orders text of collation "C". */
export function compareBytes(a: string, b: string): number {
  if (a === b) return 0;
  // Below the surrogates, code units have the order of bytes.
  return HIGH.test(a) || HIGH.test(b) ? Buffer.compare(Buffer.from(a), Buffer.from(b)) : a < b ? -1 : 1;
}

const HIGH = /[\ud800-\uffff]/;

function keyOf({ uid, repo, id, generation, base_view, base_generation }: DefaultView): string {
  return `${uid} ${repo} ${id} ${generation} ${base_view} ${base_generation}`;
}

function fileCount({ totals }: DefaultView): number {
  return (JSON.parse(totals) as Totals).files;
}

/** Bytes by the place of the file in the list. */
type ReadBlobs = (kind: "text" | "record", files: readonly CandidateFile[]) => Promise<ReadonlyMap<number, Uint8Array>>;

interface CatalogBlobs {
  /** The part of the store that holds the content of the repository. */
  readonly partOf: (repo: number) => number;
  /** Of files in one part. */
  readonly read: ReadBlobs;
}

/**
 * Texts or records, in the order asked. Undefined, or an empty packed text, where the part of the store that holds it does
 * not answer: the other files are read.
 */
export async function readContents<K extends keyof CatalogedContent>(
  kind: K,
  files: readonly CandidateFile[],
  { partOf, read }: CatalogBlobs,
): Promise<(CatalogedContent[K] | undefined)[]> {
  const decode: (bytes: Uint8Array) => Uint8Array | string | FileRecord =
    kind === "packed" ? (bytes) => bytes : kind === "text" ? decodeText : decodeRecord;
  const without = kind === "packed" ? encodeText("") : undefined;
  const found = new Map<CandidateFile, Uint8Array | string | FileRecord | undefined>();
  const reads = [...Map.groupBy(files, ({ repo }) => partOf(repo)).values()].map(async (own) => {
    try {
      const bytes = await read(kind === "record" ? "record" : "text", own);
      for (const [at, file] of own.entries()) found.set(file, decode(bytes.get(at) ?? missingContent(file)));
    } catch (error) {
      if (!(error instanceof PartUnavailable)) throw error;
      for (const file of own) found.set(file, without);
    }
  });
  await Promise.all(reads);
  return files.map((file) => found.get(file) as CatalogedContent[K] | undefined);
}

function missingContent({ path, repository }: CatalogedFile): never {
  throw new CorruptionError(`${path} of ${repository} is missing`);
}
