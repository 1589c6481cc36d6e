/** Which of many repositories are opened for a question: where there are more than a few, those that hold its words. */

import type { Catalog } from "../../ports/catalog.ts";
import { classify } from "../../query/classify.ts";
import { contentWords } from "../../query/words.ts";
import type { Project } from "../compass.ts";
import type { Selection } from "./selection.ts";

/** Opening one costs a tenth of a second when it was not asked lately, and memory. */
export const MOST_OPENED = 32;

export interface Worth {
  readonly projects: readonly Project[];
  /** Whether nothing was left out that holds all of the words. */
  readonly all: boolean;
}

export async function worthAsking(
  words: string,
  { count, all: everyone, named, shared }: Selection,
  { catalog, stop }: { readonly catalog: Catalog | undefined; readonly stop: AbortSignal },
): Promise<Worth> {
  if (shared === undefined || catalog === undefined || count <= MOST_OPENED)
    return { projects: await everyone(), all: true };
  const { names, all } = await catalog.withTerms(termsOf(words), shared, { signal: stop });
  return { projects: await named(names.slice(0, MOST_OPENED)), all: all && names.length <= MOST_OPENED };
}

/** As the index has them: the stems of the words, and a name as a whole. */
function termsOf(words: string): string[] {
  const intent = classify(words);
  const name = /([\p{L}\p{N}_$]+)\W*$/u.exec(words.trim())?.[1];
  const whole = intent === "symbol" && name !== undefined ? [name.toLowerCase()] : [];
  return [...new Set([...whole, ...contentWords(words, intent)])];
}
