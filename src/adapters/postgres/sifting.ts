/** Which file versions may match a pattern, by the sieves of their segments: none of the texts is opened. */
import type { TrigramPlan } from "../../model/trigram-plan.ts";
import type { Limits } from "../../ports/limits.ts";
import { samplePlan, sieved, slicesOf, thinned, widthOf } from "../../segment/sieve.ts";
import type { Value } from "./asking.ts";
import type { Db } from "./db.ts";
import { wordsOf } from "./segments.ts";
import { Superseded } from "./shown-files.ts";
import { slicesInRow } from "./sieve.ts";

export interface SieveAsk {
  /** Of these repositories; else of those with these names; else of all. */
  readonly repos?: readonly number[];
  readonly names?: readonly string[] | undefined;
  /** More versions than this are not wanted. */
  readonly most?: number;
  readonly limits?: Limits | undefined;
}

/** Of so many repositories all segments are sieved: it costs less than an index of everybody's. */
const FEW_REPOSITORIES = 64;
/** Segments that are sieved at once: few first, since a common pattern is known by them. */
const FIRST_PAGE = 32;
const LARGEST_PAGE = 4_096;
/** Segments that are listed at once. */
const LISTED = 4_096;
/** Slices that are looked at for neighbours: of every segment, then of those that have passed. */
const NEIGHBOURS = [4, 16] as const;

interface SegmentRow {
  readonly repo: number;
  readonly id: number;
  /** None where a release before wrote it. */
  readonly columns: Buffer | null;
}

/** Versions that the plan does not rule out, by repository; undefined where there are more than are wanted. */
export async function siftedVersions(
  db: Db,
  plan: TrigramPlan,
  ask: SieveAsk,
): Promise<Map<number, number[]> | undefined> {
  const found = new Map<number, number[]>();
  let count = 0;
  let page = FIRST_PAGE;
  for (let last: Place = { repo: -1, id: -1 }; ; ) {
    const listed = await listSegments(db, plan, ask, last);
    for (let at = 0; at < listed.length; at += page, page = Math.min(page * 4, LARGEST_PAGE)) {
      for (const [repo, versions] of await versionsIn(db, listed.slice(at, at + page), plan, ask.limits)) {
        found.set(repo, (found.get(repo) ?? []).concat(versions));
        count += versions.length;
      }
      if (count > (ask.most ?? Number.POSITIVE_INFINITY)) return undefined;
    }
    if (listed.length < LISTED) return found;
    last = listed.at(-1)!;
  }
}

type Place = Pick<SegmentRow, "repo" | "id">;

/** In their order, behind the last one. */
async function listSegments(
  db: Db,
  plan: TrigramPlan,
  { repos, names, limits }: SieveAsk,
  last: Place,
): Promise<SegmentRow[]> {
  const values: Value[] = [last.repo, last.id];
  const scope = scopeOf(repos, names, values);
  // Principals ask a view of it: a policy on the table would keep the engine from its index.
  const table = `codecompass.${db.isGuarded ? "sieved" : "segment"}`;
  const isFew = (repos ?? names ?? EVERYBODY).length <= FEW_REPOSITORIES;
  const telling = isFew ? "true" : conditionOf(samplePlan(plan), values);
  const some = (condition: string) =>
    `(SELECT s.repo, s.id, s.columns FROM ${table} s WHERE (s.repo, s.id) > ($1::integer, $2::bigint)
      AND ${scope} AND ${condition} ORDER BY s.repo, s.id LIMIT ${LISTED})`;
  const either = telling === "true" ? some(telling) : `${some(telling)} UNION ALL ${some("s.columns IS NULL")}`;
  const sql = `SELECT * FROM (${either}) s ORDER BY s.repo, s.id LIMIT ${LISTED}`;
  return db.rows<SegmentRow>(sql, values, { limits, settings: BY_INDEX, ...preparedAs(sql) });
}

const EVERYBODY = { length: Number.POSITIVE_INFINITY };

function scopeOf(repos: SieveAsk["repos"], names: SieveAsk["names"], values: Value[]): string {
  if (repos !== undefined) return `s.repo = ANY($${values.push(repos)}::integer[])`;
  if (names === undefined) return "true";
  return `s.repo = ANY(ARRAY(SELECT n.id FROM codecompass.repository n WHERE n.name = ANY($${values.push(names)}::text[])))`;
}

