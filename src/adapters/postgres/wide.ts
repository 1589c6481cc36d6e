/**
 * Files of all repositories, or of some, that hold trigrams, in the order of repositories and paths: candidates for a
 * pattern that is not about one repository. Only what a repository's default view shows now counts.
 *
 * Matching is the engine's own; here is only what may match.
 */
import type { ContentHash, FileId } from "../../model/ids.ts";
import type { TrigramPlan } from "../../model/trigram-plan.ts";
import type { CatalogedFile, CatalogPlace } from "../../ports/catalog.ts";
import type { Limits } from "../../ports/store.ts";
import type { Db, Value } from "./db.ts";
import { DEFAULT_VIEW, SHOWS_VERSION, shownFrom } from "./default-view.ts";

export interface WideFile extends CatalogedFile {
  /** Number of its repository. */
  readonly repo: number;
}

export interface WideAsk {
  /** Names of repositories; absent: every one that has a name and that the connection's role may see. */
  readonly names?: readonly string[];
  readonly from?: CatalogPlace;
  readonly limit: number;
  readonly limits?: Limits | undefined;
}

export interface WidePage {
  readonly files: readonly WideFile[];
  readonly more: boolean;
}

/** What matches no more files than this is known as a whole. */
const RARE = 600;
/** Repositories that are looked at in one transaction where a pattern is common. */
const REPOSITORIES_AT_ONCE = 32;

/** Principals ask a view of it: a policy on the table would keep the engine from its indexes. */
export function findable(db: Db): string {
  return `codecompass.${db.isGuarded ? "found" : "findable"}`;
}

/** Files that the plan does not rule out. */
export async function filesHolding(db: Db, plan: TrigramPlan, ask: WideAsk): Promise<WidePage> {
  const rare = plan.op === "any" ? undefined : await rareFiles(db, plan, ask);
  if (rare === undefined) return commonFiles(db, plan, ask);
  const behind = rare.filter((file) => !isBefore(file, ask.from)).sort(byPlace);
  return { files: behind.slice(0, ask.limit), more: behind.length > ask.limit };
}

/** Their texts as they are stored (`encodeText`), whichever repositories they belong to; undefined for one that is gone. */
export function textsOf(db: Db, files: readonly Version[], limits?: Limits): Promise<(Uint8Array | undefined)[]> {
  return blobsOf(db, "text", files, limits);
}

export function recordsOf(db: Db, files: readonly Version[], limits?: Limits): Promise<(Uint8Array | undefined)[]> {
  return blobsOf(db, "record", files, limits);
}

type Version = Pick<WideFile, "repo" | "id">;

async function blobsOf(db: Db, kind: "text" | "record", files: readonly Version[], limits?: Limits) {
  const sql = `SELECT k.at, b.bytes FROM unnest($1::integer[], $2::bigint[]) WITH ORDINALITY AS k (repo, version, at)
    JOIN codecompass.file_version v ON v.repo = k.repo AND v.id = k.version
    JOIN codecompass.blob b ON b.key = v.${kind}_key`;
  const places = [files.map(({ repo }) => repo), files.map(({ id }) => id)];
  const rows = await db.rows<{ at: number; bytes: Buffer }>(sql, places, { limits, prepared: `wide_${kind}s` });
  const found: (Uint8Array | undefined)[] = files.map(() => undefined);
  for (const { at, bytes } of rows) found[at - 1] = bytes;
  return found;
}

interface Row {
  readonly repo: number;
  readonly name: string;
  readonly ref: string;
  readonly commit: string | null;
  readonly id: number;
  readonly path: string;
  readonly language: string;
  readonly hash: string;
}

const COLUMNS =
  "r.id AS repo, r.name, d.ref, d.commit_id AS commit, v.id, v.path, v.language, encode(v.hash, 'hex') AS hash";

/**
 * All of them, or undefined where there are many. First the index alone, then what it found: as one statement over all
 * partitions, planning took longer than both.
 */
async function rareFiles(db: Db, plan: TrigramPlan, ask: WideAsk): Promise<WideFile[] | undefined> {
  const { names, limits } = ask;
  const values: Value[] = [];
  const condition = conditionOf(plan, values);
  const scope = names === undefined ? "" : `AND f.repo = ANY(${idsOf(values.push(names))})`;
  const sql = `SELECT f.repo, f.version FROM ${findable(db)} f WHERE ${condition} ${scope} LIMIT ${RARE + 1}`;
  return db.transaction(async (tx) => {
    // What a row holds lies outside of it: looking at rows costs far more than the engine reckons.
    await tx.run("SET LOCAL enable_seqscan = off");
    const found = await tx.rows<{ repo: number; version: number }>(sql, values, { limits });
    if (found.length > RARE) return undefined;
    const places = [found.map(({ repo }) => repo), found.map(({ version }) => version)];
    return (await tx.rows<Row>(SHOWN, places, { limits, prepared: "wide" })).map(fileOf);
  });
}

