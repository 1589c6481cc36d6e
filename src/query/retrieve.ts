/** Runs every retriever that suits the intent and collects the candidates. */
import { type Kind, matchesKind } from "../model/kinds.ts";
import type { KindFilter, SearchRequest } from "../model/search.ts";
import type { Limits, Snapshot } from "../ports/snapshot.ts";
import { openedAt, type RankingCandidate } from "./candidate.ts";
import { type LiteralMatches, type LiteralPresence, type LiteralQuery, matchLiteral } from "./literal.ts";
import { chunkAt, findMentions, type QueryMentions } from "./mentions.ts";
import { isCodeLike, type NameQuery, type ParsedQuery } from "./parsed-query.ts";
import { findTemplates, type TemplateMatches } from "./pasted/template.ts";
import { type EmbedQuery, type MeaningList, NO_MEANING, retrieveMeaning } from "./retrievers/meaning.ts";
import { retrieveNamed, retrieveNear, suggestNames } from "./retrievers/named.ts";
import { listFiles, retrievePaths } from "./retrievers/path.ts";
import { retrieveSymbols, type SymbolList, type SymbolLookup } from "./retrievers/symbol.ts";
import { retrieveText, type TextList } from "./retrievers/text.ts";

export interface RetrievedCandidates {
  readonly text: TextList;
  readonly symbols: readonly RankingCandidate[];
  readonly files: readonly RankingCandidate[];
  readonly mentions: QueryMentions;
  readonly templates: TemplateMatches;
  readonly meaning: MeaningList;
  /** The literal occurs nowhere, not even inside longer names. */
  readonly isAbsent?: boolean;
  /** The whole query is literal, or the definitions that it names are: they are placed first. */
  readonly literal?: "whole" | "named";
  /** Whether the code-like part of the query occurs. */
  readonly presence: LiteralPresence;
  /** Everything in scope that matched, also beyond the pool. */
  readonly matched: number;
}

export interface RetrieveOptions {
  readonly limits: Limits;
  /** Absent: words only. */
  readonly askMeaning?: EmbedQuery;
}

export async function retrieve(
  question: ParsedQuery,
  ask: SearchRequest,
  at: Snapshot,
  { limits, askMeaning }: RetrieveOptions,
): Promise<RetrievedCandidates> {
  const { name } = question;
  const found = name === undefined ? NO_SYMBOLS : await retrieveSymbols(symbolLookup(name, ask), at);
  const places = await retrievePlaces(question, ask, at);
  const literal = places.length > 0 ? undefined : literalQuery(question);
  const text = await retrieveText(question, ask, at, limits);
  const matches =
    literal &&
    (await matchLiteral({
      literal,
      lists: { symbols: found.candidates, texts: text.candidates },
      scope: ask,
      at,
      limits,
    }));
  // What no file contains may still be the name of one.
  const files = matches?.isPresent === false && name ? await retrievePaths(literal!.text, ask, at) : places;
  const named = await retrieveNamed(question.codeTokens, ask, at);
  const isAbsent = matches?.isPresent === false && files.length === 0;
  // A part of longer names is no name itself: it is reported, and what contains it still answers.
  // Part of longer names is enough for a plain word: `quiet` means `quiet_start`, too.
  const isPartOnly = literal !== undefined && isCodeLike(literal.text) && matches?.isWhole === false;
  const isMissing = isAbsent || (name !== undefined && isPartOnly && files.length === 0);
  const near = isMissing && name ? await suggestNames(name.name, at, ask) : [];
  const similar = isAbsent && near.length > 0 ? await retrieveNear(near, ask, at) : [];
  const { marked, others } = markDefinitions(named.definitions, matches?.texts ?? text.candidates);
  const words = { ...text, candidates: marked };
  const definitions = [...(matches?.symbols ?? found.candidates), ...others, ...similar];
  const symbols = ask.kinds ? await ofKinds(definitions, ask.kinds, at) : definitions;
  const meaning =
    askMeaning !== undefined && needsMeaning(question, symbols.length + files.length, words)
      ? await retrieveMeaning(
          { question, ask, found: words.candidates, covered: words.covered },
          at,
          askMeaning,
          limits,
        )
      : { ...NO_MEANING, texts: words.candidates };
  const templates =
    question.intent === "error" ? await findTemplates(question.text.split("\n"), ask, at) : NO_TEMPLATES;
  const snippets = await withTemplates([...meaning.texts, ...meaning.candidates], templates, at);
  const texts = { ...words, candidates: ask.kinds ? await ofKinds(snippets, ask.kinds, at) : snippets };
  const mentions = await findMentions(question, texts.candidates, at);
  const matched = found.matched + files.length + words.matched + meaning.candidates.length;
  return {
    text: texts,
    symbols,
    files,
    mentions,
    templates,
    meaning,
    matched,
    isAbsent,
    presence: literal && matches ? presenceOf(literal.text, isMissing, near, matches) : named.presence,
    ...(matches && (matches.isWhole || isAbsent) && { literal: "whole" }),
    ...(named.definitions.length > 0 && { literal: "named" }),
  };
}

