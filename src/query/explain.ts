/** Replays a search and shows how one of its candidates came by its score. */
import { CompassError } from "../model/errors.ts";
import type { IdSource } from "../model/ids.ts";
import type { ExplainAnswer, SearchRequest } from "../model/search.ts";
import type { Snapshot } from "../ports/snapshot.ts";
import { partsOf } from "./rank.ts";
import { rankAll, type SearchOptions } from "./search.ts";
import { frameOf, linesOf, shape } from "./shape.ts";

export interface Place {
  readonly path: string;
  readonly lineStart: number;
}

export async function explain(
  ask: SearchRequest,
  place: Place,
  at: Snapshot,
  ids: IdSource,
  options: SearchOptions = {},
): Promise<ExplainAnswer> {
  const { question, ranked, pool } = await rankAll(ask, at, options);
  for (const it of ranked) {
    if (it.candidate.file.path !== place.path) continue;
    if (linesOf(it.candidate, await frameOf(it.candidate, at)).lineStart === place.lineStart)
      return { hit: await shape(it, at, ids, { terms: question.terms, parts: partsOf(it, pool) }) };
  }
  throw new CompassError("result_not_found", { path: place.path, line: place.lineStart, query: ask.query });
}
