/** The repositories of a shared database that have a name, and what can be asked of many of them at once. */
import { CandidateSearch } from "../../engine/candidates.ts";
import type { CandidateFile } from "../../engine/default-views.ts";
import type { Catalog, Cataloged, CatalogedContent, CatalogedFile } from "../../ports/catalog.ts";
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
import { selectRepositories } from "./term-selection.ts";

/** `locationOf`: from the key of a repository to what the opener takes. */
export function createCatalog(db: Db, locationOf: (key: string) => string): Catalog {
  const asked = <T>(nothing: T, ask: () => Promise<T>) =>
    mapErrors("asking the store", db.address, () => unlessUnprepared(db, nothing, ask));
  /** The search indexes are where releases differ: one that cannot read them must not say that nothing is there. */
  const finding = <T>(nothing: T, ask: () => Promise<T>) =>
    asked(nothing, async () => {
      const newest = await newestStep(db);
      if (newest !== undefined) requireReadable(newest.compatible_from, db.address.shown);
      return ask();
    });
  const candidates = new CandidateSearch({
    groups: (...query) => findGroups(db, ...query),
    views: (...query) => readDefaultViews(db, ...query),
    entries: (...query) => readViewEntries(db, ...query),
  });
  return {
    count: (limits) =>
      asked(0, async () => {
        const sql = "SELECT count(*) AS count FROM codecompass.repository WHERE name IS NOT NULL";
        return (await db.rows<{ count: number }>(sql, [], { limits, prepared: "named" }))[0]!.count;
      }),
    repositories: (query, limits) =>
      asked([], async () => {
        const [where, value, options] =
          "names" in query
            ? [
                "name = ANY($1::text[]) ORDER BY id",
                query.names,
                { scope: onlyOne(query.names), prepared: "cataloged" },
              ]
            : ["starts_with(name, $1) ORDER BY name", query.prefix, {}];
        const sql = `SELECT key, name FROM codecompass.repository WHERE ${where}`;
        const rows = await db.rows<{ key: string; name: string }>(sql, [value], { limits, ...options });
        return rows.map(({ key, name }): Cataloged => ({ name, location: locationOf(key) }));
      }),
    withTerms: (terms, ask, limits) =>
      finding({ names: [], all: true }, () => selectRepositories(db, terms, { ...ask, limits })),
    holding: (plan, ask, limits) => finding({ files: [], more: false }, () => candidates.find(plan, ask, limits)),
    skipped: (reasons, { names }, limits) => asked([], () => skippedReasons(db, reasons, names, limits)),
    contents: <K extends keyof CatalogedContent>(kind: K, files: readonly CatalogedFile[], limits?: Limits) =>
      asked<(CatalogedContent[K] | undefined)[]>([], async () => {
        const { column, decode, without } = KINDS[kind];
        const stored = await readContents(db, column, files as readonly CandidateFile[], limits);
        return stored.map((bytes) => (bytes === undefined ? without : decode(bytes)));
      }),
    missing: () => db.missingNodes,
  };
}

type Kinds = {
  readonly [K in keyof CatalogedContent]: {
    readonly column: "text_key" | "record_key";
    readonly decode: (bytes: Uint8Array) => CatalogedContent[K];
    /** Where the data node that holds it does not answer. */
    readonly without: CatalogedContent[K] | undefined;
  };
};

const KINDS: Kinds = {
  packed: { column: "text_key", decode: (bytes) => bytes, without: encodeText("") },
  text: { column: "text_key", decode: decodeText, without: undefined },
  record: { column: "record_key", decode: decodeRecord, without: undefined },
};

function onlyOne(names: readonly string[]): string | undefined {
  return names.length === 1 ? names[0] : undefined;
}

/** Each data node is queried by itself, so that a failing one fails its own files only: `Db.missingNodes` names it. */
async function readContents(
  db: Db,
  column: "text_key" | "record_key",
  files: readonly CandidateFile[],
  limits: Limits | undefined,
): Promise<(Uint8Array | undefined)[]> {
  const found = new Map<CandidateFile, Uint8Array | undefined>();
  const reads = [...Map.groupBy(files, ({ repo }) => nodeOf(repo))].map(async ([node, own]) => {
    const sql = `SELECT a.at AS id, v.${column} AS key
      FROM unnest($1::integer[], $2::bigint[]) WITH ORDINALITY AS a (repo, version, at)
      JOIN codecompass.file_version v ON v.repo = a.repo AND v.id = a.version`;
    const values = [own.map(({ repo }) => repo), own.map(({ id }) => id)];
    const options = { limits, scope: [...new Set(values[0])], prepared: `wide_${column}` };
    try {
      const bytes = await readBlobs(db, node, { sql, values }, options);
      for (const [at, file] of own.entries()) found.set(file, bytes.get(at + 1) ?? missingContent(file));
    } catch (error) {
      if (!(error instanceof NodeUnavailable)) throw error;
      for (const file of own) found.set(file, undefined);
    }
  });
  await Promise.all(reads);
  return files.map((file) => found.get(file));
}

function missingContent({ path, repository }: CatalogedFile): never {
  throw new CorruptionError(`${path} of ${repository} is missing`);
}
