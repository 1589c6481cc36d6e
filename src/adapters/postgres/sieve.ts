/**
 * Sieves as rows: those of a segment are cut so that each fits into a page several times, and a question reads the few rows
 * with its slices. Which segments are worth that, the engine's index of some of their trigrams tells.
 */
import type { TrigramPlan } from "../../model/trigram-plan.ts";
import type { Limits } from "../../ports/limits.ts";
import { type Sieve, SLICES, samplePlan, sieved, slicesOf, thinned, widthOf } from "../../segment/sieve.ts";
import type { Transaction, Value } from "./asking.ts";
import { type Field, int4, int8 } from "./copy.ts";
import type { Db } from "./db.ts";
import { wordsOf } from "./segments.ts";
import { Superseded } from "./shown-files.ts";

/** Larger rows lie outside of their table, and are two looks instead of one. */
const ROW_BYTES = 1_900;
const INT4 = 23;

export const SIEVE_COLUMNS = "columns, trigrams";

export function sieveFields({ columns, sample }: Sieve): Field[] {
  return [columns, numbers(sample)];
}

export async function putSieve(tx: Transaction, repo: number, segment: number, sieve: Sieve): Promise<void> {
  const rows = rowsFor(widthOf(sieve.columns));
  const size = sieve.bits.length / rows;
  if (size === 0) return;
  await tx.copy(
    "codecompass.sieve",
    "repo, segment, at, bits",
    Array.from({ length: rows }, (_, at) => [
      int4(repo),
      int8(segment),
      int4(at),
      sieve.bits.subarray(at * size, (at + 1) * size),
    ]),
  );
}

/** A power of two, so that every row has as many slices. */
function rowsFor(width: number): number {
  let rows = 1;
  while (rows < SLICES && (SLICES / rows) * width > ROW_BYTES) rows *= 2;
  return rows;
}

/** An integer[] in binary. */
function numbers(list: readonly number[]): Uint8Array {
  if (list.length === 0) return Buffer.concat([int4(0), int4(0), int4(INT4)]);
  const bytes = Buffer.allocUnsafe(20 + 8 * list.length);
  for (const [i, word] of [1, 0, INT4, list.length, 1].entries()) bytes.writeInt32BE(word, 4 * i);
  for (let i = 0; i < list.length; i++) {
    bytes.writeInt32BE(4, 20 + 8 * i);
    bytes.writeInt32BE(list[i]!, 24 + 8 * i);
  }
  return bytes;
}

export interface SieveAsk {
  /** Of these repositories; else of those with these names; else of all. */
  readonly repos?: readonly number[];
  readonly names?: readonly string[] | undefined;
  /** More versions than this are not wanted. */
  readonly most?: number;
  readonly limits?: Limits | undefined;
}

/** So many repositories are asked for all their segments: sieving them costs less than an index of everybody's. */
const FEW_REPOSITORIES = 64;
/** Segments that are sieved at once. */
const FIRST_PAGE = 256;
const LARGEST_PAGE = 4_096;

interface SegmentRow {
  readonly repo: number;
  readonly id: number;
  readonly versions: Buffer;
  /** None where a release before wrote it. */
  readonly columns: Buffer | null;
}

/** Versions that the plan does not rule out, by repository; undefined where there are more than are wanted. */
export async function siftedVersions(
  db: Db,
  plan: TrigramPlan,
  ask: SieveAsk,
): Promise<Map<number, number[]> | undefined> {
  const fine = thinned(plan);
  const found = new Map<number, number[]>();
  let [count, last] = [0, { repo: -1, id: -1 }];
  for (let page = FIRST_PAGE; ; page = Math.min(page * 4, LARGEST_PAGE)) {
    const segments = await segmentsFor(db, plan, ask, last, page);
    const slices = await readSlices(db, segments, slicesOf(fine), ask.limits);
    for (const segment of segments) {
      const versions = versionsIn(segment, fine, slices);
      if (versions.length === 0) continue;
      found.set(segment.repo, (found.get(segment.repo) ?? []).concat(versions));
      count += versions.length;
    }
    if (count > (ask.most ?? Number.POSITIVE_INFINITY)) return undefined;
    if (segments.length < page) return found;
    last = segments.at(-1)!;
  }
}

function versionsIn({ repo, id, versions, columns }: SegmentRow, plan: TrigramPlan, slices: Slices): number[] {
  const all = wordsOf(versions);
  if (columns === null) return [...all];
  const width = widthOf(columns);
  const flags = sieved(plan, columns, (slice) => {
    const own = slices.get(`${repo} ${id}`);
    // Merged into another one since it was listed.
    if (own === undefined && width > 0) throw new Superseded();
    return own?.get(slice) ?? NO_BYTES;
  });
  return [...all].filter((_, file) => flags[file] === 1);
}

const NO_BYTES = new Uint8Array(0);

