/**
 * How strongly a chunk speaks of a word, in eight tiers: BM25's own measure without the word's rarity, for chunks of a usual
 * length. An engine's index has the best tier of each word beside it: whether a word is there at all says little of who
 * speaks of it (`docs/decisions/0010`).
 */
import { B, K1 } from "./view.ts";

export const TIERS = 8;
/** Terms a chunk; the average of 625,000. What is stored must not depend on what else is. */
const USUAL_LENGTH = 137;

/** The count at which a chunk of this length says half of what it could. */
export function halfSaturation(length: number): number {
  return K1 * (1 - B + (B * length) / USUAL_LENGTH);
}

/** `share`: count / (count + half). */
export function scoreTier(share: number): number {
  return Math.min(TIERS - 1, Math.floor(share * TIERS));
}

/** The middle of a tier, 0..1. */
export function tierShare(tier: number): number {
  return (tier + 0.5) / TIERS;
}
