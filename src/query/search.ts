/** classify → retrieve → fuse → rank → show. */
import type { IdSource } from "../model/ids.ts";
import type { LiteralAnswer, ScorePart, SearchAnswer, SearchRequest } from "../model/search.ts";
import type { Snapshot } from "../ports/snapshot.ts";
import { sliceLines } from "../text/lines.ts";
import { answerLines } from "./answer-lines.ts";
import { type SearchFindings, show } from "./build-results.ts";
import { matchedDefinition, type OpenedFile, openedAt, type Pool, type RankingCandidate } from "./candidate.ts";
import { fuse } from "./fuse.ts";
import type { ImportsOf } from "./issue/collect-signals.ts";
import { isIssue } from "./issue/evidence.ts";
import { rankIssue } from "./issue/rank-issue.ts";
import type { LiteralPresence, LiteralRank } from "./literal.ts";
import { mainPackage } from "./main-package.ts";
import { type ParsedQuery, parseQuery } from "./parsed-query.ts";
import { findPasted, type PastedPlaces } from "./pasted/find.ts";
import { bestChunks, explainParts, type Ranked, rank } from "./rank.ts";
import { withoutIrrelevant } from "./relevance.ts";
import { retrieve } from "./retrieve.ts";
import type { EmbedQuery } from "./retrievers/meaning.ts";

export interface SearchOptions {
  readonly signal?: AbortSignal;
  /** Absent: words only. */
  readonly askMeaning?: EmbedQuery;
  /** Absent: what files import does not count. */
  readonly imports?: ImportsOf;
}

export async function search(
  ask: SearchRequest,
  at: Snapshot,
  ids: IdSource,
  options: SearchOptions = {},
): Promise<SearchAnswer> {
  return show(await find(ask, at, options), at, ids);
}

export async function find(ask: SearchRequest, at: Snapshot, options: SearchOptions): Promise<SearchFindings> {
  const { question, ranked, suppressed, matched, completeness, notes, literal, explain } = await rankAll(
    ask,
    at,
    options,
  );
  return {
    stateId: at.info.stateId,
    intent: question.intent,
    terms: question.terms,
    places: ranked.slice(0, ask.limit).map((it) => ({
      candidate: it.candidate,
      total: it.total,
      parts: ask.brief ? [] : explain(it),
      byName: ask.brief === true && it.candidate.type === "symbol",
    })),
    totalCandidates: Math.max(ranked.length, matched),
    suppressedDuplicates: suppressed,
    completeness,
    notes,
    ...(literal && { literal }),
  };
}

export interface RankedPool {
  readonly question: ParsedQuery;
  /** Everything of the pool that is distinct, best first. Does not depend on the limit. */
  readonly ranked: readonly Ranked[];
  readonly suppressed: number;
  readonly matched: number;
  readonly completeness: SearchAnswer["completeness"];
  /** Whether the code-like part of the query occurs, if it has one. */
  readonly literal?: LiteralAnswer;
  /** Minimum cosine of a semantic match. */
  readonly least: number;
  readonly notes: readonly string[];
  /** The model knows none of the words. */
  readonly unknownWords: boolean;
  /** The parts that a result's total is the sum of. */
  explain(it: Ranked): ScorePart[];
}

export async function rankAll(ask: SearchRequest, at: Snapshot, options: SearchOptions): Promise<RankedPool> {
  return isIssue(ask.query) ? rankWholeIssue(ask, at, options) : rankQuery(ask, at, options);
}

async function rankWholeIssue(
  ask: SearchRequest,
  at: Snapshot,
  { signal, ...options }: SearchOptions,
): Promise<RankedPool> {
  const { terms, ...found } = await rankIssue(ask, at, { limits: signal ? { signal } : {}, ...options });
  return { ...found, question: { ...parseQuery(ask), terms }, suppressed: 0, least: -1, unknownWords: false };
}

async function rankQuery(ask: SearchRequest, at: Snapshot, { signal, askMeaning }: SearchOptions): Promise<RankedPool> {
  const pasted = await findPasted(ask, at);
  const question = parseQuery(ask, pasted.query);
  const limits = signal ? { signal } : {};
  const lists = await retrieve(question, ask, at, { limits, ...(askMeaning && { askMeaning }) });
  const main = await mainPackage(at);
  const fused = { ...fuse(question, lists), ...(main && { mainPackage: main }) };
  const pool = await openShortlist(distinct(withPasted(fused, pasted)), at);
  const literal = literalAnswer(lists.presence, pool);
  const ranked = withoutIrrelevant(await answerLines(rank(pool), pool, at), pool);
  return {
    question,
    ranked,
    suppressed:
      pasted.candidates.length +
      lists.text.candidates.length +
      lists.symbols.length +
      lists.files.length -
      pool.candidates.length,
    matched: isAnswered(pool) ? lists.matched : ranked.length,
    completeness: lists.text.completeness,
    ...(literal && { literal }),
    least: lists.meaning.least,
    notes: [...pasted.notes, ...lists.meaning.notes],
    unknownWords: lists.meaning.unknown === true,
    explain: (it) => explainParts(it, pool),
  };
}

