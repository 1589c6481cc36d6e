/** A view's next generation: which rows it closes and opens, and the sums and the digest that go with them. */
import { isParseFailure, type SkipReason } from "../model/code.ts";
import { CompassError } from "../model/errors.ts";
import type { FileId } from "../model/ids.ts";
import type {
  Content,
  EntryQuery,
  EntryRow,
  OpenedEntry,
  PublishedView,
  VersionRow,
  ViewRow,
} from "../ports/backend.ts";
import type { Publication } from "../ports/build.ts";
import type { ViewChange } from "../ports/snapshot.ts";
import { type VersionKey, versionKeyText } from "../ports/versions.ts";
import { NO_TOTALS, sortedCounts, type Totals } from "./totals.ts";
import { Digest, fileOf, type IndexedFile, loadPlain } from "./view-state.ts";

export interface PublishOptions {
  readonly ref: string;
  /** The view as it is; undefined: a new one. */
  readonly present: ViewRow | undefined;
  /** The view that a new one is stored as a difference to, where there is such a view. */
  readonly base: ViewRow | undefined;
  /** The generation to count from when the view is new: that of the index it replaces. */
  readonly after: number;
}

/** Compares every change with what the view shows now; what changes nothing is left out. */
export async function nextGeneration(
  content: Content,
  publication: Publication,
  options: PublishOptions,
): Promise<PublishedView> {
  const before = await withDigest(content, options.present ?? newView(options));
  const changes = [...new Map(publication.changes.map((change) => [change.path, change])).values()];
  const at = changes.map(({ path }) => path);
  const { id: view, generation, baseView, baseGeneration } = before;
  const own = options.present === undefined ? new Map() : await entriesAt(content, { view, generation, at });
  const base =
    baseView === null
      ? new Map<string, ShownEntry>()
      : await entriesAt(content, { view: baseView, generation: baseGeneration!, at });
  const versions = await storedVersions(content, changes);
  const sums = new ViewSums(before);
  const closed: string[] = [];
  const opened: OpenedEntry[] = [];
  for (const change of changes) {
    const { path } = change;
    const [mine, shown] = [own.get(path), own.get(path) ?? base.get(path)];
    const next = entryAfter(change, versions);
    if (isSame(shown, next)) continue;
    sums.count(path, shown, -1);
    sums.count(path, next, 1);
    if (mine !== undefined) closed.push(path);
    if (!isSame(base.get(path), next)) opened.push({ path, version: next?.version ?? null, skip: next?.skip ?? null });
  }
  return {
    row: {
      ...before,
      generation: generation + 1,
      commit: publication.commit ?? null,
      publishedAt: publication.publishedAt,
      ...sums.finish(publication.uncounted ?? (JSON.parse(before.totals) as Totals).uncounted),
    },
    before: generation,
    rowsBefore: rowCount(before),
    closed,
    opened,
    job: publication.jobId,
  };
}

/** A release without digests may have published the view. */
async function withDigest(content: Content, row: ViewRow): Promise<ViewRow> {
  const { id: view, generation, baseView, digest } = row;
  if (digest !== null || baseView !== null) return row;
  return { ...row, digest: (await loadPlain(content, { view, generation })).digest };
}

function newView({ ref, base, after }: PublishOptions): ViewRow {
  return {
    id: 0,
    ref,
    baseView: base?.id ?? null,
    baseGeneration: base?.generation ?? null,
    generation: after,
    commit: null,
    publishedAt: 0,
    totals: base?.totals ?? JSON.stringify(NO_TOTALS),
    digest: base?.digest ?? "0:0",
    isDefault: false,
  };
}

/** What is at a path: a version or a reason; neither: nothing, where the base has something. */
interface ShownEntry {
  readonly version: number | null;
  readonly skip: SkipReason | null;
  readonly file: IndexedFile | undefined;
}

async function entriesAt(content: Content, query: EntryQuery): Promise<Map<string, ShownEntry>> {
  const rows = await content.rows("entries", query);
  return new Map(rows.map((row) => [row[0], shownBy(row)]));
}

function shownBy(row: EntryRow): ShownEntry {
  const [, skip, version] = row;
  return { version, skip, file: version === null ? undefined : fileOf(row) };
}

