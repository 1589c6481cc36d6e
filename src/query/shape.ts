/** A ranked candidate as a hit: lines, source, enclosing symbol, score. */
import type { FileRecord } from "../model/code.ts";
import { type IdSource, symbolHit } from "../model/hits.ts";
import { resultId } from "../model/ids.ts";
import type { Hit } from "../model/search.ts";
import type { Snapshot } from "../ports/store.ts";
import { sliceLines } from "../text/lines.ts";
import type { WeightedTerm } from "../text/terms.ts";
import { aboutSymbol } from "./about.ts";
import type { Candidate } from "./candidate.ts";
import type { Ranked } from "./rank.ts";

/** `terms`: the question's; they decide after which of its symbols a snippet is named. */
export async function shape(
  ranked: Ranked,
  at: Snapshot,
  ids: IdSource,
  terms: readonly WeightedTerm[] = [],
): Promise<Hit> {
  const { candidate, total, parts } = ranked;
  const record = candidate.record ?? (await at.record(candidate.file));
  const { lineStart, lineEnd } = linesOf(candidate, record);
  const text = await at.text(candidate.file);
  const named = nameOf(candidate, record, text, terms);
  const { path, language, contentHash } = candidate.file;
  return {
    type: candidate.type,
    ...(candidate.type !== "symbol" && {
      resultId: resultId(
        candidate.type === "file" ? "file" : "snip",
        [path, lineStart, lineEnd, contentHash],
        ids.hash,
      ),
    }),
    path,
    language,
    lineStart,
    lineEnd,
    ...(named !== undefined && { symbol: symbolHit(record, named, ids) }),
    text: sliceLines(text, lineStart, lineEnd),
    score: scoreOf(total),
    total,
    bm25: candidate.bm25,
    parts,
  };
}

function nameOf(
  { type, at }: Candidate,
  record: FileRecord,
  text: string,
  terms: readonly WeightedTerm[],
): number | undefined {
  if (type === "file") return undefined;
  return type === "symbol" ? at : aboutSymbol({ record, chunk: at, text }, terms);
}

export function linesOf({ type, at }: Candidate, record: FileRecord): { lineStart: number; lineEnd: number } {
  const place = type === "symbol" ? record.symbols[at]?.span : type === "snippet" ? record.chunks[at] : undefined;
  return place ?? { lineStart: 1, lineEnd: Math.max(1, record.lineCount) };
}

/** Totals lie between 0 and about 3; 1 is a good answer and maps to 0.73. Grows strictly, also below zero. */
export function scoreOf(total: number): number {
  return Math.round(1e6 / (1 + Math.exp(-2 * (total - 0.5)))) / 1e6;
}
