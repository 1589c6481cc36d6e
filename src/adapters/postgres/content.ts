/** The content of one repository, at one epoch, as it is read: each table and each kind of blob in one statement. */
import { missingContent } from "../../engine/integrity.ts";
import type { ProjectId } from "../../model/ids.ts";
import type {
  BlobQuery,
  Content,
  EntryQuery,
  EntryRow,
  PartRef,
  SegmentRow,
  StampRow,
  StoredBlob,
  Tables,
  VersionQuery,
  VersionRow,
  ViewRow,
} from "../../ports/backend.ts";
import type { Limits } from "../../ports/snapshot.ts";
import type { Finding } from "../../ports/store.ts";
import { readBlobs } from "./blobs.ts";
import { contentTable, nodeOf } from "./data-nodes.ts";
import { NESTED_LOOPS, NO_NESTED_LOOPS } from "./planner-settings.ts";
import type { Queryable } from "./queryable.ts";
import { type EpochAddress, requireAbsent } from "./repository.ts";

type Readers = {
  readonly [K in keyof Tables]: (
    where: Tables[K]["where"],
    limits: Limits | undefined,
  ) => Promise<readonly Tables[K]["row"][]>;
};

export class PostgresContent implements Content {
  /** Of the repository: numbers of versions, segments and views are never given out again in it. */
  readonly id: string;
  readonly place: EpochAddress;
  readonly #queryable: Queryable;
  readonly #onClose: () => Promise<void>;
  readonly #readers: Readers;
  /** False before step 10 of the tables. */
  readonly #hasPacks: boolean;

