/** The repositories of a shared database that have a name, and what can be asked of many of them at once. */
import { ByteCache } from "../../engine/byte-cache.ts";
import { CandidateSearch } from "../../engine/candidates.ts";
import type { CandidateFile } from "../../engine/default-views.ts";
import type { FileRecord } from "../../model/code.ts";
import type { Catalog, Cataloged, CatalogedFile } from "../../ports/catalog.ts";
import type { Limits } from "../../ports/limits.ts";
import { CorruptionError } from "../../segment/bytes.ts";
import { decodeRecord, decodeText, encodeText } from "../../segment/stored-content.ts";
import { readBlobs } from "./blobs.ts";
import { nodeOf } from "./data-nodes.ts";
import type { Db } from "./db.ts";
import { readDefaultViews, readViewEntries, skippedReasons } from "./default-view.ts";
import { mapErrors, NodeUnavailable } from "./failures.ts";
import { findGroups } from "./file-groups.ts";
import { newestStep, requireReadable, unlessUnprepared } from "./migrate.ts";
import type { QueryOptions, SqlValue } from "./queryable.ts";
import { selectRepositories } from "./term-selection.ts";

const TEXT_CACHE_BYTES = 16 << 20;
const RECORD_CACHE_BYTES = 16 << 20;
/** Decoded, a text or a record takes about this many times the bytes of its stored form. */
const TEXT_EXPANSION = 4;
const RECORD_EXPANSION = 12;

export interface CatalogOptions {
  readonly db: Db;
  /** From the key of a repository to what the opener takes. */
  readonly locationOf: (key: string) => string;
  /** Keeps the connections from the first query until `close`. */
  readonly hold: () => void;
  readonly onClose: () => Promise<void>;
}

export function createCatalog({ db, locationOf, hold, onClose }: CatalogOptions): Catalog {
  let held = false;
  const asked = <T>(nothing: T, ask: () => Promise<T>) => {
    if (!held) hold();
    held = true;
    return mapErrors("asking the store", db.address, () => unlessUnprepared(db, nothing, ask));
  };
  /** The search indexes are where releases differ: one that cannot read them must not say that nothing is there. */
  const finding = <T>(nothing: T, ask: () => Promise<T>) =>
    asked(nothing, async () => {
      const newest = await newestStep(db);
      if (newest !== undefined) requireReadable(newest.compatible_from, db.address.shown);
      return ask();
    });
  const repositories = (where: string, values: readonly SqlValue[], options: QueryOptions) =>
    asked([], async () => {
      const sql = `SELECT key, name FROM codecompass.repository WHERE ${where}`;
      const rows = await db.rows<{ key: string; name: string }>(sql, values, options);
      return rows.map(({ key, name }): Cataloged => ({ name, location: locationOf(key) }));
    });
  const texts = new ByteCache<string, string>(TEXT_CACHE_BYTES);
  const records = new ByteCache<string, FileRecord>(RECORD_CACHE_BYTES);
  const candidates = new CandidateSearch({
    groups: (...query) => findGroups(db, ...query),
    views: (...query) => readDefaultViews(db, ...query),
    entries: (...query) => readViewEntries(db, ...query),
  });
  return {
    named: (names, limits) => {
      const scope = names.length === 1 ? names[0] : undefined;
      return repositories("name = ANY($1::text[]) ORDER BY id", [names], { limits, scope, prepared: "cataloged" });
    },
    count: (limits) =>
      asked(0, async () => {
        const sql = "SELECT count(*) AS count FROM codecompass.repository WHERE name IS NOT NULL";
        return (await db.rows<{ count: number }>(sql, [], { limits, prepared: "named" }))[0]!.count;
      }),
    beginning: (prefix, limits) => repositories("starts_with(name, $1) ORDER BY name", [prefix], { limits }),
    withTerms: (terms, ask, limits) =>
      finding({ names: [], all: true }, () => selectRepositories(db, terms, { ...ask, limits })),
    holding: (plan, ask, limits) => finding({ files: [], more: false }, () => candidates.find(plan, ask, limits)),
    skipped: (reasons, { names }, limits) => asked([], () => skippedReasons(db, reasons, names, limits)),
    // The caller caches them.
    packed: (files, limits) =>
      asked([], () => readContent(db, "text", files as readonly CandidateFile[], limits, emptyIfUnavailable)),
    texts: (files, limits) =>
      asked([], () =>
        readCached(texts, files as readonly CandidateFile[], {
          keyOf: ({ contentHash }) => contentHash,
          read: (missing) => readContent(db, "text", missing, limits),
          decode: decodeText,
          expansion: TEXT_EXPANSION,
        }),
      ),
    records: (files, limits) =>
      asked([], () =>
        readCached(records, files as readonly CandidateFile[], {
          keyOf: ({ uid, repo, id }) => `${uid} ${repo} ${id}`,
          read: (missing) => readContent(db, "record", missing, limits),
          decode: decodeRecord,
          expansion: RECORD_EXPANSION,
        }),
      ),
    missing: () => db.missingNodes,
    rest: () => {
      texts.clear();
      records.clear();
    },
    close: async () => {
      if (held) await onClose();
      held = false;
    },
  };
}

