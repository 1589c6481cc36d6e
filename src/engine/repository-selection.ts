/**
 * Selects the repositories that a search over many opens. They rank their own results: here a repository scores as high as
 * its best group of files, by the rarity of the words and the tiers of the chunks that hold them (`segment/score.ts`).
 */
import type { Catalog } from "../ports/catalog.ts";
import { TIERS, tierShare } from "../segment/score.ts";

/** A word as it is looked up: in the chunks of one tier, or in rows that tell no tiers apart. */
export interface WordLookup {
  /** Place of the word in the query. */
  readonly at: number;
  readonly word: string;
  readonly tier: number | undefined;
  /** Of the word's weight. */
  readonly share: number;
}

export interface RepositoryScore {
  readonly name: string;
  readonly strength: number;
  /** Words of the query in the repository's fullest group. */
  readonly words: number;
  /** Of any repository, and how many have as many, named or not. */
  readonly most: number;
  readonly full: number;
}

/** Repositories that score less than this share of the best have no part in the first results. */
const LEAST_SHARE = 0.4;
/** A row of an older release has no tier. */
const UNKNOWN_TIER = 0.5;
/** Each word is nine looks at every partition, 8 ms in 2,600 repositories: of a pasted text the first ones choose. */
const MOST_WORDS = 16;

/** Terms are those of the shared tokenizer. `score`: the best repositories first. */
export async function selectRepositories(
  terms: readonly string[],
  score: (lookups: readonly WordLookup[]) => Promise<readonly RepositoryScore[]>,
): ReturnType<Catalog["withTerms"]> {
  const words = [...new Set(terms)].filter((term) => term !== "" && !term.includes("\0")).slice(0, MOST_WORDS);
  if (words.length === 0) return { names: [], all: false };
  const tiers = [...Array.from({ length: TIERS }, (_, tier) => tier), undefined];
  const lookups = words.flatMap((word, at) =>
    tiers.map((tier) => ({ at, word, tier, share: tier === undefined ? UNKNOWN_TIER : tierShare(tier) })),
  );
  const rows = await score(lookups);
  const [best] = rows;
  if (best === undefined) return { names: [], all: true };
  const worth = rows.filter(({ strength }) => strength >= LEAST_SHARE * best.strength);
  const full = worth.filter((row) => row.words === best.most).length;
  return { names: worth.map(({ name }) => name), all: full === best.full };
}