function withPasted(pool: Pool, { candidates }: PastedPlaces): Pool {
  if (candidates.length === 0) return pool;
  return { ...pool, candidates: [...candidates, ...pool.candidates], relevance: 1, isAbsent: false };
}

function isAnswered({ relevance, isAbsent }: Pool): boolean {
  return relevance === 1 && isAbsent !== true;
}

function literalAnswer({ match, missing, didYouMean }: LiteralPresence, pool: Pool): LiteralAnswer | undefined {
  return match && { match, missing: missing ?? [], didYouMean: didYouMean ?? [], isWhole: pool.literal === "whole" };
}

export function distinct(pool: Pool): Pool {
  const definitions = byPath(pool.candidates.filter(({ type }) => type === "symbol"));
  const seen = new Set<string>();
  const candidates = pool.candidates.filter((it) => {
    if (it.retriever === "pasted") return true;
    // No retriever brings a chunk twice, and meaning brings none that words have found.
    if (it.type === "snippet") return !isShown(it, definitions.get(it.file.path));
    const key = candidateKey(it);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
  return { ...pool, candidates };
}

/** Two entries for one definition (an overload list, a getter and its setter on one line) have one span. */
function candidateKey(it: RankingCandidate): string {
  const { type, file, at } = it;
  const span = matchedDefinition(it)?.span;
  return span === undefined ? `${type} ${at} ${file.path}` : `span ${span.start} ${span.end} ${file.path}`;
}

function byPath(definitions: readonly RankingCandidate[]): Map<string, RankingCandidate[]> {
  const found = new Map<string, RankingCandidate[]>();
  for (const it of definitions) found.set(it.file.path, [...(found.get(it.file.path) ?? []), it]);
  return found;
}

/** A longer definition is not shown whole, so text inside it is news. */
const SHOWN_LINES = 60;

function isShown(it: RankingCandidate, definitions: readonly RankingCandidate[] | undefined): boolean {
  if (definitions === undefined) return false;
  return definitions.some(
    ({ opened, literal }) => opened !== undefined && covers(opened, it.at) && (holds(literal) || !holds(it.literal)),
  );
}

/** Whether it has the literal of the query, which other lines of a definition's chunk may have and the definition not. */
function holds(literal: LiteralRank | undefined): boolean {
  return literal !== undefined && literal !== "folded" && literal !== "none";
}

function covers({ frame, symbol }: OpenedFile, chunk: number): boolean {
  const span = symbol?.span;
  const lines = frame.chunk(chunk);
  if (span === undefined || lines === undefined) return false;
  const begins = lines.lineStart <= span.lineStart && span.lineStart <= lines.lineEnd;
  const inside = span.lineStart <= lines.lineStart && lines.lineEnd <= span.lineEnd;
  return begins || (inside && span.lineEnd - span.lineStart < SHOWN_LINES);
}

/** Maximum records and texts opened per query. Lower candidates are ranked without those bonuses. */
const SHORTLIST = 40;

/** The pool with its best candidates opened. Only queries for messages or kinds need it. */
async function openShortlist(given: Pool, at: Snapshot): Promise<Pool> {
  const { intent, kinds } = given.question;
  const wantsText = intent === "error";
  if (!wantsText && kinds.length === 0) return given;
  const pool = { ...given, totals: { leading: new Map(), others: new Map(), ofFiles: new Map() } };
  const front = new Set(
    rank(pool)
      .slice(0, SHORTLIST)
      .map(({ candidate }) => candidate),
  );
  const opened = new Map<RankingCandidate, RankingCandidate>();
  const snippets = [...front].filter(({ type }) => type === "snippet");
  // All at once: a remote store then fetches them in one round trip.
  await Promise.all(snippets.map(async (it) => opened.set(it, await open(it, at, wantsText))));
  const swap = (it: RankingCandidate) => opened.get(it) ?? it;
  const known = { ...pool, candidates: pool.candidates.map(swap), leaders: new Set([...pool.leaders].map(swap)) };
  // With the texts open, the chunk with the message is the best of its file.
  return wantsText ? { ...known, leaders: bestChunks(known) } : known;
}

async function open(it: RankingCandidate, at: Snapshot, wantsText: boolean): Promise<RankingCandidate> {
  const opened = it.opened ?? openedAt(await at.frame(it.file), it);
  const chunk = opened.frame.chunk(it.at);
  if (!wantsText || chunk === undefined) return { ...it, opened };
  return { ...it, opened, text: sliceLines(await at.text(it.file), chunk.lineStart, chunk.lineEnd) };
}