/** What passes, by repository. */
async function versionsIn(
  db: Db,
  segments: readonly SegmentRow[],
  plan: TrigramPlan,
  limits: Limits | undefined,
): Promise<(readonly [number, number[]])[]> {
  let passed = segments.map((segment) => ({ segment, flags: undefined as Uint8Array | undefined }));
  let looked = -1;
  for (const neighbours of NEIGHBOURS) {
    const some = thinned(plan, neighbours);
    const wanted = slicesOf(some);
    if (wanted.length === looked) continue;
    looked = wanted.length;
    const slices = await readSlices(db, passed, wanted, limits);
    passed = passed
      .map(({ segment }) => ({ segment, flags: flagsIn(segment, some, slices) }))
      .filter(({ flags }) => flags?.includes(1) ?? true);
  }
  const versions = await readVersions(db, passed, limits);
  return passed.map(({ segment, flags }, at) => [segment.repo, versions[at]!.filter((_, file) => flags?.[file] !== 0)]);
}

/** None: every file may match. */
function flagsIn({ repo, id, columns }: SegmentRow, plan: TrigramPlan, slices: Slices): Uint8Array | undefined {
  if (columns === null) return undefined;
  return sieved(plan, columns, (slice) => {
    const own = slices.get(keyOf(repo, id));
    if (own === undefined && widthOf(columns) > 0) throw new Superseded();
    return own?.get(slice) ?? NO_BYTES;
  });
}

const NO_BYTES = new Uint8Array(0);

/** By segment: its slices, by their numbers. */
type Slices = ReadonlyMap<string, ReadonlyMap<number, Uint8Array>>;

function keyOf(repo: number, segment: number): string {
  return `${repo} ${segment}`;
}

/** Those of a segment that was merged into another since it was listed are missing. */
async function readSlices(
  db: Db,
  segments: readonly { readonly segment: SegmentRow }[],
  wanted: readonly number[],
  limits: Limits | undefined,
): Promise<Slices> {
  const looks: [number[], number[], number[], number[], number[]] = [[], [], [], [], []];
  for (const { segment } of segments) {
    const width = segment.columns === null ? 0 : widthOf(segment.columns);
    const each = slicesInRow(width);
    for (const slice of width === 0 ? [] : wanted) {
      looks[0].push(segment.repo);
      looks[1].push(segment.id);
      looks[2].push(Math.floor(slice / each));
      looks[3].push((slice % each) * width + 1);
      looks[4].push(width);
    }
  }
  if (looks[0].length === 0) return new Map();
  // OFFSET keeps the engine from joining: each is one look at the index of its partition.
  const sql = `SELECT w.repo, w.segment, string_agg(b.bits, ''::bytea ORDER BY w.n) AS bits
    FROM unnest($1::integer[], $2::bigint[], $3::integer[], $4::integer[], $5::integer[])
      WITH ORDINALITY AS w (repo, segment, at, start, width, n)
    CROSS JOIN LATERAL (SELECT substring(b.bits FROM w.start FOR w.width) AS bits FROM codecompass.sieve b
      WHERE b.repo = w.repo AND b.segment = w.segment AND b.at = w.at OFFSET 0) b
    GROUP BY w.repo, w.segment`;
  type Row = { repo: number; segment: number; bits: Buffer };
  const rows = await db.rows<Row>(sql, looks, { limits, settings: BY_INDEX, prepared: "sieve_slices" });
  return new Map(
    rows.map(({ repo, segment, bits }) => {
      const width = bits.length / wanted.length;
      const each = wanted.map((slice, at) => [slice, bits.subarray(at * width, (at + 1) * width)] as const);
      return [keyOf(repo, segment), new Map(each)];
    }),
  );
}

/** In the order of the segments. */
async function readVersions(
  db: Db,
  segments: readonly { readonly segment: SegmentRow }[],
  limits: Limits | undefined,
): Promise<number[][]> {
  if (segments.length === 0) return [];
  const sql = `SELECT w.n, s.versions FROM unnest($1::integer[], $2::bigint[]) WITH ORDINALITY AS w (repo, id, n)
    CROSS JOIN LATERAL (SELECT s.versions FROM codecompass.segment s WHERE s.repo = w.repo AND s.id = w.id OFFSET 0) s`;
  const places = [segments.map(({ segment }) => segment.repo), segments.map(({ segment }) => segment.id)];
  const rows = await db.rows<{ n: number; versions: Buffer }>(sql, places, {
    limits,
    settings: BY_INDEX,
    prepared: "sieve_versions",
  });
  if (rows.length < segments.length) throw new Superseded();
  const found: number[][] = [];
  for (const { n, versions } of rows) found[n - 1] = [...wordsOf(versions)];
  return found;
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
