/** Which repositories hold the words of a question, so that a search over many opens only those. Ranking is theirs. */
import type { Limits } from "../../ports/limits.ts";
import { lookAt, type Places, wordPlace } from "../../segment/bunch.ts";
import { utf8 } from "../../segment/bytes.ts";
import type { Value } from "./asking.ts";
import { BUNCH, findable, versionsOf } from "./bunches.ts";
import type { Db } from "./db.ts";

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

/** More bunches of files than this are not looked at one by one: the repositories that they name are enough to open. */
const MOST_BUNCHES = 2_000;

/** Terms are those of the shared tokenizer. */
export async function repositoriesWithTerms(db: Db, terms: readonly string[], ask: TermedAsk): Promise<Termed> {
  const words = [...new Set(terms)].filter((term) => term !== "" && !term.includes("\0"));
  if (words.length === 0) return { names: [], all: false };
  const all = { op: "and", parts: words } as const;
  const whole = await counted(db, all, ask);
  const names = new Set(whole.names);
  if (words.length > 2 && names.size < ask.enough) {
    const pairs = words.flatMap((one, at) =>
      words.slice(at + 1).map((other) => ({ op: "and", parts: [one, other] }) as const),
    );
    for (const name of (await counted(db, { op: "or", parts: pairs }, ask)).names) names.add(name);
  }
  if (names.size === 0) for (const name of (await counted(db, { op: "or", parts: words }, ask)).names) names.add(name);
  return { names: [...names].slice(0, ask.enough), all: whole.all && whole.names.length <= ask.enough };
}

type Wanted = string | { readonly op: "and" | "or"; readonly parts: readonly Wanted[] };

function queryOf(wanted: Wanted): string {
  if (typeof wanted === "string") return quoted(wanted);
  return `(${wanted.parts.map(queryOf).join(wanted.op === "and" ? " & " : " | ")})`;
}

function placesOf(wanted: Wanted): Places {
  if (typeof wanted === "string") return { op: "at", place: wordPlace(utf8(wanted)) };
  return { op: wanted.op, parts: wanted.parts.map(placesOf) };
}

/** Repositories with a file that matches, those with most such files first. */
async function counted(db: Db, wanted: Wanted, { names, limits }: TermedAsk): Promise<Termed> {
  const look = lookAt(placesOf(wanted));
  const values: Value[] = [look.places, queryOf(wanted), ...(names === undefined ? [] : [names])];
  const scope =
    names === undefined
      ? ""
      : "AND f.repo = ANY(ARRAY(SELECT n.id FROM codecompass.repository n WHERE n.name = ANY($3::text[])))";
  const sql = `SELECT f.repo, ${BUNCH} FROM ${findable(db)} f WHERE f.terms @@ $2::tsquery ${scope} LIMIT ${MOST_BUNCHES}`;
  const { versions, bunches } = await versionsOf(db, { sql, values, look, limits });
  const ids = [...versions.keys()];
  if (ids.length === 0) return { names: [], all: bunches < MOST_BUNCHES };
  const rows = await db.rows<{ id: number; name: string }>(
    "SELECT id, name FROM codecompass.repository WHERE id = ANY($1::integer[]) AND name IS NOT NULL ORDER BY name",
    [ids],
    { limits, about: ids, prepared: "termed_names" },
  );
  const filesOf = ({ id }: { id: number }) => versions.get(id)!.length;
  const found = rows.toSorted((a, b) => filesOf(b) - filesOf(a));
  return { names: found.map(({ name }) => name), all: bunches < MOST_BUNCHES };
}

/** A word of a tsquery, whatever it is made of. */
function quoted(word: string): string {
  return `'${word.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
}
