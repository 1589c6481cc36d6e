/**
 * Selects the repositories that a search over many opens. They rank their own results: here a repository scores as high as
 * its best group of files, by the rarity of the words and the tiers of the chunks that hold them (`segment/score.ts`).
 */
import type { Limits } from "../../ports/limits.ts";
import { TIERS, tierShare } from "../../segment/score.ts";
import type { Db } from "./db.ts";
import { FEW_ROWS } from "./planner-settings.ts";
import type { SqlValue } from "./queryable.ts";
import { tierByte } from "./term-index.ts";

export interface SelectionRequest {
  /** Names of repositories; absent: every one that has a name and that the connection's role may see. */
  readonly names?: readonly string[];
  /** Most repositories to name. */
  readonly most: number;
  readonly limits?: Limits | undefined;
}

export interface SelectedRepositories {
  /** The best first. */
  readonly names: readonly string[];
  /** Whether no other repository has as many of the terms together as the fullest has. */
  readonly all: boolean;
}

/** Repositories that score less than this share of the best have no part in the first results. */
const LEAST_SHARE = 0.4;
/** Of a few repositories, each is one lookup; of more, the index is queried once and the others are left out. */
const FEW_NAMES = 256;
/** A row of an older release has no tier. */
const UNTOLD = 0.5;
/** Each word is nine looks at every partition, 8 ms in 2,600 repositories: of a pasted text the first ones choose. */
const MOST_WORDS = 16;

/** Terms are those of the shared tokenizer. */
export async function selectRepositories(
  db: Db,
  terms: readonly string[],
  ask: SelectionRequest,
): Promise<SelectedRepositories> {
  const words = [...new Set(terms)].filter((term) => term !== "" && !term.includes("\0")).slice(0, MOST_WORDS);
  if (words.length === 0) return { names: [], all: false };
  const looks = words.flatMap((word, at) => tierQueries(word).map((look) => ({ at, ...look })));
  const values: SqlValue[] = [
    looks.map(({ query }) => query),
    looks.map(({ at }) => at),
    looks.map(({ share }) => share),
    ...(ask.names === undefined ? [] : [ask.names]),
  ];
  const rows = await db.rows<RepositoryScoreRow>(selectionSql(db, ask), values, {
    limits: ask.limits,
    ...FEW_ROWS,
    prepared: "termed",
  });
  const [best] = rows;
  if (best === undefined) return { names: [], all: true };
  const worth = rows.filter(({ strength }) => strength >= LEAST_SHARE * best.strength);
  const full = worth.filter((row) => row.words === best.most).length;
  return { names: worth.map(({ name }) => name), all: full === best.full };
}

interface RepositoryScoreRow {
  readonly name: string;
  readonly strength: number;
  /** Words of the query in the repository's fullest group. */
  readonly words: number;
  /** Of any repository, and how many have as many, named or not. */
  readonly most: number;
  readonly full: number;
}

/** OFFSET keeps the engine from joining: each is one look at the index of every partition. */
function selectionSql(db: Db, { names, most }: SelectionRequest): string {
  const named = `f.repo = ANY(ARRAY(${NAMED_IDS}))`;
  const isFew = names !== undefined && names.length <= FEW_NAMES;
  const looks = "unnest($1::text[], $2::integer[], $3::float8[])";
  // Principals have no right to the table (`FOUND_BY`).
  const found = db.isGuarded
    ? `${looks} WITH ORDINALITY AS k (query, word, share, look)
      JOIN codecompass.found_by_words($1::text[], ${isFew ? `ARRAY(${NAMED_IDS})` : "NULL"}) f USING (look)`
    : `${looks} AS k (query, word, share) CROSS JOIN LATERAL (SELECT f.repo, f.version FROM codecompass.findable f
        WHERE f.words @@ k.query::tsquery ${isFew ? `AND ${named}` : ""} OFFSET 0) f`;
  return `WITH h AS MATERIALIZED (SELECT k.word, k.share, f.repo, f.version FROM ${found}
      ${names === undefined || isFew ? "" : `WHERE ${named}`}),
    n AS (SELECT word, count(*) AS rows FROM h GROUP BY word),
    d AS (SELECT word, ln(1 + (greatest(${ALL_ROWS}, 2 * max(rows) OVER ()) - rows + 0.5) / (rows + 0.5)) AS rarity FROM n),
    b AS (SELECT h.repo, sum(d.rarity * h.share) AS strength, count(*)::integer AS words
      FROM h JOIN d USING (word) GROUP BY h.repo, h.version),
    r AS (SELECT b.repo, max(b.strength) AS strength, max(b.words) AS words FROM b WHERE b.repo <> ALL(ARRAY(${UNNAMED_IDS}))
      GROUP BY b.repo),
    m AS (SELECT max(r.words) AS most FROM r),
    t AS (SELECT r.* FROM r ORDER BY r.strength DESC FETCH FIRST ${most} ROWS WITH TIES)
    SELECT o.name, max(t.strength) AS strength, max(t.words) AS words, m.most,
      (SELECT count(*)::integer FROM r, m WHERE r.words = m.most) AS "full"
    FROM m CROSS JOIN t JOIN codecompass.repository o ON o.id = t.repo
    GROUP BY o.name, m.most ORDER BY 2 DESC, o.name LIMIT ${most}`;
}

/** Few, so they are ruled out instead of looking up the name of each repository that holds a word: of 5,700, that took 17,500 buffers. */
const UNNAMED_IDS = "SELECT o.id FROM codecompass.repository o WHERE o.name IS NULL";
const NAMED_IDS = "SELECT o.id FROM codecompass.repository o WHERE o.name = ANY($4::text[])";

/** As the engine has counted them last; where it never has, the most common word is taken to be in half of them. */
const ALL_ROWS = `(SELECT coalesce(sum(c.reltuples), 0) FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
  WHERE i.inhparent = to_regclass('codecompass.findable') AND c.reltuples > 0)`;

/** A word with each of its tiers, and without any. */
function tierQueries(word: string): { readonly query: string; readonly share: number }[] {
  const tiers = Array.from({ length: TIERS }, (_, tier) => ({
    query: quoteTsquery(word + String.fromCharCode(tierByte(tier))),
    share: tierShare(tier),
  }));
  return [...tiers, { query: quoteTsquery(word), share: UNTOLD }];
}

/** A word of a tsquery, whatever it is made of. */
function quoteTsquery(word: string): string {
  return `'${word.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
}
