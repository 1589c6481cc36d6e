/**
 * File versions of bunches that an index has found: the masks of their runs tell those that may hold what was looked for
 * from the others.
 */
import type { TrigramPlan } from "../../model/grep.ts";
import type { Limits } from "../../ports/limits.ts";
import { type MaskQuery, maskBytes, matchMasks } from "../../segment/file-groups.ts";
import type { Db } from "./db.ts";
import { FEW_ROWS } from "./planner-settings.ts";
import type { RepositoryScope, SqlValue } from "./queryable.ts";

/** The columns that `versionsOf` needs of a bunch. */
const BUNCH = "f.repo, f.version, f.files, f.run, f.run_files, f.run_places";

export interface GroupScope {
  /** A query for the numbers of repositories: each is one lookup in the index of its partition. Absent: all, in one lookup. */
  readonly repos?: string;
  readonly most?: number;
}

/** A query for the bunches that the plan does not rule out; its parameters are added to `values`. */
export function groupsHolding(db: Db, plan: TrigramPlan, values: SqlValue[], { repos, most }: GroupScope = {}): string {
  const limit = most === undefined ? "" : `LIMIT ${most}`;
  if (db.isGuarded) {
    // Principals have no right to the table (`FOUND_BY` in `access-tables.ts`).
    const parameter = `$${values.push(JSON.stringify(toConditionPlan(plan)))}::jsonb`;
    const ids = repos === undefined ? "NULL" : `ARRAY(${repos})`;
    return `SELECT ${BUNCH} FROM codecompass.found_by_trigrams(${parameter}, ${ids}, ${most ?? "NULL"}) f`;
  }
  const condition = trigramCondition(plan, values);
  if (repos === undefined) return `SELECT ${BUNCH} FROM codecompass.findable f WHERE ${condition} ${limit}`;
  // OFFSET keeps the engine from joining all.
  return `SELECT m.* FROM (${repos}) AS k (repo) CROSS JOIN LATERAL
    (SELECT ${BUNCH} FROM codecompass.findable f WHERE f.repo = k.repo AND ${condition} OFFSET 0) m ${limit}`;
}

/** Neighbouring trigrams that must all be there are one look at the index. */
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

function toConditionPlan(plan: TrigramPlan): ConditionPlan {
  if (plan.op === "any") return { op: "and", has: [], parts: [] };
  if (plan.op === "has") return { op: "and", has: [plan.trigram], parts: [] };
  const has = plan.parts.flatMap((part) => (part.op === "has" ? [part.trigram] : []));
  return { op: plan.op, has, parts: plan.parts.filter((part) => part.op !== "has").map(toConditionPlan) };
}

export interface GroupQuery {
  /** Bunches; `places` of the look are $1. */
  readonly sql: string;
  readonly values: readonly SqlValue[];
  readonly look: MaskQuery;
  readonly limits: Limits | undefined;
  readonly scope?: RepositoryScope;
}

/** Versions by repository. */
export async function readVersions(db: Db, { sql: bunches, values, look, limits, scope }: GroupQuery) {
  // A row a run: the driver takes longer over a thousand rows than the engine over finding them.
  const sql = `WITH m AS MATERIALIZED (${bunches}),
    r AS (SELECT m.repo, m.run, m.run_files AS of, m.run_places AS each, (m.run_files + 7) / 8 AS width,
      string_agg(m.version::text, ' ') AS firsts, string_agg(m.files::text, ' ') AS files FROM m GROUP BY 1, 2, 3, 4)
    SELECT r.repo, r.run::integer AS run, r.of, r.firsts, r.files, ${MASKS} AS masks FROM r`;
  const prepared = shapes.nameOf(sql);
  const rows = await db.rows<RunRow>(sql, values, {
    limits,
    scope,
    ...FEW_ROWS,
    ...(prepared !== undefined && { prepared }),
  });
  const versions = new Map<number, number[]>();
  for (const row of rows) {
    const found = versionsIn(row, look);
    if (found.length > 0) versions.set(row.repo, (versions.get(row.repo) ?? []).concat(found));
  }
  return {
    versions,
    repositories: rows.map(({ repo }) => repo),
    bunches: rows.reduce((sum, { firsts }) => sum + firsts.split(" ").length, 0),
  };
}

/** Those of a run at the places $1. OFFSET keeps the engine from joining: each is one look at the index of its partition. */
const MASKS = `(SELECT string_agg(b.bits, ''::bytea ORDER BY p.n) FROM unnest($1::integer[]) WITH ORDINALITY AS p (place, n)
  CROSS JOIN LATERAL (SELECT substring(b.bits FROM p.place % r.each * r.width + 1 FOR r.width) AS bits
    FROM codecompass.mask b WHERE b.repo = r.repo AND b.run = r.run AND b.at = p.place / r.each OFFSET 0) b)`;

/** Bunches of a run, one behind the other; those of single files have none. */
interface RunRow {
  readonly repo: number;
  readonly run: number | null;
  readonly of: number | null;
  readonly firsts: string;
  readonly files: string;
  readonly masks: Buffer | null;
}

function versionsIn({ run, of, masks, firsts, files }: RunRow, look: MaskQuery): number[] {
  const counts = files.split(" ");
  const width = maskBytes({ files: of ?? 0 });
  // Without masks, a run of single files, or a look at nothing: all may.
  const isMasked = run !== null && masks !== null && masks.length === width * look.places.length;
  const passed = isMasked ? matchMasks(look, width, masks) : undefined;
  const found: number[] = [];
  for (const [i, word] of firsts.split(" ").entries()) {
    const first = Number(word);
    for (let version = first; version < first + Number(counts[i]); version++)
      if (passed === undefined || hasBit(passed, version - run!)) found.push(version);
  }
  return found;
}

function hasBit(bits: Uint8Array, at: number): boolean {
  return ((bits[at >> 3]! >> (at & 7)) & 1) === 1;
}

/** Patterns come in few shapes; whoever makes up more of them has them planned each time. */
const MOST_SHAPES = 64;

const shapes = {
  names: new Map<string, string>(),
  nameOf(sql: string): string | undefined {
    const known = this.names.get(sql);
    if (known !== undefined || this.names.size === MOST_SHAPES) return known;
    const name = `holding_${this.names.size}`;
    this.names.set(sql, name);
    return name;
  },
};
