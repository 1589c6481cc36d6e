/** Groups of files that may match a pattern: looked up by trigrams in a GIN index, with the masks of their ranges. */
import type { GroupQuery, GroupRange } from "../../engine/candidates.ts";
import type { TrigramPlan } from "../../model/grep.ts";
import type { Limits } from "../../ports/snapshot.ts";
import { FEW_ROWS } from "./planner-settings.ts";
import type { Queryable, SqlValue } from "./queryable.ts";

/** More names are not looked up one by one: the index is queried once for all repositories. */
const MAX_LOOKUPS = 512;
const GROUP = "f.repo, f.version, f.files, f.run, f.run_files, f.run_places";

/** `places`: of the masks to read. */
export function findRanges(
  db: Queryable,
  query: GroupQuery,
  places: readonly number[],
  limits: Limits | undefined,
): Promise<GroupRange[]> {
  const values: SqlValue[] = [places];
  // A row for each range: the driver takes longer over a thousand rows than the engine over finding them.
  const sql = `WITH m AS MATERIALIZED (${groupsSql(db, query, values)}),
    r AS (SELECT m.repo, m.run, m.run_files AS of, m.run_places AS each, (m.run_files + 7) / 8 AS width,
      string_agg(m.version::text, ' ') AS firsts, string_agg(m.files::text, ' ') AS files FROM m GROUP BY 1, 2, 3, 4)
    SELECT r.repo, r.run::integer AS run, r.of, r.firsts, r.files, ${MASKS} AS masks FROM r`;
  const scope = "repositories" in query ? query.repositories : undefined;
  return db.rows(sql, values, { limits, scope, ...FEW_ROWS, prepared: "groups" });
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
  return db.isGuarded
    ? found(plan, values, "NULL", most)
    : `SELECT ${GROUP} FROM codecompass.findable f WHERE ${conditionSql(conditionOf(plan), values)}`;
}

/** One lookup for each repository. OFFSET prevents a join. */
function inEach(db: Queryable, plan: TrigramPlan, ids: string, values: SqlValue[]): string {
  return db.isGuarded
    ? found(plan, values, `ARRAY(${ids})`)
    : `SELECT m.* FROM (${ids}) AS k (repo) CROSS JOIN LATERAL (SELECT ${GROUP} FROM codecompass.findable f
        WHERE f.repo = k.repo AND ${conditionSql(conditionOf(plan), values)} OFFSET 0) m`;
}

function found(plan: TrigramPlan, values: SqlValue[], repos: string, most?: number): string {
  const condition = `$${values.push(JSON.stringify(conditionOf(plan)))}::jsonb`;
  return `SELECT ${GROUP} FROM codecompass.found_by_trigrams(${condition}, ${repos}, ${most ?? "NULL"}) f`;
}

/** As the function `codecompass.trigram_condition` takes it: trigrams that belong together are one lookup in the index. */
interface Condition {
  readonly op: "and" | "or";
  readonly has: readonly number[];
  readonly parts: readonly Condition[];
}

function conditionOf(plan: TrigramPlan): Condition {
  if (plan.op === "any") return { op: "and", has: [], parts: [] };
  if (plan.op === "has") return { op: "and", has: [plan.trigram], parts: [] };
  const has = plan.parts.flatMap((part) => (part.op === "has" ? [part.trigram] : []));
  return { op: plan.op, has, parts: plan.parts.filter((part) => part.op !== "has").map(conditionOf) };
}

function conditionSql({ op, has, parts }: Condition, values: SqlValue[]): string {
  const own = has.length === 0 ? [] : [`f.trigrams ${op === "and" ? "@>" : "&&"} $${values.push(has)}::integer[]`];
  const all = [...own, ...parts.map((part) => conditionSql(part, values))];
  return all.length === 0 ? String(op === "and") : `(${all.join(` ${op} `)})`;
}
