/** Publishes a view: closes and opens rows, keeps the sums in step. Everything inside one transaction. */
import { NO_TOTALS, sortedCounts, type Totals } from "../../engine/totals.ts";
import { isParseFailure, type SkipReason } from "../../model/code.ts";
import { CompassError } from "../../model/errors.ts";
import type { Generation } from "../../model/ids.ts";
import type { Publication } from "../../ports/build.ts";
import type { VersionKey } from "../../ports/versions.ts";
import { versionKeyText } from "../../ports/versions.ts";
import type { ViewChange } from "../../ports/view.ts";
import { CorruptionError } from "../../segment/bytes.ts";
import { int4, int8, text } from "./copy.ts";
import { type VersionRow, versionsOf } from "./put-batch.ts";
import type { Asking, Transaction } from "./query-interface.ts";
import type { Place } from "./repository.ts";
import { readView, VIEW_COLUMNS, type ViewRow } from "./view-state.ts";

export interface Publishing {
  readonly place: Place;
  readonly ref: string;
  /** The generation to count from when the view is new: that of the index it replaces. */
  readonly after: number;
  /** The view that a new one is kept as a difference to, where there is such a view. */
  readonly base?: string | undefined;
}

/** Who listens learns of every publication: `repo generation ref`. */
export const PUBLISHED_CHANNEL = "codecompass_published";

export async function publishView(tx: Transaction, publication: Publication, it: Publishing): Promise<Generation> {
  const { repo } = it.place;
  const present = await readView(tx, it.place, it.ref);
  const row = present ?? (await createView(tx, it));
  const generation = row.generation + 1;
  const changes = lastOfEachPath(publication.changes);
  const draft = new Draft(JSON.parse(row.totals) as Totals);
  const own = present === undefined ? new Map<string, Entry>() : await ownEntries(tx, repo, row.id, pathsOf(changes));
  const written = await changedRows(tx, row, it.place, changes, own);
  for (const { before, after } of written) draft.count(before, after);
  await writeRows(tx, row, repo, generation, written);
  await tx.run(
    `UPDATE codecompass.view SET generation = $3, commit_id = $4, published_at = $5, totals = $6
      WHERE repo = $1 AND id = $2`,
    [
      repo,
      row.id,
      generation,
      publication.commit ?? null,
      publication.publishedAt,
      JSON.stringify(draft.totals(publication.uncounted)),
    ],
    { prepared: "publish" },
  );
  await tx.run(
    "INSERT INTO codecompass.publication (repo, job, view, generation, published_at) VALUES ($1, $2, $3, $4, $5)",
    [repo, publication.jobId, row.id, generation, publication.publishedAt],
    { prepared: "publication" },
  );
  // Any login of the database can listen, so the name of the ref is left out.
  await tx.rows("SELECT pg_notify($1, $2)", [PUBLISHED_CHANNEL, `${repo} ${generation}`]);
  return generation as Generation;
}

export async function publishedBy(asking: Asking, repo: number, job: string): Promise<Generation | undefined> {
  const sql = "SELECT generation FROM codecompass.publication WHERE repo = $1 AND job = $2";
  return (await asking.rows<{ generation: Generation }>(sql, [repo, job], { prepared: "published" }))[0]?.generation;
}

async function createView(tx: Transaction, { place, ref, after, base: named }: Publishing): Promise<ViewRow> {
  const base = await baseFor(tx, place, named);
  const sql = `INSERT INTO codecompass.view (repo, epoch, ref, base_view, base_generation, generation, published_at, totals)
    VALUES ($1, $2, $3, $4, $5, $6, 0, $7) RETURNING ${VIEW_COLUMNS}`;
  const { repo, epoch } = place;
  const values = [
    repo,
    epoch,
    ref,
    base?.id ?? null,
    base?.generation ?? null,
    after,
    base?.totals ?? JSON.stringify(NO_TOTALS),
  ];
  const [row] = await tx.rows<ViewRow>(sql, values, { prepared: "view_new" });
  return row!;
}

