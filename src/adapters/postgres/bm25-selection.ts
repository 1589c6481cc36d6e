/**
 * Which repositories have the chunks that speak most of a question's words, where the database has pg_textsearch and an index
 * of it: its BM25 over the chunks of all of them. Nothing is ranked here: whoever is opened ranks by its own.
 *
 * It answers for a question to all, by somebody who may see all. For a part of them, for a principal, and while its index
 * is being merged, the words choose as everywhere (`termed.ts`).
 */
import type { Limits } from "../../ports/limits.ts";
import { chunkWords, encodeTerm } from "../../segment/chunk-words.ts";
import { PART } from "../../segment/format.ts";
import { type Field, int4, int8, text } from "./copy.ts";
import type { Db } from "./db.ts";
import { isFrom, type Release } from "./extension-version.ts";
import { Aborted } from "./failures.ts";
import { addTo } from "./post-publish.ts";
import type { Asking, Transaction } from "./query-interface.ts";
import { fetchParts, StoredSegment } from "./segments.ts";

/** pg_textsearch, as this database has it. */
export interface Textsearch {
  readonly version: string;
  /** Where its operator is, quoted. */
  readonly schema: string;
  /** Whether the tables are those of this release. */
  readonly isPrepared: boolean;
  /** Its index of what was spoken, by its whole name. */
  readonly index: string | null;
  /** Whether a row's score can be had as the index has it. */
  readonly hasScore: boolean;
}

/** The first release without known hangs, and whose index is as safe as a table: in the log, and on replicas. */
const OLDEST: Release = [1, 4];

export async function textsearchOf(asking: Pick<Asking, "rows">): Promise<Textsearch | undefined> {
  const sql = `SELECT e.extversion AS version, quote_ident(n.nspname) AS schema,
      to_regprocedure(quote_ident(n.nspname) || '.bm25_get_current_score()') IS NOT NULL AS "hasScore",
      EXISTS (SELECT 1 FROM pg_tables t WHERE t.schemaname = 'codecompass' AND t.tablename = 'spoken') AS "isPrepared",
      (SELECT format('codecompass.%I', c.relname) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
        JOIN pg_am a ON a.oid = c.relam JOIN pg_class t ON t.oid = i.indrelid JOIN pg_namespace s ON s.oid = t.relnamespace
        WHERE s.nspname = 'codecompass' AND t.relname = 'spoken' AND a.amname = 'bm25' AND i.indisvalid
        ORDER BY c.relname LIMIT 1) AS index
    FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'pg_textsearch'`;
  return (await asking.rows<Textsearch>(sql, [], { prepared: "textsearch" }))[0];
}

export function isUsable({ version }: Pick<Textsearch, "version">): boolean {
  return isFrom(OLDEST, version);
}

/** Chunks whose repositories are told: 32 repositories of ten thousand small ones take some 60. */
const MOST_CHUNKS = 200;
/** It answers in some milliseconds, or waits for a merge: for seconds, and deaf to every time-out of the engine. */
const PATIENCE_MS = 300;
/** Questions that may wait so, each on a connection: others are not kept from theirs. */
const MOST_WAITING = 2;

export interface Speaking {
  readonly name: string;
  /** BM25 of its best chunk. */
  readonly strength: number;
}

export class SpokenIndex {
  readonly #db: Pick<Db, "rows">;
  #waiting = 0;

  constructor(db: Pick<Db, "rows">) {
    this.#db = db;
  }

