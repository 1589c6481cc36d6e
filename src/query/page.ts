/** What a page of the semantic family shows of each result. */
import type { IdSource } from "../model/ids.ts";
import type { SemanticHit, SemanticRequest } from "../model/search.ts";
import type { Snapshot } from "../ports/snapshot.ts";
import { sliceLines } from "../text/lines.ts";
import { estimateTokens } from "../text/tokens.ts";
import { understand } from "./parsed-query.ts";
import type { Ranked } from "./rank.ts";
import { shape } from "./shape.ts";

export interface Found {
  readonly ranked: Ranked;
  readonly score: number;
}

export async function pageOf(
  found: readonly Found[],
  ask: SemanticRequest,
  at: Snapshot,
  ids: IdSource,
): Promise<SemanticHit[]> {
  const { context } = ask;
  // Of several definitions in a chunk, the one with most of the question's words names it.
  const { terms } = understand(ask);
  const hits: SemanticHit[] = [];
  for (const { ranked, score } of found) {
    const { path, language, lineStart, lineEnd, symbol, text } = await shape(ranked, at, ids, { terms });
    const around =
      context === 0
        ? text
        : sliceLines(await at.text(ranked.candidate.file), Math.max(1, lineStart - context), lineEnd + context);
    hits.push({
      path,
      language,
      lineStart,
      lineEnd,
      score: Math.round(score * 1e6) / 1e6,
      ...(symbol && { symbol }),
      text: around,
      tokens: estimateTokens(text),
    });
  }
  return hits;
}

export function totalOf(matched: number, { topK }: SemanticRequest): number {
  return Math.min(matched, topK ?? matched);
}