/** A query that consists of filters lists the files that pass. */
function retrievePlaces({ intent, text }: ParsedQuery, ask: SearchRequest, at: Snapshot): Promise<RankingCandidate[]> {
  if (text === "") return listFiles(ask, at);
  return intent === "path" ? retrievePaths(text, ask, at) : Promise.resolve([]);
}

/** A chunk that was found keeps its own evidence, so it is marked instead of replaced by the definition that it begins. */
function markDefinitions(definitions: readonly RankingCandidate[], texts: readonly RankingCandidate[]) {
  if (definitions.length === 0) return { marked: texts, others: definitions };
  const chunks = definitions.map(({ file, opened }) => {
    const chunk = opened?.symbol === undefined ? -1 : chunkAt(opened.frame, opened.symbol.span.lineStart);
    return `${chunk} ${file.path}`;
  });
  const found = new Set(texts.map(({ file, at }) => `${at} ${file.path}`));
  const isMarked = ({ file, at }: RankingCandidate) => chunks.includes(`${at} ${file.path}`);
  return {
    marked: texts.map((it): RankingCandidate => (isMarked(it) ? { ...it, literal: "defines" } : it)),
    others: definitions.filter((_, i) => !found.has(chunks[i]!)),
  };
}

function literalQuery({ literal, name }: ParsedQuery): LiteralQuery | undefined {
  return literal === undefined ? undefined : { text: literal, ...(name && { name }) };
}

function presenceOf(
  text: string,
  isMissing: boolean,
  didYouMean: readonly string[],
  { isPresent }: LiteralMatches,
): LiteralPresence {
  if (isMissing) return { match: "absent", missing: [text], didYouMean };
  return isPresent === undefined ? {} : { match: "present" };
}

/** With fewer matching chunks than this, the code probably uses other words than the query. */
const FEW_TEXTS = 10;

/** Names and messages are literal (names: -0.04 with full semantic weight), unless there are hardly any matches. */
function needsMeaning({ intent }: ParsedQuery, named: number, words: TextList): boolean {
  return intent === "natural_language" || (named === 0 && words.candidates.length < FEW_TEXTS);
}

/** Definitions that a search opens; a page shows ten. */
const ENOUGH_SYMBOLS = 32;

function symbolLookup(name: NameQuery, scope: SearchRequest): SymbolLookup {
  const kinds = scope.kinds?.only ?? name.kinds;
  return { name, scope, enough: ENOUGH_SYMBOLS, ...(kinds.length > 0 && { kinds }) };
}

const NO_TEMPLATES: TemplateMatches = new Map();

/** Chunks with a literal of the message that the text search did not bring. */
async function withTemplates(
  found: readonly RankingCandidate[],
  templates: TemplateMatches,
  at: Snapshot,
): Promise<readonly RankingCandidate[]> {
  if (templates.size === 0) return found;
  const known = new Set(found.map(({ file, at }) => `${at} ${file.path}`));
  const more: RankingCandidate[] = [];
  for (const [path, chunks] of templates) {
    const file = await at.file(path);
    for (const chunk of file === undefined ? [] : chunks.keys())
      if (!known.has(`${chunk} ${path}`))
        more.push({
          type: "snippet",
          retriever: "text",
          file: file!,
          at: chunk,
          strength: 0,
          how: "found by a literal of the message",
          bm25: 0,
        });
  }
  return [...found, ...more];
}

const NO_SYMBOLS: SymbolList = { candidates: [], matched: 0 };

/** The result of a query without text. */
export const NO_TEXT: RetrievedCandidates = {
  text: { candidates: [], termGains: [], covered: 0, matched: 0, completeness: "complete" },
  symbols: [],
  files: [],
  mentions: new Map(),
  templates: NO_TEMPLATES,
  meaning: NO_MEANING,
  presence: {},
  matched: 0,
};

/** A chunk is of a kind if it lies in a symbol of that kind. */
async function ofKinds(
  candidates: readonly RankingCandidate[],
  { only, not }: KindFilter,
  at: Snapshot,
): Promise<readonly RankingCandidate[]> {
  const opened = await Promise.all(
    candidates.map(async (it) => ({ ...it, opened: it.opened ?? openedAt(await at.frame(it.file), it) })),
  );
  return opened.filter(({ opened: { symbol, parent } }) => {
    const is = (kinds: readonly Kind[]) => symbol !== undefined && matchesKind(kinds, symbol.kind, parent?.kind);
    return (only === undefined || is(only)) && !(not !== undefined && is(not));
  });
}
