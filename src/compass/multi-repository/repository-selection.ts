/** Selects the repositories to open for a query: all of a few, of many those that hold its words. */
import type { Catalog } from "../../ports/catalog.ts";
import { classify } from "../../query/parsed-query.ts";
import { contentWords } from "../../query/query-words.ts";
import type { Project } from "../compass.ts";
import type { Selection } from "./workspace-selection.ts";

/** Opening one costs a tenth of a second when it was not asked lately, and memory. */
export const MOST_OPENED = 32;

export interface Worth {
  readonly projects: readonly Project[];
  /** What whoever asks should know of those that were left out. */
  readonly note?: string;
}

export interface Choosing {
  readonly selection: Selection;
  readonly catalog: Catalog | undefined;
  readonly stop: AbortSignal;
}

export async function selectByTerms(words: string, choosing: Choosing): Promise<Worth> {
  return (await allOfFew(choosing)) ?? byWords(words, choosing);
}

/** For a semantic search, which would have to compare vectors in every repository otherwise; the answer says so. */
export async function selectForSemantic(words: string, choosing: Choosing): Promise<Worth> {
  return (await allOfFew(choosing)) ?? { ...(await byWords(words, choosing)), note: ONLY_WITH_WORDS };
}

async function allOfFew({ selection, catalog }: Choosing): Promise<Worth | undefined> {
  if (selection.shared !== undefined && catalog !== undefined && selection.count > MOST_OPENED) return undefined;
  return { projects: await selection.all() };
}

async function byWords(words: string, { selection, catalog, stop }: Choosing): Promise<Worth> {
  const ask = { ...selection.shared!, most: MOST_OPENED };
  const { names, all } = await catalog!.withTerms(termsOf(words), ask, { signal: stop });
  return { projects: await selection.named(names), ...(!all && { note: MORE_WITH_WORDS }) };
}

const MORE_WITH_WORDS =
  "More repositories hold these words than were asked: name fewer of them, or ask more precisely.";
const ONLY_WITH_WORDS =
  "Only repositories that hold the question's words were asked: name fewer of them to have every chunk compared.";

/** As the index has them: the stems of the words, and a name as a whole. */
function termsOf(words: string): string[] {
  const intent = classify(words);
  const name = /([\p{L}\p{N}_$]+)\W*$/u.exec(words.trim())?.[1];
  const whole = intent === "symbol" && name !== undefined ? [name.toLowerCase()] : [];
  return [...new Set([...whole, ...contentWords(words, intent)])];
}
