/**
 * Which of many repositories are opened for a question: where there are more than a few, those that hold its words, or
 * those that come nearest to its meaning where the store can tell.
 */
import type { Catalog } from "../../ports/catalog.ts";
import { classify } from "../../query/classify.ts";
import { contentWords } from "../../query/query-words.ts";
import type { AskMeaning } from "../../query/retrievers/meaning.ts";
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
  /** Absent: meaning is switched off. */
  readonly askMeaning: AskMeaning | undefined;
  readonly stop: AbortSignal;
}

export async function selectByTerms(words: string, choosing: Choosing): Promise<Worth> {
  return (await allOfFew(choosing)) ?? byWords(words, choosing);
}

/** Where the store cannot tell what is near, those that hold the words. */
export async function selectByVector(words: string, choosing: Choosing): Promise<Worth> {
  const near = (await allOfFew(choosing)) ?? (await byMeaning(words, choosing));
  return near ?? { ...(await byWords(words, choosing)), note: ONLY_WITH_WORDS };
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

async function byMeaning(
  words: string,
  { selection, catalog, askMeaning, stop }: Choosing,
): Promise<Worth | undefined> {
  const meaning = await askMeaning?.(words.trim());
  if (meaning === undefined || "unavailable" in meaning) return undefined;
  const names = await catalog!.near(meaning, selection.shared!, { signal: stop });
  if (names === undefined) return undefined;
  const projects = await selection.named(names.slice(0, MOST_OPENED));
  return {
    projects,
    note: `Only the ${projects.length} repositories that come nearest were asked: name fewer of them to have every chunk compared.`,
  };
}

/** As the index has them: the stems of the words, and a name as a whole. */
function termsOf(words: string): string[] {
  const intent = classify(words);
  const name = /([\p{L}\p{N}_$]+)\W*$/u.exec(words.trim())?.[1];
  const whole = intent === "symbol" && name !== undefined ? [name.toLowerCase()] : [];
  return [...new Set([...whole, ...contentWords(words, intent)])];
}
