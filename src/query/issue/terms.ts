/** The weighted terms of a long text: of thousands of words, the few that tell most. */
import type { Snapshot } from "../../ports/snapshot.ts";
import { fold } from "../../text/identifiers.ts";
import { isStopWord, type WeightedTerm } from "../../text/query-terms.ts";
import { analyse, MAX_IDENTIFIER } from "../../text/terms.ts";

export interface WeightedText {
  readonly text: string;
  readonly weight: number;
}

/** Terms whose frequency is looked up, the heaviest and longest first: short words are rarely telling. */
const MAX_KNOWN = 128;
/** A term in a larger share of the chunks costs more to score than all rare terms together, and tells nothing. */
const FREQUENT = 0.12;
/** Repeating a word says little more than saying it twice. */
const SATURATION = 1.2;
const PART_WEIGHT = 0.7;
const WORD = /[\p{L}\p{M}\p{N}_]+/gu;

/** Looks up each term once, whichever text it is in. */
export class IssueTerms {
  readonly #at: Snapshot;
  readonly #frequency = new Map<string, number>();

  constructor(at: Snapshot) {
    this.#at = at;
  }

  async of(texts: readonly WeightedText[], limit: number): Promise<WeightedTerm[]> {
    const known = [...countTerms(texts)].sort(byWeight).slice(0, MAX_KNOWN);
    const missing = known.flatMap(([term]) => (this.#frequency.has(term) ? [] : [term]));
    const { chunkCount, documentFrequency } = await this.#at.termStats(missing);
    for (const term of missing) this.#frequency.set(term, documentFrequency.get(term) ?? 0);
    const found = known.flatMap(([term, weight]) => {
      const frequency = this.#frequency.get(term)!;
      return frequency === 0 ? [] : [{ term, weight, frequency, gain: weight * Math.log(1 + chunkCount / frequency) }];
    });
    const rare = found.filter(({ frequency }) => frequency <= FREQUENT * chunkCount);
    return (rare.length >= FEW ? rare : found)
      .sort((a, b) => b.gain - a.gain || (a.term < b.term ? -1 : 1))
      .slice(0, limit)
      .map(({ term, weight }) => ({ term, weight }));
  }
}

/** With fewer rare terms than this, frequent ones have to do. */
const FEW = 4;

function byWeight([a, x]: readonly [string, number], [b, y]: readonly [string, number]): number {
  return y - x || b.length - a.length || (a < b ? -1 : 1);
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