/** By `versionKeyText`. */
async function storedVersions(content: Content, changes: readonly ViewChange[]): Promise<Map<string, VersionRow>> {
  const keys = changes.flatMap((change) => ("version" in change ? [change.version] : []));
  return versionsByKey(content, keys);
}

export async function versionsByKey(content: Content, keys: readonly VersionKey[]): Promise<Map<string, VersionRow>> {
  if (keys.length === 0) return new Map();
  const rows = await content.rows("versions", { keys });
  return new Map(rows.map((row) => [versionKeyText({ ...row, contentHash: row.hash }), row]));
}

function entryAfter(change: ViewChange, versions: ReadonlyMap<string, VersionRow>): ShownEntry | undefined {
  if ("removed" in change) return undefined;
  if ("skip" in change) return { version: null, skip: change.skip, file: undefined };
  const row = versions.get(versionKeyText(change.version));
  if (row === undefined)
    throw new CompassError("internal_error", { reason: `${change.path} was published but never stored` });
  const { id, path, hash, language, symbols, chunks, problem } = row;
  const file = { id: id as FileId, path, contentHash: hash, language, symbols, chunks };
  return { version: id, skip: null, file: problem === null ? file : { ...file, problem } };
}

function isSame(one: ShownEntry | undefined, other: ShownEntry | undefined): boolean {
  return (one?.version ?? null) === (other?.version ?? null) && (one?.skip ?? null) === (other?.skip ?? null);
}

function rowCount({ totals }: ViewRow): number {
  const { files, skipped } = JSON.parse(totals) as Totals;
  return Object.values(skipped).reduce((sum, skips) => sum + skips, files);
}

/** Garbage is collected when as many file versions were replaced since the last time as a tenth of those that are shown. */
const GARBAGE_SHARE = 0.1;
const LEAST_GARBAGE_FILES = 32;

/** The count of replaced versions is never reset: a collection is due whenever it passes a multiple of the share. */
export function passesGarbageShare(before: ViewRow | undefined, after: ViewRow): boolean {
  const { files, replaced = 0 } = JSON.parse(after.totals) as Totals;
  const earlier = before === undefined ? 0 : ((JSON.parse(before.totals) as Totals).replaced ?? 0);
  const share = Math.max(LEAST_GARBAGE_FILES, GARBAGE_SHARE * files);
  return Math.floor(replaced / share) > Math.floor(earlier / share);
}

/** The sums and the digest of a view, moved by what changes. */
class ViewSums {
  /** Undefined: the view was published by a release without digests. */
  readonly #digest: Digest | undefined;
  readonly #sums: { files: number; symbols: number; chunks: number; givenUp: number; replaced: number };
  readonly #languages: Map<string, number>;
  readonly #skipped: Map<string, number>;

  constructor(row: ViewRow) {
    const { files, symbols, chunks, languages, skipped, givenUp = 0, replaced = 0 } = JSON.parse(row.totals) as Totals;
    this.#digest = row.digest === null ? undefined : new Digest(row.digest);
    this.#sums = { files, symbols, chunks, givenUp, replaced };
    this.#languages = new Map(Object.entries(languages));
    this.#skipped = new Map(Object.entries(skipped));
  }

  count(path: string, entry: ShownEntry | undefined, by: 1 | -1): void {
    const shown = entry?.file ?? entry?.skip ?? undefined;
    if (shown === undefined) return;
    if (by === 1) this.#digest?.add(path, shown);
    else this.#digest?.remove(path, shown);
    if (typeof shown === "string") {
      this.#skipped.set(shown, (this.#skipped.get(shown) ?? 0) + by);
      return;
    }
    this.#sums.files += by;
    if (by === -1) this.#sums.replaced++;
    this.#sums.symbols += by * shown.symbols;
    this.#sums.chunks += by * shown.chunks;
    if (isParseFailure(shown.problem)) this.#sums.givenUp += by;
    this.#languages.set(shown.language, (this.#languages.get(shown.language) ?? 0) + by);
  }

  finish(uncounted: Totals["uncounted"]): Pick<ViewRow, "totals" | "digest"> {
    const [languages, skipped] = [sortedCounts(this.#languages), sortedCounts(this.#skipped)];
    const totals: Totals = { ...this.#sums, languages, skipped, uncounted };
    return { totals: JSON.stringify(totals), digest: this.#digest?.toString() ?? null };
  }
}
