/** Definitions of the names that a sentence spells like code: `where is parse_header called`. */
import type { SearchRequest } from "../../model/search.ts";
import type { Snapshot } from "../../ports/snapshot.ts";
import type { RankingCandidate } from "../candidate.ts";
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
    presence: isReported ? await presenceWithout(missing, at) : {},
  };
}

async function presenceWithout(missing: readonly string[], at: Snapshot): Promise<LiteralPresence> {
  if (missing.length === 0) return { match: "present" };
  const near = await Promise.all(missing.map((name) => suggestNames(name, at)));
  return { match: "absent", missing, didYouMean: [...new Set(near.flat())].slice(0, MAX_SUGGESTED) };
}

const MAX_SUGGESTED = 5;

/** Names of symbols that resemble a name which is not defined, nearest first. */
export async function suggestNames(text: string, at: Snapshot): Promise<readonly string[]> {
  return at.nearNames(parseNameQuery(text)?.name ?? text, MAX_SUGGESTED);
}

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
  const { candidates } = await retrieveSymbols({ name, scope, enough: ENOUGH }, at);
  const exact = candidates.filter((it) => it.opened?.symbol?.kind !== "heading" && defines(it, name));
  return exact.find((it) => it.opened?.symbol?.declaration !== true) ?? exact[0];
}
