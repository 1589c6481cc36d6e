/** Groups of files that may match a pattern: looked up by trigrams in a GIN index, then narrowed by the masks of their ranges. */
import type { FoundGroups, GroupQuery } from "../../engine/candidates.ts";
import type { TrigramPlan } from "../../model/grep.ts";
import type { Limits } from "../../ports/limits.ts";
import { passingVersions, planMaskQuery } from "../../segment/file-groups.ts";
import { FEW_ROWS } from "./planner-settings.ts";
import type { Queryable, SqlValue } from "./queryable.ts";

/** More names are not looked up one by one: the index is queried once for all repositories. */
const MAX_LOOKUPS = 512;
const GROUP = "f.repo, f.version, f.files, f.run, f.run_files, f.run_places";

export async function findGroups(db: Queryable, query: GroupQuery, limits: Limits | undefined): Promise<FoundGroups> {
  const masks = planMaskQuery(query.plan);
  const values: SqlValue[] = [masks.places];
  // A row for each range: the driver takes longer over a thousand rows than the engine over finding them.
  const sql = `WITH m AS MATERIALIZED (${groupsSql(db, query, values)}),
    r AS (SELECT m.repo, m.run, m.run_files AS of, m.run_places AS each, (m.run_files + 7) / 8 AS width,
      string_agg(m.version::text, ' ') AS firsts, string_agg(m.files::text, ' ') AS files FROM m GROUP BY 1, 2, 3, 4)
    SELECT r.repo, r.run::integer AS run, r.of, r.firsts, r.files, ${MASKS} AS masks FROM r`;
  const scope = "repositories" in query ? query.repositories : undefined;
  const rows = await db.rows<RangeRow>(sql, values, { limits, scope, ...FEW_ROWS, prepared: "groups" });
  const versions = new Map<number, number[]>();
  let groups = 0;
  for (const row of rows) {
    const counts = row.files.split(" ").map(Number);
    const found = row.firsts.split(" ").map((first, at) => ({ first: Number(first), files: counts[at]! }));
    groups += found.length;
    const range = { first: row.run ?? 0, files: row.of ?? 0 };
    const passing = passingVersions(
      { range, groups: found, masks: row.run === null ? undefined : (row.masks ?? undefined) },
      masks,
    );
    if (passing.length > 0) versions.set(row.repo, (versions.get(row.repo) ?? []).concat(passing));
  }
  return { versions, groups, repositories: rows.map(({ repo }) => repo) };
}

/** Groups of one range; those of single files have none. */
interface RangeRow {
  readonly repo: number;
  readonly run: number | null;
  readonly of: number | null;
  readonly firsts: string;
  readonly files: string;
  readonly masks: Buffer | null;
}

/** Those of a range at the places $1. OFFSET prevents a join: each is one lookup in the index of its partition. */
const MASKS = `(SELECT string_agg(b.bits, ''::bytea ORDER BY p.n) FROM unnest($1::integer[]) WITH ORDINALITY AS p (place, n)
  CROSS JOIN LATERAL (SELECT substring(b.bits FROM p.place % r.each * r.width + 1 FOR r.width) AS bits
    FROM codecompass.mask b WHERE b.repo = r.repo AND b.run = r.run AND b.at = p.place / r.each OFFSET 0) b)`;

function groupsSql(db: Queryable, query: GroupQuery, values: SqlValue[]): string {
  if ("repositories" in query)
    return inEach(db, query.plan, `SELECT unnest($${values.push(query.repositories)}::integer[])`, values);
  const { plan, names, most, from } = query;
  const limit = `LIMIT ${most}`;
  if (from !== undefined) {
    const all = inAll(db, plan, values);
    const named = names === undefined ? "" : `AND r.name = ANY($${values.push(names)}::text[])`;
    return `SELECT f.* FROM (${all} OFFSET 0) f
      JOIN codecompass.repository r ON r.id = f.repo AND r.name >= $${values.push(from)} ${named}
      ORDER BY r.name FETCH FIRST ${most} ROWS WITH TIES`;
  }
  if (names === undefined) return `${inAll(db, plan, values, most)} ${limit}`;
  const ids = `SELECT n.id FROM codecompass.repository n WHERE n.name = ANY($${values.push(names)}::text[])`;
  if (names.length <= MAX_LOOKUPS) return `${inEach(db, plan, ids, values)} ${limit}`;
  return `SELECT a.* FROM (${inAll(db, plan, values)} OFFSET 0) a WHERE a.repo IN (${ids}) ${limit}`;
}

/** One lookup in the index of every partition. Principals have no right to the table (`FOUND_BY` in `access-tables.ts`). */
function inAll(db: Queryable, plan: TrigramPlan, values: SqlValue[], most?: number): string {
  if (!db.isGuarded) return `SELECT ${GROUP} FROM codecompass.findable f WHERE ${trigramCondition(plan, values)}`;
  return `SELECT ${GROUP} FROM codecompass.found_by_trigrams(${planParameter(plan, values)}, NULL, ${most ?? "NULL"}) f`;
}

/** One lookup for each repository. OFFSET prevents a join. */
function inEach(db: Queryable, plan: TrigramPlan, ids: string, values: SqlValue[]): string {
  if (db.isGuarded)
    return `SELECT ${GROUP} FROM codecompass.found_by_trigrams(${planParameter(plan, values)}, ARRAY(${ids}), NULL) f`;
  return `SELECT m.* FROM (${ids}) AS k (repo) CROSS JOIN LATERAL (SELECT ${GROUP} FROM codecompass.findable f
    WHERE f.repo = k.repo AND ${trigramCondition(plan, values)} OFFSET 0) m`;
}

/** Neighbouring trigrams that must all be there are one lookup in the index. */
function trigramCondition(plan: TrigramPlan, values: SqlValue[]): string {
  if (plan.op === "any") return "true";
  if (plan.op === "has") return `f.trigrams @> $${values.push([plan.trigram])}::integer[]`;
  if (plan.parts.length === 0) return plan.op === "and" ? "true" : "false";
  const single = plan.parts.flatMap((part) => (part.op === "has" ? [part.trigram] : []));
  const rest = plan.parts.filter((part) => part.op !== "has").map((part) => trigramCondition(part, values));
  const operator = plan.op === "and" ? "@>" : "&&";
  const own = single.length === 0 ? [] : [`f.trigrams ${operator} $${values.push(single)}::integer[]`];
  return `(${[...own, ...rest].join(` ${plan.op} `)})`;
}

/** The same for the function `codecompass.trigram_condition`. */
interface ConditionPlan {
  readonly op: "and" | "or";
  readonly has: readonly number[];
  readonly parts: readonly ConditionPlan[];
}

function planParameter(plan: TrigramPlan, values: SqlValue[]): string {
  return `$${values.push(JSON.stringify(toConditionPlan(plan)))}::jsonb`;
}

function toConditionPlan(plan: TrigramPlan): ConditionPlan {
  if (plan.op === "any") return { op: "and", has: [], parts: [] };
  if (plan.op === "has") return { op: "and", has: [plan.trigram], parts: [] };
  const has = plan.parts.flatMap((part) => (part.op === "has" ? [part.trigram] : []));
  return { op: plan.op, has, parts: plan.parts.filter((part) => part.op !== "has").map(toConditionPlan) };
}
