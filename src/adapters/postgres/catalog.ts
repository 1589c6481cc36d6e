/** The repositories of a shared database that have a name, and what can be asked of many of them at once. */
import { ByteCache } from "../../engine/byte-cache.ts";
import type { FileRecord } from "../../model/code.ts";
import type { Catalog, Cataloged, CatalogedFile } from "../../ports/catalog.ts";
import { CorruptionError } from "../../segment/bytes.ts";
import { decodeRecord, decodeText } from "../../segment/stored-content.ts";
import type { Db } from "./db.ts";
import { type CandidateFile, DefaultViewCache } from "./default-view.ts";
import { mapErrors } from "./failures.ts";
import { newestStep, requireReadable, unlessUnprepared } from "./migrate.ts";
import { selectRepositories } from "./term-selection.ts";
import { findCandidates, readRecords, readTexts, readTextsToScan, skippedReasons } from "./trigram-candidates.ts";

const TEXT_CACHE_BYTES = 16 << 20;
const RECORD_CACHE_BYTES = 16 << 20;
/** Decoded, a text or a record takes about this many times the bytes of its stored form. */
const TEXT_EXPANSION = 4;
const RECORD_EXPANSION = 12;

export interface CatalogOptions {
  readonly db: Db;
  /** From the key of a repository to what the opener takes. */
  readonly locationOf: (key: string) => string;
  /** Keeps the connections from the first question until `close`. */
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
  /** What finds is where releases differ: one that cannot read it must not say that nothing is there. */
  const finding = <T>(nothing: T, ask: () => Promise<T>) =>
    asked(nothing, async () => {
      const newest = await newestStep(db);
      if (newest !== undefined) requireReadable(newest.compatible_from, db.address.shown);
      return ask();
    });
  const found = ({ key, name }: { key: string; name: string }): Cataloged => ({ name, location: locationOf(key) });
  const texts = new ByteCache<string, string>(TEXT_CACHE_BYTES);
  const records = new ByteCache<string, FileRecord>(RECORD_CACHE_BYTES);
  const wide = { db, shown: new DefaultViewCache(db), common: new Set<string>(), scattered: new Set<string>() };
  return {
    find: (name, limits) =>
      asked(undefined, async () => {
        const sql = "SELECT key, name FROM codecompass.repository WHERE name = $1 ORDER BY id LIMIT 1";
        const [row] = await db.rows<{ key: string; name: string }>(sql, [name], {
          limits,
          scope: name,
          prepared: "cataloged",
        });
        return row && found(row);
      }),
    named: (names, limits) =>
      asked([], async () => {
        const sql = "SELECT key, name FROM codecompass.repository WHERE name = ANY($1::text[])";
        return (await db.rows<{ key: string; name: string }>(sql, [names], { limits })).map(found);
      }),
    count: (limits) =>
      asked(0, async () => {
        const sql = "SELECT count(*) AS count FROM codecompass.repository WHERE name IS NOT NULL";
        const [row] = await db.rows<{ count: number }>(sql, [], { limits, prepared: "named" });
        return row!.count;
      }),
    beginning: (prefix, limits) =>
      asked([], async () => {
        const sql = "SELECT key, name FROM codecompass.repository WHERE starts_with(name, $1) ORDER BY name";
        const rows = await db.rows<{ key: string; name: string }>(sql, [prefix], { limits });
        return rows.map(found);
      }),
    withTerms: (terms, ask, limits) =>
      finding({ names: [], all: true }, () => selectRepositories(db, terms, { ...ask, limits })),
    holding: (plan, ask, limits) =>
      finding({ files: [], more: false }, () => findCandidates(wide, plan, { ...ask, limits })),
    skipped: (reasons, scope, limits) => asked([], () => skippedReasons(db, reasons, { ...scope, limits })),
    // Whoever looks through them keeps them.
    packed: (files, limits) =>
      asked([], async () => {
        const found = await readTextsToScan(db, files as readonly CandidateFile[], limits);
        return files.map((file, at) => required(found[at], file));
      }),
    texts: (files, limits) =>
      asked([], () =>
        readCached(texts, files as readonly CandidateFile[], {
          keyOf: ({ contentHash }) => contentHash,
          read: (missing) => readTexts(db, missing, limits),
          decode: decodeText,
          sizeOf: (bytes) => bytes.length * TEXT_EXPANSION,
        }),
      ),
    records: (files, limits) =>
      asked([], () =>
        readCached(records, files as readonly CandidateFile[], {
          keyOf: ({ repo, id }) => `${repo} ${id}`,
          read: (missing) => readRecords(db, missing, limits),
          decode: decodeRecord,
          sizeOf: (bytes) => bytes.length * RECORD_EXPANSION,
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
  readonly read: (files: readonly CandidateFile[]) => Promise<readonly (Uint8Array | undefined)[]>;
  readonly decode: (bytes: Uint8Array) => T;
  readonly sizeOf: (bytes: Uint8Array) => number;
}

/** Whoever asks was given these files by the engine just before: what is remembered of them is theirs to see. */
async function readCached<T>(
  cache: ByteCache<string, T>,
  files: readonly CandidateFile[],
  by: CachedRead<T>,
): Promise<T[]> {
  const known = files.map((file) => cache.get(by.keyOf(file)));
  const missing = files.filter((_, at) => known[at] === undefined);
  const read = missing.length === 0 ? [] : await by.read(missing);
  const fresh = new Map(missing.map((file, at) => [file, required(read[at], file)]));
  return files.map((file, at) => {
    const bytes = fresh.get(file);
    if (bytes === undefined) return known[at]!;
    const value = by.decode(bytes);
    cache.set(by.keyOf(file), value, by.sizeOf(bytes));
    return value;
  });
}

function required(bytes: Uint8Array | undefined, { path, repository }: CatalogedFile): Uint8Array {
  if (bytes === undefined) throw new CorruptionError(`${path} of ${repository} is missing`);
  return bytes;
}