interface CachedRead<T> {
  readonly keyOf: (file: CandidateFile) => string;
  readonly read: (files: readonly CandidateFile[]) => Promise<readonly Uint8Array[]>;
  readonly decode: (bytes: Uint8Array) => T;
  readonly expansion: number;
}

/** The caller was given these files by the store just before, so it may see what is cached of them. */
async function readCached<T>(
  cache: ByteCache<string, T>,
  files: readonly CandidateFile[],
  { keyOf, read, decode, expansion }: CachedRead<T>,
): Promise<T[]> {
  const known = files.map((file) => cache.get(keyOf(file)));
  const missing = files.filter((_, at) => known[at] === undefined);
  const bytes = missing.length === 0 ? [] : await read(missing);
  const fresh = new Map(missing.map((file, at) => [file, decode(bytes[at]!)]));
  for (const [at, file] of missing.entries()) cache.set(keyOf(file), fresh.get(file)!, bytes[at]!.length * expansion);
  return files.map((file, at) => known[at] ?? fresh.get(file)!);
}

/** `Db.missingNodes` names the node. */
function emptyIfUnavailable(error: unknown): Uint8Array {
  if (!(error instanceof NodeUnavailable)) throw error;
  return encodeText("");
}

/** As it is stored, in the order of the files. Each data node is queried by itself, so that a failing one fails its own files only. */
async function readContent(
  db: Db,
  kind: "text" | "record",
  files: readonly CandidateFile[],
  limits: Limits | undefined,
  onError?: (error: unknown) => Uint8Array,
): Promise<Uint8Array[]> {
  const found = new Map<CandidateFile, Uint8Array>();
  const reads = [...Map.groupBy(files, ({ repo }) => nodeOf(repo))].map(async ([node, own]) => {
    const sql = `SELECT a.at AS id, v.${kind}_key AS key
      FROM unnest($1::integer[], $2::bigint[]) WITH ORDINALITY AS a (repo, version, at)
      JOIN codecompass.file_version v ON v.repo = a.repo AND v.id = a.version`;
    const values = [own.map(({ repo }) => repo), own.map(({ id }) => id)];
    const options = { limits, scope: [...new Set(values[0])], prepared: `wide_${kind}s` };
    try {
      const bytes = await readBlobs(db, node, { sql, values }, options);
      for (const [at, file] of own.entries()) if (bytes.has(at + 1)) found.set(file, bytes.get(at + 1)!);
    } catch (error) {
      if (onError === undefined) throw error;
      const bytes = onError(error);
      for (const file of own) found.set(file, bytes);
    }
  });
  await Promise.all(reads);
  return files.map((file) => found.get(file) ?? missingContent(file));
}

function missingContent({ path, repository }: CatalogedFile): never {
  throw new CorruptionError(`${path} of ${repository} is missing`);
}
