/** The weighted terms of a long text: of thousands of words, the few that tell most. */
import type { Snapshot } from "../../ports/snapshot.ts";
import { fold } from "../../text/identifiers.ts";
import { isStopWord, type WeightedTerm } from "../../text/query-terms.ts";
import { analyse, MAX_IDENTIFIER } from "../../text/terms.ts";

export interface WeightedText {
  readonly text: string;
  readonly weight: number;
}

/** Terms whose frequency is looked up, the heaviest first. */
const MAX_KNOWN = 320;
/** Repeating a word says little more than saying it twice. */
const SATURATION = 1.2;
const PART_WEIGHT = 0.7;
const WORD = /[\p{L}\p{M}\p{N}_]+/gu;

export async function issueTerms(texts: readonly WeightedText[], limit: number, at: Snapshot): Promise<WeightedTerm[]> {
  const weights = countTerms(texts);
  const known = [...weights].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, MAX_KNOWN);
  const { chunkCount, documentFrequency } = await at.termStats(known.map(([term]) => term));
  const gains = known.flatMap(([term, weight]) => {
    const frequency = documentFrequency.get(term) ?? 0;
    if (frequency === 0) return [];
    return [{ term, weight, gain: weight * Math.log(1 + chunkCount / frequency) }];
  });
  return gains
    .sort((a, b) => b.gain - a.gain || (a.term < b.term ? -1 : 1))
    .slice(0, limit)
    .map(({ term, weight }) => ({ term, weight }));
}

function countTerms(texts: readonly WeightedText[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { text, weight } of texts) {
    for (const [word] of text.matchAll(WORD)) {
      if (word.length < 2 || isStopWord(word.toLowerCase())) continue;
      const whole = fold(word);
      for (const term of analyse(word.slice(0, MAX_IDENTIFIER))) {
        sums.set(term, (sums.get(term) ?? 0) + weight * (term === whole ? 1 : PART_WEIGHT));
      }
    }
  }
  for (const [term, sum] of sums) sums.set(term, (sum * (1 + SATURATION)) / (sum + SATURATION));
  return sums;
}
