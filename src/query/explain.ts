/** Replays a search and shows how one of its candidates came by its score. */
import { CompassError } from "../model/errors.ts";
import type { IdSource } from "../model/ids.ts";
import type { ExplainAnswer, SearchRequest, WhyNot } from "../model/search.ts";
import type { FileRow, Snapshot } from "../ports/snapshot.ts";
import { sliceLines } from "../text/lines.ts";
import { eachTerm } from "../text/terms.ts";
import { candidateLines, openFrame, shape } from "./build-results.ts";
import { chunkAt } from "./mentions.ts";
import type { Ranked } from "./rank.ts";
import { type RankedPool, rankAll, type SearchOptions } from "./search.ts";

interface ExplainTarget {
  readonly path: string;
  readonly lineStart: number;
}

export async function explain(
  ask: SearchRequest,
  place: ExplainTarget,
  at: Snapshot,
  ids: IdSource,
  options: SearchOptions = {},
): Promise<ExplainAnswer> {
  const { question, ranked, explain } = await rankAll(ask, at, options);
  let around: Ranked | undefined;
  for (const it of ranked) {
    if (it.candidate.file.path !== place.path) continue;
    const { lineStart, lineEnd } = candidateLines(it.candidate, await openFrame(it.candidate, at));
    if (lineStart === place.lineStart)
      return { hit: await shape(it, at, ids, { terms: question.terms, parts: explain(it) }) };
    // Text answers show the lines of a result that matter, which may begin below its first line.
    if (lineStart < place.lineStart && place.lineStart <= lineEnd) around ??= it;
  }
  if (around !== undefined)
    return { hit: await shape(around, at, ids, { terms: question.terms, parts: explain(around) }) };
  throw new CompassError("result_not_found", { path: place.path, line: place.lineStart, query: ask.query });
}

interface ExpectedPlace {
  readonly path: string;
  readonly line: number;
}

export async function whyNot(
  ask: SearchRequest,
  place: ExpectedPlace,
  at: Snapshot,
  options: SearchOptions = {},
): Promise<WhyNot> {
  const file = await at.file(place.path);
  if (file === undefined) {
    const skipped = await at.skipped(place.path);
    return { verdict: "not_indexed", ...(skipped !== undefined && { skipped }) };
  }
  const { lineCount } = await at.frame(file);
  if (place.line > lineCount) return { verdict: "no_such_line", lineCount };
  const all = await rankAll(ask, at, options);
  const index = await rankedIndex(all.ranked, place, at);
  return index < 0 ? notRetrieved(all, file, place, at) : describeRank(all, index, ask.limit);
}

async function rankedIndex(ranked: readonly Ranked[], { path, line }: ExpectedPlace, at: Snapshot): Promise<number> {
  for (const [i, { candidate }] of ranked.entries()) {
    if (candidate.file.path !== path) continue;
    const { lineStart, lineEnd } = candidateLines(candidate, await openFrame(candidate, at));
    if (lineStart <= line && line <= lineEnd) return i;
  }
  return -1;
}

/** Compared with the last result that is shown, factor by factor. */
function describeRank({ ranked, explain }: RankedPool, index: number, limit: number): WhyNot {
  const it = ranked[index]!;
  const rank = index + 1;
  if (index < limit) return { verdict: "shown", rank };
  const last = ranked[limit - 1]!;
  const shown = explain(last);
  const factors = explain(it)
    .map(({ factor, value, reason }) => {
      const theirs = shown.find((part) => part.factor === factor)?.value ?? 0;
      return { factor, value, lastShown: theirs, reason };
    })
    .filter(({ value, lastShown }) => value !== lastShown)
    .sort((a, b) => b.lastShown - b.value - (a.lastShown - a.value));
  return { verdict: "ranked_lower", rank, total: it.total, lastShownTotal: last.total, factors };
}

async function notRetrieved(
  { question, ranked }: RankedPool,
  file: FileRow,
  { line }: ExpectedPlace,
  at: Snapshot,
): Promise<WhyNot> {
  const frame = await at.frame(file);
  const chunk = frame.chunk(chunkAt(frame, line));
  const held = new Set<string>();
  if (chunk) eachTerm(sliceLines(await at.text(file), chunk.lineStart, chunk.lineEnd), (term) => held.add(term));
  const words = question.terms.map(({ term }) => term);
  return {
    verdict: "not_retrieved",
    pool: ranked.length,
    wordsFound: words.filter((word) => held.has(word)),
    wordsMissing: words.filter((word) => !held.has(word)),
  };
}