function idsOf(parameter: number): string {
  return `ARRAY(SELECT n.id FROM codecompass.repository n WHERE n.name = ANY($${parameter}::text[]))`;
}

const SHOWN = `SELECT ${COLUMNS} FROM unnest($1::integer[], $2::bigint[]) AS f (repo, version)
  JOIN codecompass.repository r ON r.id = f.repo AND r.name IS NOT NULL
  JOIN codecompass.file_version v ON v.repo = f.repo AND v.id = f.version AND v.epoch = r.epoch
  CROSS JOIN ${DEFAULT_VIEW} WHERE ${SHOWS_VERSION}`;

/** Repository after repository, each by path: where a pattern is common, a page is full after a few. */
async function commonFiles(db: Db, plan: TrigramPlan, ask: WideAsk): Promise<WidePage> {
  const files: WideFile[] = [];
  let from = ask.from?.repository ?? "";
  for (;;) {
    const some = await repositoriesFrom(db, from, ask);
    for (const repo of some) {
      const path = repo.name === ask.from?.repository ? ask.from.path : "";
      // One more than wanted tells whether there is more.
      const left = ask.limit + 1 - files.length;
      files.push(...(await inOne(db, plan, { repo: repo.id, path, limit: left, limits: ask.limits })));
      if (files.length > ask.limit) return { files: files.slice(0, ask.limit), more: true };
    }
    if (some.length < REPOSITORIES_AT_ONCE) return { files, more: false };
    from = `${some.at(-1)!.name}\u0001`;
  }
}

function repositoriesFrom(db: Db, from: string, { names, limits }: WideAsk): Promise<{ id: number; name: string }[]> {
  const scope = names === undefined ? "" : "AND name = ANY($2::text[])";
  const sql = `SELECT id, name FROM codecompass.repository WHERE name >= $1 ${scope} ORDER BY name LIMIT ${REPOSITORIES_AT_ONCE}`;
  return db.rows(sql, [from, ...(names === undefined ? [] : [names])], { limits });
}

interface InOne {
  readonly repo: number;
  /** From this path on. */
  readonly path: string;
  readonly limit: number;
  readonly limits?: Limits | undefined;
}

async function inOne(db: Db, plan: TrigramPlan, { repo, path, limit, limits }: InOne): Promise<WideFile[]> {
  const values: Value[] = [repo, path, limit];
  const sql = `SELECT ${COLUMNS} FROM codecompass.repository r CROSS JOIN ${DEFAULT_VIEW}
    CROSS JOIN LATERAL ${shownFrom("$2")} s
    JOIN codecompass.file_version v ON v.repo = r.id AND v.id = s.version
    JOIN ${findable(db)} f ON f.repo = r.id AND f.version = s.version
    WHERE r.id = $1 AND ${conditionOf(plan, values)} ORDER BY s.path LIMIT $3`;
  return (await db.rows<Row>(sql, values, { limits })).map(fileOf);
}

function fileOf({ repo, name, ref, commit, id, path, language, hash }: Row): WideFile {
  const file = { id: id as FileId, path, language, contentHash: hash as ContentHash };
  return { repo, repository: name, view: ref, ...(commit !== null && { commit }), ...file };
}

/** As the engine orders them: by bytes. */
function byPlace(a: CatalogedFile, b: CatalogedFile): number {
  return byBytes(a.repository, b.repository) || byBytes(a.path, b.path);
}

function byBytes(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function isBefore(file: CatalogedFile, from: CatalogPlace | undefined): boolean {
  if (from === undefined) return false;
  return (byBytes(file.repository, from.repository) || byBytes(file.path, from.path)) < 0;
}

/** Neighbouring trigrams that must all be there are one look at the index. */
function conditionOf(plan: TrigramPlan, values: Value[]): string {
  if (plan.op === "any") return "true";
  if (plan.op === "has") return `f.trigrams @> $${values.push([plan.trigram])}::integer[]`;
  if (plan.parts.length === 0) return plan.op === "and" ? "true" : "false";
  const single = plan.parts.flatMap((part) => (part.op === "has" ? [part.trigram] : []));
  const rest = plan.parts.filter((part) => part.op !== "has").map((part) => conditionOf(part, values));
  const operator = plan.op === "and" ? "@>" : "&&";
  const own = single.length === 0 ? [] : [`f.trigrams ${operator} $${values.push(single)}::integer[]`];
  return `(${[...own, ...rest].join(` ${plan.op} `)})`;
}
