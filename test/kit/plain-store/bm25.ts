/** Textbook BM25: the reference that the fast engines are compared with. */
import type { ChunkCandidate, LexicalPage, LexicalQuery, TermStats } from "../../../src/ports/candidates.ts";
import type { Version } from "./content.ts";

const K1 = 1.2;
const B = 0.75;

export function rank(versions: readonly Version[], query: LexicalQuery, stop: () => boolean): LexicalPage {
  const asked = answered(query, stop);
  const stats = statsOf(
    versions,
    query.terms.map(({ term }) => term),
  );
  const candidates: ChunkCandidate[] = [];
  for (const version of versions) {
    if (!passes(version, query)) continue;
    for (const [chunk, counts] of version.chunks.entries()) {
      const parts = query.terms.map((it, at) => (at < asked ? part(it.weight, it.term, counts, stats) : 0));
      const score = parts.reduce((sum, value) => sum + value, 0);
      if (score > 0) candidates.push({ file: version.row, chunk, score, parts });
    }
  }
  candidates.sort((a, b) => b.score - a.score || compare(a.file.path, b.file.path) || a.chunk - b.chunk);
  const completeness = asked < query.terms.length ? "partial" : "complete";
  const best = candidates.slice(0, query.limit);
  return { candidates: query.choose?.(best) ?? best, matched: candidates.length, completeness };
}

export function statsOf(versions: readonly Version[], terms: readonly string[]): TermStats {
  const chunks = versions.flatMap((version) => version.chunks);
  const total = chunks.reduce((sum, counts) => sum + lengthOf(counts), 0);
  return {
    chunkCount: chunks.length,
    averageLength: chunks.length === 0 ? 0 : total / chunks.length,
    documentFrequency: new Map(terms.map((term) => [term, chunks.filter((counts) => counts.has(term)).length])),
  };
}

export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function part(weight: number, term: string, counts: ReadonlyMap<string, number>, stats: TermStats): number {
  const count = counts.get(term) ?? 0;
  const frequency = stats.documentFrequency.get(term)!;
  const rarity = Math.log(1 + (stats.chunkCount - frequency + 0.5) / (frequency + 0.5));
  const norm = K1 * (1 - B + (B * lengthOf(counts)) / stats.averageLength);
  return count === 0 ? 0 : (Math.max(0, weight) * rarity * count * (K1 + 1)) / (count + norm);
}

function lengthOf(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

export function passes(
  { row }: Version,
  { languages, under, keeps }: Pick<LexicalQuery, "languages" | "under" | "keeps">,
): boolean {
  if ((languages && !languages.includes(row.language)) || keeps?.(row.path) === false) return false;
  const folder = (under ?? "").replace(/^(\.?\/)+|\/+$/g, "").replace(/^\.$/, "");
  return folder === "" || row.path === folder || row.path.startsWith(`${folder}/`);
}

/** The number of terms processed before the caller's time is over. */
function answered(query: LexicalQuery, stop: () => boolean): number {
  let asked = Math.min(1, query.terms.length);
  while (asked < query.terms.length && !stop()) asked++;
  return asked;
}