/** A base has no base: a state is never more than two lists of rows. */
export async function baseFor(asking: Asking, place: Place, ref: string | undefined): Promise<ViewRow | undefined> {
  if (ref === undefined) return undefined;
  const row = await readView(asking, place, ref);
  return row === undefined || row.base_view !== null ? undefined : row;
}

function pathsOf(changes: readonly ViewChange[]): string[] {
  return changes.map(({ path }) => path);
}

function lastOfEachPath(changes: readonly ViewChange[]): ViewChange[] {
  return [...new Map(changes.map((change) => [change.path, change])).values()];
}

/** What is at a path: a version or a reason; neither: nothing, where the base has something. */
interface Entry {
  readonly version: number | null;
  readonly skip: SkipReason | null;
}

type Counted = Omit<VersionRow, "id">;

type Seen = SkipReason | Counted | undefined;

interface WrittenRow {
  readonly path: string;
  readonly before: Seen;
  readonly after: Seen;
  /** The view's own row is closed. */
  readonly closes: boolean;
  /** A new row, unless the base says the same. */
  readonly opens: Entry | undefined;
}

const NOTHING: Entry = { version: null, skip: null };

/** Compares every change with what the view shows now; what changes nothing is left out. */
async function changedRows(
  tx: Transaction,
  row: ViewRow,
  place: Place,
  changes: readonly ViewChange[],
  own: ReadonlyMap<string, Entry>,
): Promise<WrittenRow[]> {
  if (changes.length === 0) return [];
  const ofBase = await baseEntries(tx, place.repo, row, pathsOf(changes));
  const { wanted, versions } = await wantedEntries(tx, place, changes);
  const counted = new Map<number, Counted>([
    ...(await countedVersions(tx, place.repo, [own, ofBase])),
    ...versions.map((version) => [version.id, version] as const),
  ]);
  const seen = (entry: Entry | undefined): Seen => {
    if (entry === undefined || entry.skip !== null) return entry?.skip ?? undefined;
    if (entry.version === null) return undefined;
    const it = counted.get(entry.version);
    if (it === undefined) throw new CorruptionError(`file version ${entry.version} is missing`);
    return it;
  };
  return changes.flatMap(({ path }) => {
    const [mine, base, after] = [own.get(path), ofBase.get(path), wanted.get(path)];
    const before = mine ?? base;
    if (isSame(before, after)) return [];
    const opens = isSame(base, after) ? undefined : (after ?? NOTHING);
    return [{ path, before: seen(before), after: seen(after), closes: mine !== undefined, opens }];
  });
}

function isSame(one: Entry | undefined, other: Entry | undefined): boolean {
  return (one?.version ?? null) === (other?.version ?? null) && (one?.skip ?? null) === (other?.skip ?? null);
}

async function ownEntries(tx: Transaction, repo: number, view: number, paths: string[]): Promise<Map<string, Entry>> {
  const sql = `SELECT path, version, skip FROM codecompass.view_entry
    WHERE repo = $1 AND view = $2 AND path = ANY($3) AND closed IS NULL`;
  const rows = await tx.rows<Entry & { path: string }>(sql, [repo, view, paths]);
  return new Map(rows.map(({ path, version, skip }) => [path, { version, skip }]));
}

async function baseEntries(
  tx: Transaction,
  repo: number,
  { base_view: base, base_generation: generation }: ViewRow,
  paths: string[],
): Promise<Map<string, Entry>> {
  if (base === null) return new Map();
  const sql = `SELECT path, version, skip FROM codecompass.view_entry
    WHERE repo = $1 AND view = $2 AND path = ANY($3) AND opened <= $4 AND (closed IS NULL OR closed > $4)`;
  const rows = await tx.rows<Entry & { path: string }>(sql, [repo, base, paths, generation!]);
  return new Map(rows.map(({ path, version, skip }) => [path, { version, skip }]));
}

