/** Brute-force similarity: compares every vector of the view. */
import { Arena } from "../../../src/embed/arena.ts";
import { plainKernel } from "../../../src/embed/kernel.ts";
import type { DenseCandidate, DensePage, DenseQuery } from "../../../src/ports/candidates.ts";
import { decodeVectors } from "../../../src/segment/stored-content.ts";
import { compare, passes } from "./bm25.ts";
import type { Version } from "./content.ts";

export function rankByMeaning(versions: readonly Version[], query: DenseQuery): DensePage {
  const also = (query.also ?? []).map((file) =>
    similarityOf(
      versions.find(({ row }) => row.id === file.id),
      query,
    ),
  );
  if (query.limit === 0 && query.least === undefined)
    return { candidates: [], matched: 0, embedded: 0, chunks: 0, also };
  const inScope = versions.filter((version) => passes(version, query));
  const all = inScope.flatMap((version) =>
    Array.from(similarityOf(version, query) ?? [], (similarity, chunk) => ({ file: version.row, chunk, similarity })),
  );
  const matching = all.filter((it) => it.similarity >= (query.least ?? -1)).sort(bySimilarity);
  const chunks = inScope.reduce((sum, version) => sum + version.chunks.length, 0);
  return { candidates: matching.slice(0, query.limit), matched: matching.length, also, embedded: all.length, chunks };
}

function similarityOf(version: Version | undefined, { model, vector }: DenseQuery): Float64Array | undefined {
  const bytes = version?.vectors.get(model);
  if (bytes === undefined) return undefined;
  const vectors = decodeVectors(bytes);
  const arena = new Arena(vectors.dims, plainKernel());
  arena.add(0, vectors);
  return arena.compareEach(vector, [0])[0];
}

function bySimilarity(a: DenseCandidate, b: DenseCandidate): number {
  return b.similarity - a.similarity || compare(a.file.path, b.file.path) || a.chunk - b.chunk;
}
