/** Runs every retriever that suits the intent and collects the candidates. */
import type { SearchRequest } from "../model/search.ts";
import type { Limits } from "../ports/limits.ts";
import type { Snapshot } from "../ports/snapshot.ts";
import type { RankingCandidate } from "./candidate.ts";
import { findMentions, type QueryMentions } from "./mentions.ts";
import type { NameQuery, ParsedQuery } from "./parsed-query.ts";
import { findTemplates, type TemplateMatches } from "./pasted/template.ts";
import { type EmbedQuery, type MeaningList, NO_MEANING, retrieveMeaning } from "./retrievers/meaning.ts";
import { retrievePaths } from "./retrievers/path.ts";
import { retrieveSymbols, type SymbolList, type SymbolLookup } from "./retrievers/symbol.ts";
import { retrieveText, type TextList } from "./retrievers/text.ts";

export interface Retrieved {
  readonly text: TextList;
  readonly symbols: readonly RankingCandidate[];
  readonly files: readonly RankingCandidate[];
  readonly mentions: QueryMentions;
  readonly templates: TemplateMatches;
  readonly meaning: MeaningList;
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
): Promise<Retrieved> {
  const { intent, name } = question;
  const symbols = name === undefined ? NO_SYMBOLS : await retrieveSymbols(symbolLookup(name, ask), at);
  const files = intent === "path" ? await retrievePaths(question.text, ask, at) : [];
  const words = await retrieveText(question, ask, at, limits);
  const meaning =
    askMeaning !== undefined && needsMeaning(question, symbols.candidates.length + files.length, words)
      ? await retrieveMeaning(
          { question, ask, found: words.candidates, covered: words.covered },
          at,
          askMeaning,
          limits,
        )
      : { ...NO_MEANING, texts: words.candidates };
  const templates = intent === "error" ? await findTemplates(question.text.split("\n"), ask, at) : NO_TEMPLATES;
  const made = await withTemplates([...meaning.texts, ...meaning.candidates], templates, at);
  const text = { ...words, candidates: made };
  const mentions = await findMentions(question, text.candidates, at);
  const matched = symbols.matched + files.length + text.matched + meaning.candidates.length;
  return { text, symbols: symbols.candidates, files, mentions, templates, meaning, matched };
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
  return { name, scope, enough: ENOUGH_SYMBOLS, ...(name.kinds.length > 0 && { kinds: name.kinds }) };
}

const NO_TEMPLATES: TemplateMatches = new Map();

/** Chunks with a literal of the message that the text search did not bring. */
async function withTemplates(
  found: readonly RankingCandidate[],
  templates: TemplateMatches,
  at: Snapshot,
): Promise<RankingCandidate[]> {
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
export const NO_TEXT: Retrieved = {
  text: { candidates: [], termGains: [], covered: 0, matched: 0, completeness: "complete" },
  symbols: [],
  files: [],
  mentions: new Map(),
  templates: NO_TEMPLATES,
  meaning: NO_MEANING,
  matched: 0,
};
