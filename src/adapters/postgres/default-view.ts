/** Which view of a repository is its default, as SQL. */
import type { DefaultViewQuery, DefaultViews } from "../../engine/candidates.ts";
import type { DefaultView, DefaultViewEntry } from "../../engine/default-views.ts";
import type { SkipReason } from "../../model/code.ts";
import type { Limits } from "../../ports/snapshot.ts";
import type { Queryable } from "./queryable.ts";
import { UID } from "./repository.ts";

/** The same order as `defaultView` of the core: what is known to be it, main, master, another branch, anything else, the base. */
const RANK = `CASE WHEN w.ref = r.default_ref THEN -1 WHEN w.ref = 'refs/heads/main' THEN 0 WHEN w.ref = 'refs/heads/master' THEN 1
  WHEN w.ref LIKE 'refs/heads/%' THEN 2 WHEN w.ref = 'base' THEN 4 ELSE 3 END`;

/** To be joined as `d`. What a clone has edited is its own, and never the default. */
const DEFAULT_VIEW = `LATERAL (
  SELECT w.* FROM codecompass.view w
  WHERE w.repo = r.id AND w.epoch = r.epoch AND w.ref <> 'live' AND w.ref <> 'worktree' AND w.ref NOT LIKE 'worktree:%'
    AND w.ref <> 'compiler'
  ORDER BY ${RANK}, w.published_at DESC, w.ref LIMIT 1) d`;

/** Repositories are selected before their views are read: of ten thousand, reading all of them took 200 ms. */
export async function readDefaultViews(
  queryable: Queryable,
  query: DefaultViewQuery,
  limits: Limits | undefined,
): Promise<DefaultViews> {
  const isKnown = "repositories" in query;
  const named = !isKnown && query.names !== undefined;
  const where = isKnown
    ? "r.id = ANY($1::integer[])"
    : `r.name >= $1 ${named ? "AND r.name = ANY($2::text[])" : ""} ORDER BY r.name LIMIT ${query.most}`;
  const values = isKnown ? [query.repositories] : [query.from, ...(named ? [query.names] : [])];
  const sql = `SELECT r.id AS repo, ${UID}, r.name, d.ref, d.commit_id AS commit, d.id, d.base_view, d.base_generation,
      d.generation, d.totals
    FROM (SELECT * FROM codecompass.repository r WHERE r.name IS NOT NULL AND ${where} OFFSET 0) r
    LEFT JOIN ${DEFAULT_VIEW} ON true ORDER BY r.name`;
  type Row = DefaultView | { readonly id: null; readonly name: string };
  const scope = isKnown ? query.repositories : undefined;
  const rows = await queryable.rows<Row>(sql, values, { limits, scope, prepared: "default_views" });
  return { views: rows.filter((row) => row.id !== null), names: rows.map(({ name }) => name) };
}

/** Of the views and of their bases. */
export function readViewEntries(
  queryable: Queryable,
  views: readonly DefaultView[],
  limits: Limits | undefined,
): Promise<DefaultViewEntry[]> {
  const bases = views.flatMap(({ repo, base_view, base_generation }) =>
    base_view === null ? [] : [{ repo, id: base_view, generation: base_generation! }],
  );
  const wanted = [...views, ...bases];
  const sql = `SELECT e.repo, e.view, e.path, e.version, v.language, encode(v.hash, 'hex') AS hash
    FROM unnest($1::integer[], $2::integer[], $3::integer[]) AS k (repo, view, generation)
    JOIN codecompass.view_entry e ON e.repo = k.repo AND e.view = k.view
      AND e.opened <= k.generation AND (e.closed IS NULL OR e.closed > k.generation)
    LEFT JOIN codecompass.file_version v ON v.repo = e.repo AND v.id = e.version`;
  const columns = [wanted.map(({ repo }) => repo), wanted.map(({ id }) => id), wanted.map((one) => one.generation)];
  return queryable.rows<DefaultViewEntry>(sql, columns, { limits, scope: views.map(({ repo }) => repo) });
}

/** EXISTS stops at the first repository with such a file: ten thousand repositories cost no more than a few. */
export async function skippedReasons(
  queryable: Queryable,
  reasons: readonly SkipReason[],
  names: readonly string[] | undefined,
  limits: Limits | undefined,
): Promise<SkipReason[]> {
  const scope = names === undefined ? "" : "AND r.name = ANY($2::text[])";
  const sql = `SELECT k.reason FROM unnest($1::text[]) AS k (reason)
    WHERE EXISTS (SELECT 1 FROM codecompass.repository r CROSS JOIN ${DEFAULT_VIEW}
      WHERE r.name IS NOT NULL ${scope} AND (d.totals::jsonb -> 'skipped') ? k.reason)`;
  const values = [reasons, ...(names === undefined ? [] : [names])];
  const found = await queryable.rows<{ reason: SkipReason }>(sql, values, { limits });
  return reasons.filter((reason) => found.some((row) => row.reason === reason));
}
