/** Asks every retriever that helps with the intent and makes one pool of what they bring. */
import type { SearchAsk } from "../model/search.ts";
import type { Limits, Snapshot } from "../ports/store.ts";
import type { Candidate } from "./candidate.ts";
import { findMentions, type Mentions } from "./mentions.ts";
import type { NameQuestion } from "./name.ts";
import type { Question } from "./question.ts";
import { retrievePaths } from "./retrievers/path.ts";
import { retrieveSymbols, type SymbolList, type Wanted } from "./retrievers/symbol.ts";
import { retrieveText, type TextList } from "./retrievers/text.ts";

export interface Retrieved {
  readonly text: TextList;
  readonly symbols: readonly Candidate[];
  readonly files: readonly Candidate[];
  readonly mentions: Mentions;
  /** Everything in scope that matched, also beyond the pool. */
  readonly matched: number;
}

export async function retrieve(question: Question, ask: SearchAsk, at: Snapshot, limits: Limits): Promise<Retrieved> {
  const { intent, name } = question;
  const symbols = name === undefined ? NO_SYMBOLS : await retrieveSymbols(wantedOf(name, ask), at);
  const files = intent === "path" ? await retrievePaths(question.text, ask, at) : [];
  const text = await retrieveText(question, ask, at, limits);
  const mentions = await findMentions(question, text.candidates, at);
  const matched = symbols.matched + files.length + text.matched;
  return { text, symbols: symbols.candidates, files, mentions, matched };
}

/** Definitions that a search opens; a page shows ten. */
const ENOUGH_SYMBOLS = 32;

function wantedOf(name: NameQuestion, scope: SearchAsk): Wanted {
  return { name, scope, enough: ENOUGH_SYMBOLS, ...(name.kinds.length > 0 && { kinds: name.kinds }) };
}

const NO_SYMBOLS: SymbolList = { candidates: [], matched: 0 };

/** What a question without text has retrieved so far. */
export const NO_TEXT: Retrieved = {
  text: { candidates: [], termGains: [], matched: 0, completeness: "complete" },
  symbols: [],
  files: [],
  mentions: new Map(),
  matched: 0,
};