/** In their order, behind the last one. */
async function segmentsFor(
  db: Db,
  plan: TrigramPlan,
  { repos, names, limits }: SieveAsk,
  last: { readonly repo: number; readonly id: number },
  page: number,
): Promise<SegmentRow[]> {
  const values: Value[] = [last.repo, last.id];
  const scope = scopeOf(repos, names, values);
  const table = `codecompass.${db.isGuarded ? "sieved" : "segment"}`;
  const few = (repos ?? names)?.length ?? Number.POSITIVE_INFINITY;
  const telling = few <= FEW_REPOSITORIES ? "true" : conditionOf(samplePlan(plan), values);
  const some = (condition: string) =>
    `(SELECT s.repo, s.id, s.versions, s.columns FROM ${table} s WHERE (s.repo, s.id) > ($1::integer, $2::bigint)
      AND ${scope} AND ${condition} ORDER BY s.repo, s.id LIMIT ${page})`;
  const either = telling === "true" ? some(telling) : `${some(telling)} UNION ALL ${some("s.columns IS NULL")}`;
  const sql = `SELECT * FROM (${either}) s ORDER BY s.repo, s.id LIMIT ${page}`;
  return db.rows<SegmentRow>(sql, values, { limits, settings: BY_INDEX, ...preparedAs(sql) });
}

function scopeOf(repos: SieveAsk["repos"], names: SieveAsk["names"], values: Value[]): string {
  if (repos !== undefined) return `s.repo = ANY($${values.push(repos)}::integer[])`;
  if (names === undefined) return "true";
  return `s.repo = ANY(ARRAY(SELECT n.id FROM codecompass.repository n WHERE n.name = ANY($${values.push(names)}::text[])))`;
}

/** By segment: its slices. */
type Slices = ReadonlyMap<string, ReadonlyMap<number, Uint8Array>>;

async function readSlices(
  db: Db,
  segments: readonly SegmentRow[],
  wanted: readonly number[],
  limits: Limits | undefined,
): Promise<Slices> {
  if (wanted.length === 0) return new Map();
  const looks: [number[], number[], number[], number[], number[]] = [[], [], [], [], []];
  for (const { repo, id, columns } of segments) {
    const width = columns === null ? 0 : widthOf(columns);
    if (width === 0) continue;
    const each = SLICES / rowsFor(width);
    for (const slice of wanted) {
      looks[0].push(repo);
      looks[1].push(id);
      looks[2].push(Math.floor(slice / each));
      looks[3].push((slice % each) * width + 1);
      looks[4].push(width);
    }
  }
  // What is looked for once more as lists: that much a shard is told before it sends anything.
  const sql = `SELECT b.repo, b.segment, string_agg(substring(b.bits FROM w.start FOR w.width), ''::bytea ORDER BY w.n) AS bits
    FROM unnest($1::integer[], $2::bigint[], $3::integer[], $4::integer[], $5::integer[])
      WITH ORDINALITY AS w (repo, segment, at, start, width, n)
    JOIN codecompass.sieve b ON b.repo = w.repo AND b.segment = w.segment AND b.at = w.at
    WHERE b.repo = ANY($6::integer[]) AND b.at = ANY($7::integer[]) GROUP BY b.repo, b.segment`;
  const values = [...looks, [...new Set(looks[0])], [...new Set(looks[2])]];
  type Row = { repo: number; segment: number; bits: Buffer };
  const rows = await db.rows<Row>(sql, values, { limits, settings: BY_INDEX, prepared: "sieve_slices" });
  return new Map(
    rows.map(({ repo, segment, bits }) => {
      const width = bits.length / wanted.length;
      const each = wanted.map((slice, at) => [slice, bits.subarray(at * width, (at + 1) * width)] as const);
      return [`${repo} ${segment}`, new Map(each)];
    }),
  );
}

/** Neighbouring trigrams that must all be there are one look at the index. */
function conditionOf(plan: TrigramPlan, values: Value[]): string {
  if (plan.op === "any") return "true";
  if (plan.op === "has") return `s.trigrams @> $${values.push([plan.trigram])}::integer[]`;
  if (plan.parts.length === 0) return plan.op === "and" ? "true" : "false";
  const single = plan.parts.flatMap((part) => (part.op === "has" ? [part.trigram] : []));
  const rest = plan.parts.filter((part) => part.op !== "has").map((part) => conditionOf(part, values));
  const operator = plan.op === "and" ? "@>" : "&&";
  const own = single.length === 0 ? [] : [`s.trigrams ${operator} $${values.push(single)}::integer[]`];
  return `(${[...own, ...rest].join(` ${plan.op} `)})`;
}

/**
 * What a row holds lies outside of it, and unpacking it costs far more than the engine reckons: without these it looks at
 * every row where the index has the answer (TODO in 32 repositories: 920 ms instead of 4). Planning over all
 * partitions takes longer than that, so a statement is planned once for all patterns of its shape.
 */
export const BY_INDEX = ["enable_seqscan = off", "cpu_operator_cost = 1", "plan_cache_mode = force_generic_plan"];

/** Patterns come in few shapes; whoever makes up more of them has them planned each time. */
const MOST_SHAPES = 64;
const shapes = new Map<string, string>();

function preparedAs(sql: string): { readonly prepared?: string } {
  const known = shapes.get(sql);
  if (known !== undefined) return { prepared: known };
  if (shapes.size === MOST_SHAPES) return {};
  const prepared = `sieve_${shapes.size}`;
  shapes.set(sql, prepared);
  return { prepared };
}
