/**
 * Files of all repositories, or of some, that hold words or trigrams: candidates for a search that is not about one
 * repository. Only what a shared view shows now counts; what a clone has edited is its own.
 *
 * Whoever uses this asks the repositories it names: ranking and matching are the segments' and the engine's own.
 */
import type { TrigramPlan } from "../../model/trigram-plan.ts";
import type { Limits } from "../../ports/store.ts";
import type { Asking, Value } from "./db.ts";

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
export async function filesWithTerms(asking: Asking, terms: readonly string[], ask: WideAsk): Promise<WideFile[]> {
  const words = [...new Set(terms)].filter((term) => term !== "" && !term.includes("\0")).map(quoted);
  if (words.length === 0) return [];
  const all = await matching(asking, "f.terms @@ $1::tsquery", [words.join(" & ")], ask);
  if (all.length >= ask.limit || words.length < 3) return all;
  const pairs = words.flatMap((one, at) => words.slice(at + 1).map((other) => `(${one} & ${other})`));
  const more = await matching(asking, "f.terms @@ $1::tsquery", [pairs.join(" | ")], ask);
  const seen = new Set(all.map(placeOf));
  return [...all, ...more.filter((file) => !seen.has(placeOf(file)))].slice(0, ask.limit);
}

/** Files that the plan does not rule out. */
export function filesHolding(asking: Asking, plan: TrigramPlan, ask: WideAsk): Promise<WideFile[]> {
  const values: Value[] = [];
  return matching(asking, conditionOf(plan, values), values, ask);
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

function matching(
  asking: Asking,
  condition: string,
  values: readonly Value[],
  { repos, limit, limits }: WideAsk,
): Promise<WideFile[]> {
  const scope = repos === undefined ? "true" : `f.repo = ANY($${values.length + 2}::integer[])`;
  const sql = `SELECT f.repo, r.key, r.name, f.version, v.path, v.language
    FROM codecompass.findable f
    JOIN codecompass.repository r ON r.id = f.repo
    JOIN codecompass.file_version v ON v.repo = f.repo AND v.id = f.version AND v.epoch = r.epoch
    WHERE ${condition} AND ${scope} AND EXISTS (
      SELECT 1 FROM codecompass.view_entry e JOIN codecompass.view w ON w.repo = e.repo AND w.id = e.view
      WHERE e.repo = f.repo AND e.version = f.version AND e.closed IS NULL AND w.ref NOT LIKE 'worktree:%')
    LIMIT $${values.length + 1}`;
  return asking.rows<WideFile>(sql, [...values, limit, ...(repos === undefined ? [] : [repos])], { limits });
}