  /** The best first; undefined where the database cannot tell, or not now. `terms` are those of the shared tokenizer. */
  async best(terms: readonly string[], limits: Limits | undefined): Promise<readonly Speaking[] | undefined> {
    const textsearch = await textsearchOf(this.#db);
    if (!textsearch?.index || !isUsable(textsearch) || this.#waiting >= MOST_WAITING) return undefined;
    this.#waiting++;
    const asked = this.#ask(textsearch, terms, limits).finally(() => this.#waiting--);
    const { promise: over, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => resolve(undefined), PATIENCE_MS);
    return Promise.race([asked, over]).finally(() => clearTimeout(timer));
  }

  async #ask(textsearch: Textsearch, terms: readonly string[], limits: Limits | undefined) {
    const values = [terms.map(encodeTerm).join(" "), textsearch.index];
    try {
      const options = { limits, settings: BY_INDEX_OF_WORDS };
      const rows = await this.#db.rows<Speaking & { chunks: number }>(sqlOf(textsearch), values, options);
      // Where few speak of it, others may that were not added yet: the words know them, and are quick with few.
      return (rows[0]?.chunks ?? 0) < MOST_CHUNKS ? undefined : rows;
    } catch (error) {
      // Whatever keeps it from telling, the words can.
      if (error instanceof Aborted) throw error;
      return undefined;
    }
  }
}

/** Not as a CTE, and not prepared: it would score each of the rows once more. */
function sqlOf({ schema, hasScore }: Textsearch): string {
  const said = `s.words OPERATOR(${schema}.<@>) ${schema}.to_bm25query($1, $2)`;
  return `SELECT r.name, -min(c.less) AS strength, (sum(count(*)) OVER ())::integer AS chunks
    FROM (SELECT s.repo, ${hasScore ? `${schema}.bm25_get_current_score()` : said} AS less
      FROM codecompass.spoken s ORDER BY ${said} LIMIT ${MOST_CHUNKS}) c
    JOIN codecompass.repository r ON r.id = c.repo
    WHERE c.less < 0 AND r.name IS NOT NULL GROUP BY r.name ORDER BY min(c.less), r.name`;
}

const BY_INDEX_OF_WORDS = ["enable_seqscan = off", "enable_sort = off", "jit = off"];

const SPOKEN_LOCK = 0x43435350;

/** Adds what is missing of a repository; of all of them without one. */
export async function addSpoken(db: Pick<Db, "rows" | "transaction">, repo?: number): Promise<void> {
  const found = await textsearchOf(db);
  if (!found?.isPrepared || !isUsable(found)) return;
  const repositories = repo === undefined ? await repositoriesUnspoken(db) : [repo];
  await addTo(db, repositories, { lock: SPOKEN_LOCK, addSome });
}

async function repositoriesUnspoken(asking: Pick<Asking, "rows">): Promise<number[]> {
  const sql = `SELECT DISTINCT v.repo FROM codecompass.file_version v WHERE ${UNSPOKEN} ORDER BY v.repo`;
  return (await asking.rows<{ repo: number }>(sql)).map(({ repo }) => repo);
}

const UNSPOKEN = "NOT EXISTS (SELECT 1 FROM codecompass.spoken s WHERE s.repo = v.repo AND s.version = v.id)";

/** The next segment behind `after` that has files of which nothing is there. */
async function addSome(tx: Transaction, repo: number, after: number): Promise<number | undefined> {
  const unspoken = `SELECT v.id FROM codecompass.file_version v WHERE v.repo = $1 AND ${UNSPOKEN}`;
  const missing = new Set((await tx.rows<{ id: number }>(unspoken, [repo])).map(({ id }) => id));
  if (missing.size === 0) return undefined;
  const sql = "SELECT id, versions, head FROM codecompass.segment WHERE repo = $1 AND id > $2 ORDER BY id";
  const rows = await tx.rows<ConstructorParameters<typeof StoredSegment>[0]>(sql, [repo, after]);
  const next = rows.map((row) => new StoredSegment(row)).find((it) => it.versions.some((one) => missing.has(one)));
  if (next === undefined) return undefined;
  await fetchParts(tx, repo, [next], [PART.files, PART.terms]);
  await tx.copy("codecompass.spoken", "repo, version, words", spoken(repo, next, missing));
  return next.id;
}

function* spoken(repo: number, { segment, versions }: StoredSegment, missing: ReadonlySet<number>): Generator<Field[]> {
  for (const { file, words } of chunkWords(segment, (at) => missing.has(versions[at]!)))
    yield [int4(repo), int8(versions[file]!), text(words)];
}

export async function forgetSpoken(tx: Transaction, repo: number): Promise<void> {
  await tx.run(
    `DELETE FROM codecompass.spoken s WHERE s.repo = $1
      AND NOT EXISTS (SELECT 1 FROM codecompass.file_version v WHERE v.repo = $1 AND v.id = s.version)`,
    [repo],
  );
}
