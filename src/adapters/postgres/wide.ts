/**
 * Files of all repositories, or of some, that hold words or trigrams: candidates for a search that is not about one
 * repository. Only what a shared view shows now counts; what a clone has edited is its own.
 *
 * Whoever uses this asks the repositories it names: ranking and matching are the segments' and the engine's own.
 */
import type { TrigramPlan } from "../../model/trigram-plan.ts";
import type { Limits } from "../../ports/store.ts";
import type { Db, Value } from "./db.ts";

export interface WideFile {
  readonly repo: number;
  /** What `StoreOpener` calls the repository. */
  readonly key: string;
  /** What people call it. */
  readonly name: string | null;
  readonly version: number;
  readonly path: string;
  readonly language: string;
}

export interface WideAsk {
  /** Ids of repositories; absent: every one that the connection's role may see. */
  readonly repos?: readonly number[];
  readonly limit: number;
  readonly limits?: Limits;
}

/** Files that hold all of the terms, or, where these are few, two of them. Terms are those of the shared tokenizer. */
export async function filesWithTerms(db: Db, terms: readonly string[], ask: WideAsk): Promise<WideFile[]> {
  const words = [...new Set(terms)].filter((term) => term !== "" && !term.includes("\0")).map(quoted);
  if (words.length === 0) return [];
  const all = await matching(db, "f.terms @@ $1::tsquery", [words.join(" & ")], ask);
  if (all.length >= ask.limit || words.length < 3) return all;
  const pairs = words.flatMap((one, at) => words.slice(at + 1).map((other) => `(${one} & ${other})`));
  const more = await matching(db, "f.terms @@ $1::tsquery", [pairs.join(" | ")], ask);
  const seen = new Set(all.map(placeOf));
  return [...all, ...more.filter((file) => !seen.has(placeOf(file)))].slice(0, ask.limit);
}

/** Files that the plan does not rule out. */
export function filesHolding(db: Db, plan: TrigramPlan, ask: WideAsk): Promise<WideFile[]> {
  const values: Value[] = [];
  return matching(db, conditionOf(plan, values), values, ask);
}

/** Their texts as they are stored (`encodeText`), whichever repositories they belong to; undefined for one that is gone. */
export async function textsOf(
  db: Db,
  files: readonly Pick<WideFile, "repo" | "version">[],
  limits?: Limits,
): Promise<(Uint8Array | undefined)[]> {
  const sql = `SELECT k.at, b.bytes FROM unnest($1::integer[], $2::bigint[]) WITH ORDINALITY AS k (repo, version, at)
    JOIN codecompass.file_version v ON v.repo = k.repo AND v.id = k.version
    JOIN codecompass.blob b ON b.key = v.text_key`;
  const places = [files.map(({ repo }) => repo), files.map(({ version }) => version)];
  const rows = await db.rows<{ at: number; bytes: Buffer }>(sql, places, { limits, prepared: "wide_texts" });
  const texts: (Uint8Array | undefined)[] = files.map(() => undefined);
  for (const { at, bytes } of rows) texts[at - 1] = bytes;
  return texts;
}

function placeOf({ repo, version }: WideFile): string {
  return `${repo} ${version}`;
}

/** A word of a tsquery, whatever it is made of. */
function quoted(word: string): string {
  return `'${word.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
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

/** Versions that no shared view shows any more are found, too, and left out. */
const OVERFETCH = 3;

/** First the index alone, then what it found: as one statement over all partitions, planning took longer than both. */
async function matching(
  db: Db,
  condition: string,
  values: readonly Value[],
  { repos, limit, limits }: WideAsk,
): Promise<WideFile[]> {
  // Principals ask a view of it: a policy on the table would keep the engine from its indexes.
  const table = `codecompass.${db.isGuarded ? "found" : "findable"}`;
  const scope = repos === undefined ? "" : `AND f.repo = ANY($${values.length + 2}::integer[])`;
  const sql = `SELECT f.repo, f.version FROM ${table} f WHERE ${condition} ${scope} LIMIT $${values.length + 1}`;
  const asked = [...values, limit * OVERFETCH, ...(repos === undefined ? [] : [repos])];
  return db.transaction(async (tx) => {
    // What a row holds lies outside of it: looking at rows costs far more than the engine reckons.
    await tx.run("SET LOCAL enable_seqscan = off");
    const found = await tx.rows<{ repo: number; version: number }>(sql, asked, { limits });
    if (found.length === 0) return [];
    const places = [found.map(({ repo }) => repo), found.map(({ version }) => version)];
    return tx.rows<WideFile>(SHOWN, [...places, limit], { limits, prepared: "wide" });
  });
}

const SHOWN = `SELECT r.id AS repo, r.key, r.name, v.id AS version, v.path, v.language
  FROM unnest($1::integer[], $2::bigint[]) AS f (repo, version)
  JOIN codecompass.repository r ON r.id = f.repo
  JOIN codecompass.file_version v ON v.repo = f.repo AND v.id = f.version AND v.epoch = r.epoch
  WHERE EXISTS (
    SELECT 1 FROM codecompass.view_entry e JOIN codecompass.view w ON w.repo = e.repo AND w.id = e.view
    WHERE e.repo = f.repo AND e.version = f.version AND e.closed IS NULL AND w.ref NOT LIKE 'worktree:%')
  LIMIT $3`;