  constructor(
    queryable: Queryable,
    place: EpochAddress & { readonly uid: string; readonly hasPacks?: boolean },
    onClose: () => Promise<void> = async () => {},
  ) {
    const { repo, epoch, uid, hasPacks = true } = place;
    this.id = uid;
    this.#hasPacks = hasPacks;
    this.place = { repo, epoch };
    this.#queryable = queryable;
    this.#onClose = onClose;
    const at = [repo, epoch];
    this.#readers = {
      views: ({ refs }) => readViews(queryable, this.place, refs),
      entries: (query, limits) => readEntries(queryable, repo, query, limits),
      versions: (query, limits) => readVersions(queryable, this.place, query, limits),
      versionIds: ({ model }) => {
        const bound = "SELECT version AS id FROM codecompass.vectors WHERE repo = $1 AND model = $2";
        if (model !== undefined) return queryable.rows(bound, [repo, model]);
        return queryable.rows("SELECT id FROM codecompass.file_version WHERE repo = $1 AND epoch = $2 ORDER BY id", at);
      },
      models: () => queryable.rows("SELECT DISTINCT model FROM codecompass.vectors WHERE repo = $1", [repo]),
      segments: ({ except }) => {
        const sql = `SELECT id, chunks, CASE WHEN id <> ALL($3) THEN versions END AS versions,
            CASE WHEN id <> ALL($3) THEN head END AS head
          FROM codecompass.segment WHERE repo = $1 AND epoch = $2 ORDER BY id`;
        return queryable.rows<SegmentRow>(sql, [...at, except], { prepared: "segments" });
      },
      stamps: ({ tree }) => {
        const sql = `SELECT path, stamp, version, skip FROM codecompass.stamp
          WHERE repo = $1 AND epoch = $2 AND tree = $3`;
        return queryable.rows<StampRow>(sql, [...at, tree]);
      },
      trees: ({ tree }) => readRevision(queryable, this.place, tree),
      publications: ({ job }) => {
        const sql = "SELECT generation FROM codecompass.publication WHERE repo = $1 AND job = $2";
        return queryable.rows(sql, [repo, job], { prepared: "published" });
      },
      findings: async ({ level }) => (level === "rows" ? findMissing(queryable, this.place) : []),
    };
  }

  rows<K extends keyof Tables>(
    table: K,
    where: Tables[K]["where"],
    limits?: Limits,
  ): Promise<readonly Tables[K]["row"][]> {
    return this.#readers[table](where, limits);
  }

  async blobs(query: BlobQuery, limits?: Limits): Promise<readonly StoredBlob[]> {
    if (query.kind === "pack") return this.#readPack(query.view);
    if (query.kind === "part") return readParts(this.#queryable, this.place.repo, query.parts, limits);
    const { repo } = this.place;
    const model = query.kind === "vectors" ? query.model : undefined;
    const ids = query.kind === "vectors" ? query.versions : query.versions.map(({ id }) => id);
    const sql =
      query.kind === "vectors"
        ? "SELECT version AS id, key FROM codecompass.vectors WHERE repo = $1 AND version = ANY($2) AND model = $3"
        : `SELECT id, ${query.kind}_key AS key FROM codecompass.file_version WHERE repo = $1 AND id = ANY($2)`;
    const values = [repo, ids, ...(model === undefined ? [] : [model])];
    const options = { prepared: query.kind, ...(model !== undefined && { limits }) };
    const found = await readBlobs(this.#queryable, nodeOf(repo), { sql, values }, options);
    const missing = ids.filter((id) => !found.has(id));
    const mayBeAbsent = query.kind === "vectors" || query.kind === "facts";
    if (mayBeAbsent && missing.length > 0) await requireAbsent(this.#queryable, repo, missing, model);
    return [...found].map(([owner, bytes]) => ({ owner, start: 0, bytes }));
  }

  close(): Promise<void> {
    return this.#onClose();
  }

  async #readPack(view: number): Promise<StoredBlob[]> {
    if (!this.#hasPacks) return [];
    const sql = `SELECT generation AS owner, 0 AS start, bytes FROM codecompass.view_pack WHERE repo = $1 AND view = $2`;
    return this.#queryable.rows(sql, [this.place.repo, view], { prepared: "pack" });
  }
}

/** Of the view `w`; `to_jsonb` because tables before step 10 have no digests. */
export const VIEW_COLUMNS = `w.id, w.ref, w.base_view AS "baseView", w.base_generation AS "baseGeneration", w.generation,
  w.commit_id AS "commit", w.published_at AS "publishedAt", w.totals,
  CASE WHEN (to_jsonb(w) ->> 'digest_at')::integer = w.generation THEN to_jsonb(w) ->> 'digest' END AS digest`;

function readViews(
  queryable: Queryable,
  { repo, epoch }: EpochAddress,
  refs: readonly string[] | undefined,
): Promise<ViewRow[]> {
  const some = refs === undefined ? "" : "AND w.ref = ANY($3)";
  const sql = `SELECT ${VIEW_COLUMNS}, false AS "isDefault" FROM codecompass.view w
    WHERE w.repo = $1 AND w.epoch = $2 ${some} ORDER BY w.ref`;
  return queryable.rows<ViewRow>(sql, [repo, epoch, ...(refs === undefined ? [] : [refs])]);
}

/** Columns in the order of `EntryRow`. */
const ENTRIES = `SELECT e.path, e.skip, e.version, v.path AS version_path, encode(v.hash, 'hex') AS hash, v.extractor,
    v.language, v.symbols, v.chunks, v.problem
  FROM codecompass.view_entry e LEFT JOIN codecompass.file_version v ON v.repo = $1 AND v.id = e.version
  WHERE e.repo = $1 AND e.view = $2 AND e.opened <= $3 AND (e.closed IS NULL OR e.closed > $3)`;
const CLOSED = `SELECT path, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM codecompass.view_entry
  WHERE repo = $1 AND view = $2 AND closed > $4 AND closed <= $3 AND opened <= $4`;

/** Whether a path is one of those given or lies below one; the empty path is the root. */
const UNDER = `EXISTS (SELECT 1 FROM (SELECT rtrim(given, '/') AS p FROM unnest($4::text[]) AS given) AS asked
  WHERE p = '' OR e.path = p OR starts_with(e.path, p || '/'))`;

async function readEntries(
  queryable: Queryable,
  repo: number,
  { view, generation, since, at, under }: EntryQuery,
  limits: Limits | undefined,
): Promise<EntryRow[]> {
  const seen = [repo, view, generation];
  const read = async (sql: string, values: Parameters<Queryable["rows"]>[1], how = {}) =>
    (await queryable.rows<object>(sql, values, { limits, ...how })).map(
      (row) => Object.values(row) as unknown as EntryRow,
    );
  if (at !== undefined) return read(`${ENTRIES} AND e.path = ANY($4)`, [...seen, at]);
  if (under !== undefined) return read(`${ENTRIES} AND ${UNDER}`, [...seen, under]);
  if (since === undefined) return read(ENTRIES, seen, NO_NESTED_LOOPS);
  const rows = await read(`${ENTRIES} AND e.opened > $4 UNION ALL ${CLOSED}`, [...seen, since]);
  const showsNothing = ([, skip, version]: EntryRow) => skip === null && version === null;
  return [...rows.filter(showsNothing), ...rows.filter((row) => !showsNothing(row))];
}

const VERSION = `v.id, v.path, encode(v.hash, 'hex') AS hash, v.extractor, v.language, v.symbols, v.chunks, v.bytes,
  v.problem, encode(v.git_blob, 'hex') AS blob`;

async function readVersions(
  queryable: Queryable,
  { repo, epoch }: EpochAddress,
  query: VersionQuery,
  limits: Limits | undefined,
): Promise<VersionRow[]> {
  if ("ids" in query) {
    const sql = `SELECT ${VERSION} FROM codecompass.file_version v WHERE v.repo = $1 AND v.id = ANY($2)`;
    return queryable.rows<VersionRow>(sql, [repo, query.ids], { limits });
  }
  if ("keys" in query) {
    const { keys } = query;
    const sql = `SELECT ${VERSION} FROM unnest($3::text[], $4::bytea[], $5::text[]) AS k (path, hash, extractor)
      JOIN codecompass.file_version v
        ON v.repo = $1 AND v.epoch = $2 AND v.path = k.path AND v.hash = k.hash AND v.extractor = k.extractor`;
    const paths = keys.map(({ path }) => path);
    const hashes = keys.map(({ contentHash }) => hexBytes(contentHash));
    const extractors = keys.map(({ extractor }) => extractor);
    return queryable.rows<VersionRow>(sql, [repo, epoch, paths, hashes, extractors], { limits });
  }
  const sql = `SELECT ${VERSION} FROM unnest($4::text[], $5::bytea[]) AS k (path, blob)
    JOIN codecompass.file_version v
      ON v.repo = $1 AND v.epoch = $2 AND v.extractor = $3 AND v.git_blob = k.blob AND v.path = k.path`;
  const paths = query.gitBlobs.map(({ path }) => path);
  const blobs = query.gitBlobs.map(({ blob }) => hexBytes(blob));
  return queryable.rows<VersionRow>(sql, [repo, epoch, query.extractor, paths, blobs], { limits });
}

async function readRevision(queryable: Queryable, { repo, epoch }: EpochAddress, tree: ProjectId) {
  const sql = "SELECT revision FROM codecompass.stamped_tree WHERE repo = $1 AND epoch = $2 AND tree = $3";
  return queryable.rows<{ revision: number }>(sql, [repo, epoch, tree], { prepared: "revision" });
}

async function readParts(
  queryable: Queryable,
  repo: number,
  parts: readonly PartRef[],
  limits: Limits | undefined,
): Promise<StoredBlob[]> {
  const segments = [...new Set(parts.map(({ segment }) => int(segment)))];
  const kinds = [...new Set(parts.map(({ kind }) => int(kind)))];
  const sql = `SELECT segment::integer, start, bytes FROM ${contentTable(queryable, "segment_part")}
    WHERE repo = ${int(repo)} AND segment IN (${segments}) AND kind IN (${kinds})`;
  const rows = (await queryable.bytes(sql, { limits, node: nodeOf(repo) })) as [Buffer, Buffer, Buffer][];
  return rows.map(([segment, start, bytes]) => ({
    owner: segment.readInt32BE(),
    start: start.readInt32BE(),
    // A copy on a word boundary: sections are read as words, and the stream's memory can go.
    bytes: new Uint8Array(bytes),
  }));
}

/** Part of the statement's text: anything but a whole number is a bug. */
function int(value: number): number {
  if (!Number.isSafeInteger(value)) throw new Error("not a whole number");
  return value;
}

/** Whether everything that versions name is there, without reading it. A data node sends its keys at once. */
async function findMissing(queryable: Queryable, { repo, epoch }: EpochAddress): Promise<Finding[]> {
  const node = nodeOf(repo);
  const sql = `SELECT DISTINCT v.path FROM codecompass.file_version v CROSS JOIN LATERAL (
      SELECT unnest(ARRAY[v.text_key, v.record_key, v.facts_key]) AS key
      UNION ALL SELECT t.key FROM codecompass.vectors t WHERE t.repo = v.repo AND t.version = v.id) k
    WHERE v.repo = $1 AND v.epoch = $2 AND k.key IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM ${contentTable(queryable, "blob")} b WHERE b.node = ${node} AND b.key = k.key)
    ORDER BY v.path`;
  const options = { node, ...(node === 0 ? NESTED_LOOPS : NO_NESTED_LOOPS) };
  const missing = await queryable.rows<{ path: string }>(sql, [repo, epoch], options);
  return missing.length === 0 ? [] : [{ what: missingContent(missing.map(({ path }) => path)), where: "content" }];
}

export function hexBytes(hex: string): Buffer {
  return Buffer.from(hex, "hex");
}
