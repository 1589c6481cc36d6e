/** Definitions of the names that a sentence spells like code: `where is parse_header called`. */
import { DATA_KINDS } from "../../model/kinds.ts";
import type { SearchRequest } from "../../model/search.ts";
import type { Snapshot } from "../../ports/snapshot.ts";
import { inScope, type QueryScope, type RankingCandidate } from "../candidate.ts";
import { defines, type LiteralPresence, occurs } from "../literal.ts";
import { isCodeLike, isLiteral, type NameQuery, parseNameQuery } from "../parsed-query.ts";
import { retrieveSymbols } from "./symbol.ts";

interface NamedDefinitions {
  /** The best definition of each name, in the order of the sentence. */
  readonly definitions: readonly RankingCandidate[];
  readonly presence: LiteralPresence;
}

/** More would fill the page. */
const MAX_DEFINITIONS = 3;
/** Definitions of one name that are compared. */
const ENOUGH = 8;
/** A text with more names is pasted code, and some of them are of other projects. */
const MAX_REPORTED = 4;

export async function retrieveNamed(
  tokens: readonly string[],
  scope: SearchRequest,
  at: Snapshot,
): Promise<NamedDefinitions> {
  const definitions: RankingCandidate[] = [];
  const missing: string[] = [];
  const reported = tokens.filter(isCodeLike);
  for (const token of tokens) {
    const name = parseNameQuery(token);
    const best = name && (await bestDefinition(name, scope, at));
    if (best !== undefined) definitions.push({ ...best, literal: "defines" });
    else if (reported.includes(token) && reported.length <= MAX_REPORTED && isLiteral(token)) {
      if ((await occurs(token, scope, at)) === false) missing.push(token);
    }
  }
  const isReported = reported.length > 0 && reported.length <= MAX_REPORTED;
  return {
    definitions: definitions.slice(0, MAX_DEFINITIONS),
    presence: isReported ? await presenceWithout(missing, scope, at) : {},
  };
}

async function presenceWithout(missing: readonly string[], scope: QueryScope, at: Snapshot): Promise<LiteralPresence> {
  if (missing.length === 0) return { match: "present" };
  const near = await Promise.all(missing.map((name) => suggestNames(name, at, scope)));
  return { match: "absent", missing, didYouMean: [...new Set(near.flat())].slice(0, MAX_SUGGESTED) };
}

const MAX_SUGGESTED = 5;

function folded(code: readonly RankingCandidate[], name: NameQuery): RankingCandidate | undefined {
  return name.qualifier.length > 0 ? undefined : code[0];
}

/** Names of symbols that resemble a name which is not defined, nearest first; then names that begin with it. */
export async function suggestNames(text: string, at: Snapshot, scope: QueryScope = {}): Promise<readonly string[]> {
  const name = parseNameQuery(text)?.name ?? text;
  const near = await at.nearNames(name, MAX_SUGGESTED, (file) => inScope(file, scope));
  // It is defined, only not in the scope or not of the requested kind.
  if (near.includes(name)) return [];
  if (near.length === MAX_SUGGESTED || !isLiteral(name)) return near;
  const page = await at.symbols({ name, match: "prefix", limit: MAX_PREFIXED });
  const longer = page.candidates.filter(({ file }) => inScope(file, scope)).map((it) => it.name);
  return [...new Set([...near, ...longer])].slice(0, MAX_SUGGESTED);
}

/** Symbols of one name follow each other. */
const MAX_PREFIXED = 50;

/** A definition whose name resembles the query is half as good as one of this name. */
const NEAR_STRENGTH = 0.5;

export async function retrieveNear(
  names: readonly string[],
  scope: SearchRequest,
  at: Snapshot,
): Promise<RankingCandidate[]> {
  const queries = names.slice(0, MAX_DEFINITIONS).flatMap((name) => parseNameQuery(name) ?? []);
  const found = await Promise.all(queries.map((name) => bestDefinition(name, scope, at)));
  return found.flatMap((it) =>
    it === undefined
      ? []
      : { ...it, strength: NEAR_STRENGTH, how: `defined as ${it.opened?.symbol?.name}, which resembles the query` },
  );
}

async function bestDefinition(
  name: NameQuery,
  scope: SearchRequest,
  at: Snapshot,
): Promise<RankingCandidate | undefined> {
  const found = await retrieveSymbols({ name, scope, enough: ENOUGH }, at);
  // `absl::optional` does not mean a local type `Optional` somewhere inside of absl.
  const candidates = found.candidates.filter((it) => name.qualifier.length === 0 || isSpelt(it, name));
  const isDeclared = (it: RankingCandidate) => it.opened?.symbol?.declaration === true;
  const code = candidates.filter((it) => !isNotCode(it));
  const exact = code.filter((it) => defines(it, name));
  // Without one in this spelling, one in another case, or a heading or key of this name, is what is meant.
  return (
    exact.find((it) => !isDeclared(it)) ?? exact[0] ?? candidates.find((it) => defines(it, name)) ?? folded(code, name)
  );
}

function isSpelt({ opened }: RankingCandidate, { spellings }: NameQuery): boolean {
  return opened?.symbol !== undefined && spellings.includes(opened.symbol.name);
}

function isNotCode({ opened }: RankingCandidate): boolean {
  const kind = opened?.symbol?.kind;
  return kind === "heading" || (kind !== undefined && DATA_KINDS.has(kind));
}
