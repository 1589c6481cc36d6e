/** Why a result has its rank: S2's ranking reasons and S4's scoring, from the parts of its score. */
import { z } from "zod";
import type { Score, ScorePart, SearchHit } from "../../model/search.ts";
import type { ExplainLevel } from "../../model/status.ts";
import type { Fields } from "../define.ts";
import { roundScore } from "./result.ts";

/** S4's components in their order. Whatever else the ranker counts is listed after them. */
export const COMPONENTS = [
  "bm25",
  "exact_match",
  "qualified_name",
  "path_affinity",
  "definition_boost",
  "kind_match",
] as const;

const share = () => z.number();

export const reasonsSchema = () =>
  z
    .array(
      z.object({
        result_index: z.int(),
        exact_match_boost: share(),
        qualified_name_boost: share().optional(),
        path_affinity: share(),
        definition_boost: share(),
        kind_match: share().optional(),
        semantic_similarity: share().optional(),
        bm25_score: z.number().optional(),
        final_score: z.number(),
      }),
    )
    .optional();

/** The `ranking_reasons` metadata of the first hits; nothing at `off`. */
export function rankingReasons(
  hits: readonly SearchHit[],
  level: ExplainLevel,
): { readonly ranking_reasons?: readonly Fields[] } {
  if (level === "off") return {};
  return { ranking_reasons: hits.map((hit, index) => rankingReason(hit, index, level)) };
}

/** Fields of a reason and the factors that they show as a share of their cap. */
const BASIC_SHARES = {
  exact_match_boost: "exact_match",
  definition_boost: "definition_boost",
  path_affinity: "path_affinity",
  semantic_similarity: "semantic_similarity",
};
const FULL_SHARES = {
  exact_match_boost: "exact_match",
  qualified_name_boost: "qualified_name",
  path_affinity: "path_affinity",
  definition_boost: "definition_boost",
  kind_match: "kind_match",
};

function rankingReason(hit: SearchHit, index: number, level: "basic" | "full"): Fields {
  const shares = Object.entries(level === "full" ? FULL_SHARES : BASIC_SHARES);
  return {
    result_index: index,
    ...Object.fromEntries(shares.map(([field, factor]) => [field, normalised(hit, factor)])),
    ...(level === "full" && { bm25_score: roundScore(hit.bm25) }),
    final_score: roundScore(hit.score),
  };
}

/** A bonus as a share of its cap. */
function normalised(score: Score, factor: string): number {
  const part = findPart(score, factor);
  if (part === undefined) return 0;
  return roundScore(part.cap === undefined ? part.value : part.value / part.cap);
}

function findPart(score: Score, factor: string): ScorePart | undefined {
  return score.parts.find((part) => part.factor === factor);
}

/** S4's `scoring`: the parts by name, unrounded, so that `total` is their sum. */
export function scoringFields(score: Score): Fields {
  const named = COMPONENTS.map((factor) => [factor, findPart(score, factor)?.value ?? 0]);
  const further = furtherParts(score).map((part) => [part.factor, part.value]);
  return { ...Object.fromEntries([...named, ...further]), total: score.total };
}

/** S4's `scoring_details`: one sentence per part. */
export function scoringDetails(score: Score): Fields {
  const [first, ...bonuses] = COMPONENTS;
  const reason = (factor: string) => findPart(score, factor)?.reason ?? "does not apply to this result";
  return {
    [`${first}_source`]: reason(first),
    ...Object.fromEntries(bonuses.map((factor) => [`${factor}_reason`, reason(factor)])),
    ...Object.fromEntries(furtherParts(score).map((part) => [`${part.factor}_reason`, part.reason])),
  };
}

function furtherParts(score: Score): readonly ScorePart[] {
  return score.parts.filter((part) => !(COMPONENTS as readonly string[]).includes(part.factor));
}
