/** Which repositories hold the words of a question, so that a search over many opens only those. Ranking is theirs. */
import type { Limits } from "../../ports/limits.ts";
import type { Value } from "./asking.ts";
import type { Db } from "./db.ts";
import { BY_INDEX, findable } from "./wide.ts";

export interface TermedAsk {
  /** Names of repositories; absent: every one that has a name and that the connection's role may see. */
  readonly names?: readonly string[];
  /** Repositories that are enough. */
  readonly enough: number;
  readonly limits?: Limits | undefined;
}

export interface Termed {
  /** Those with files that hold all terms first, then those with two of them, then, where there are none, with any. */
  readonly names: readonly string[];
  /** Whether every repository with a file that holds all of the terms is among them. */
  readonly all: boolean;
}

/** More files than this are not looked at one by one: the repositories that they name are enough to open. */
const MOST_FILES = 20_000;

/** Terms are those of the shared tokenizer. */
export async function repositoriesWithTerms(db: Db, terms: readonly string[], ask: TermedAsk): Promise<Termed> {
  const words = [...new Set(terms)].filter((term) => term !== "" && !term.includes("\0")).map(quoted);
  if (words.length === 0) return { names: [], all: false };
  const whole = await counted(db, words.join(" & "), ask);
  const names = new Set(whole.names);
  if (words.length > 2 && names.size < ask.enough) {
    const pairs = words.flatMap((one, at) => words.slice(at + 1).map((other) => `(${one} & ${other})`));
    for (const name of (await counted(db, pairs.join(" | "), ask)).names) names.add(name);
  }
  if (names.size === 0) for (const name of (await counted(db, words.join(" | "), ask)).names) names.add(name);
  return { names: [...names].slice(0, ask.enough), all: whole.all && whole.names.length <= ask.enough };
}

/** Repositories with a file that matches, those with most such files first. */
async function counted(db: Db, query: string, { names, limits }: TermedAsk): Promise<Termed> {
  const values: Value[] = [query, ...(names === undefined ? [] : [names])];
  const scope =
    names === undefined
      ? ""
      : "AND f.repo = ANY(ARRAY(SELECT n.id FROM codecompass.repository n WHERE n.name = ANY($2::text[])))";
  const sql = `SELECT r.name, m.files FROM (
      SELECT f.repo, count(*) AS files FROM (
        SELECT f.repo FROM ${findable(db)} f WHERE f.terms @@ $1::tsquery ${scope} LIMIT ${MOST_FILES}) f
      GROUP BY f.repo) m
    JOIN codecompass.repository r ON r.id = m.repo AND r.name IS NOT NULL ORDER BY m.files DESC, r.name`;
  const rows = await db.rows<{ name: string; files: number }>(sql, values, { limits, settings: BY_INDEX });
  return { names: rows.map(({ name }) => name), all: rows.reduce((sum, { files }) => sum + files, 0) < MOST_FILES };
}

/** A word of a tsquery, whatever it is made of. */
function quoted(word: string): string {
  return `'${word.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
}
