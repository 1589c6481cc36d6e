/** Scores repositories by the words that they hold, for `engine/repository-selection.ts`. */
import type { RepositoryScore, WordLookup } from "../../engine/repository-selection.ts";
import type { CatalogScope } from "../../ports/catalog.ts";
import type { Limits } from "../../ports/snapshot.ts";
import type { Db } from "./db.ts";
import { FEW_ROWS } from "./planner-settings.ts";
import type { SqlValue } from "./queryable.ts";
import { tierByte } from "./term-index.ts";

type ScoreRequest = CatalogScope & { readonly most: number };

/** Of a few repositories, each is one lookup; of more, the index is queried once and the others are left out. */
const FEW_NAMES = 256;

export function scoreRepositories(
  db: Db,
  lookups: readonly WordLookup[],
  request: ScoreRequest,
  limits: Limits | undefined,
): Promise<RepositoryScore[]> {
  const values: SqlValue[] = [
    lookups.map(({ word, tier }) =>
      quoteTsquery(tier === undefined ? word : word + String.fromCharCode(tierByte(tier))),
    ),
    lookups.map(({ at }) => at),
    lookups.map(({ share }) => share),
    ...(request.names === undefined ? [] : [request.names]),
  ];
  return db.rows(selectionSql(db, request), values, { limits, ...FEW_ROWS, prepared: "termed" });
}

/** OFFSET keeps the engine from joining: each is one look at the index of every partition. */
function selectionSql(db: Db, { names, most }: ScoreRequest): string {
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

/** A word of a tsquery, whatever it is made of. */
function quoteTsquery(word: string): string {
  return `'${word.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
}