async function wantedEntries(tx: Transaction, place: Place, changes: readonly ViewChange[]) {
  const versions = await versionsOf(
    tx,
    place,
    changes.flatMap((change) => ("version" in change ? [change.version] : [])),
  );
  const wanted = new Map<string, Entry>();
  for (const change of changes) {
    if ("skip" in change) wanted.set(change.path, { version: null, skip: change.skip });
    else if ("version" in change) wanted.set(change.path, { version: stored(versions, change.version), skip: null });
  }
  return { wanted, versions: [...versions.values()] };
}

function stored(versions: ReadonlyMap<string, VersionRow>, key: VersionKey): number {
  const version = versions.get(versionKeyText(key));
  if (version !== undefined) return version.id;
  throw new CompassError("internal_error", { reason: `${key.path} was published but never stored` });
}

async function countedVersions(
  tx: Transaction,
  repo: number,
  entries: readonly ReadonlyMap<string, Entry>[],
): Promise<Map<number, Counted>> {
  const ids = entries.flatMap((some) =>
    [...some.values()].flatMap(({ version }) => (version === null ? [] : [version])),
  );
  if (ids.length === 0) return new Map();
  const sql =
    "SELECT id, language, symbols, chunks, problem FROM codecompass.file_version WHERE repo = $1 AND id = ANY($2)";
  const rows = await tx.rows<VersionRow>(sql, [repo, ids]);
  return new Map(rows.map((row) => [row.id, row]));
}

async function writeRows(
  tx: Transaction,
  { id: view }: ViewRow,
  repo: number,
  generation: number,
  rows: readonly WrittenRow[],
): Promise<void> {
  const closed = rows.filter(({ closes }) => closes).map(({ path }) => path);
  if (closed.length > 0)
    await tx.run(
      "UPDATE codecompass.view_entry SET closed = $4 WHERE repo = $1 AND view = $2 AND path = ANY($3) AND closed IS NULL",
      [repo, view, closed, generation],
    );
  const opened = rows.flatMap(({ path, opens }) => (opens === undefined ? [] : [{ path, ...opens }]));
  if (opened.length > 0)
    await tx.copy(
      "codecompass.view_entry",
      "repo, view, path, opened, version, skip",
      opened.map(({ path, version, skip }) => [
        int4(repo),
        int4(view),
        text(path),
        int4(generation),
        version === null ? null : int8(version),
        text(skip),
      ]),
    );
}

/** The sums of the view, moved by what changes. */
class Draft {
  readonly #sums: { files: number; symbols: number; chunks: number; givenUp: number };
  readonly #languages: Map<string, number>;
  readonly #skipped: Map<string, number>;

  constructor({ files, symbols, chunks, languages, skipped, givenUp = 0 }: Totals) {
    this.#sums = { files, symbols, chunks, givenUp };
    this.#languages = new Map(Object.entries(languages));
    this.#skipped = new Map(Object.entries(skipped));
  }

  count(before: Seen, after: Seen): void {
    this.#add(before, -1);
    this.#add(after, 1);
  }

  totals(uncounted: Totals["uncounted"]): Totals {
    return {
      ...this.#sums,
      languages: sortedCounts(this.#languages),
      skipped: sortedCounts(this.#skipped),
      uncounted,
    };
  }

  #add(seen: Seen, by: 1 | -1): void {
    if (seen === undefined) return;
    if (typeof seen === "string") {
      this.#skipped.set(seen, (this.#skipped.get(seen) ?? 0) + by);
      return;
    }
    this.#sums.files += by;
    this.#sums.symbols += by * seen.symbols;
    this.#sums.chunks += by * seen.chunks;
    if (isParseFailure(seen.problem ?? undefined)) this.#sums.givenUp += by;
    this.#languages.set(seen.language, (this.#languages.get(seen.language) ?? 0) + by);
  }
}
