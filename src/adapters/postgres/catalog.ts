/** The repositories of a shared database that have a name, and what can be asked of many of them at once. */
import { CandidateSearch } from "../../engine/candidates.ts";
import { readContents } from "../../engine/cataloged-contents.ts";
import type { CandidateFile } from "../../engine/default-views.ts";
import { selectRepositories } from "../../engine/repository-selection.ts";
import type { Catalog, Cataloged } from "../../ports/catalog.ts";
import type { Limits } from "../../ports/snapshot.ts";
import { readBlobs } from "./blobs.ts";
import { nodeOf } from "./data-nodes.ts";
import type { Db } from "./db.ts";
import { readDefaultViews, readViewEntries, skippedReasons } from "./default-view.ts";
import { mapErrors } from "./failures.ts";
import { findRanges } from "./file-groups.ts";
import { newestStep, requireReadable, unlessUnprepared } from "./migrate.ts";
import { scoreRepositories } from "./term-selection.ts";

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
    ranges: (...query) => findRanges(db, ...query),
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
        const names = "names" in query ? query.names : undefined;
        const [where, value] =
          "names" in query
            ? ["name = ANY($1::text[]) ORDER BY id", query.names]
            : ["starts_with(name, $1) ORDER BY name", query.prefix];
        const options = names && { scope: names.length === 1 ? names[0] : undefined, prepared: "cataloged" };
        const sql = `SELECT key, name FROM codecompass.repository WHERE ${where}`;
        const rows = await db.rows<{ key: string; name: string }>(sql, [value], { limits, ...options });
        return rows.map(({ key, name }): Cataloged => ({ name, location: locationOf(key) }));
      }),
    withTerms: (terms, ask, limits) =>
      finding({ names: [], all: true }, () =>
        selectRepositories(terms, (lookups) => scoreRepositories(db, lookups, ask, limits)),
      ),
    holding: (plan, ask, limits) => finding({ files: [], more: false }, () => candidates.find(plan, ask, limits)),
    skipped: (reasons, { names }, limits) => asked([], () => skippedReasons(db, reasons, names, limits)),
    contents: (kind, files, limits) =>
      asked([], () =>
        readContents(kind, files as readonly CandidateFile[], {
          partOf: nodeOf,
          read: (column, own) => readBlobsOf(db, column, own, limits),
        }),
      ),
    missing: () => db.missingNodes,
  };
}

/** Of files on one node, by their places. */
async function readBlobsOf(
  db: Db,
  kind: "text" | "record",
  files: readonly CandidateFile[],
  limits: Limits | undefined,
): Promise<Map<number, Buffer>> {
  const sql = `SELECT a.at - 1 AS id, v.${kind}_key AS key
    FROM unnest($1::integer[], $2::bigint[]) WITH ORDINALITY AS a (repo, version, at)
    JOIN codecompass.file_version v ON v.repo = a.repo AND v.id = a.version`;
  const values = [files.map(({ repo }) => repo), files.map(({ id }) => id)];
  const options = { limits, scope: [...new Set(values[0])], prepared: `wide_${kind}` };
  return readBlobs(db, nodeOf(files[0]!.repo), { sql, values }, options);
}
