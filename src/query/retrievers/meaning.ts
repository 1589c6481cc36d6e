/** Chunks by meaning: the closest of the whole view, and how close those come that were found by their words. */
import type { SearchRequest } from "../../model/search.ts";
import type { DensePage } from "../../ports/candidates.ts";
import type { FileRow, Limits, Snapshot } from "../../ports/snapshot.ts";
import { compileScope, type RankingCandidate } from "../candidate.ts";
import type { ParsedQuery } from "../parsed-query.ts";

/** A query as embedded by a model. */
export interface QueryVector {
  /** The model's fingerprint. */
  readonly model: string;
  readonly vector: Float32Array;
  /** Chunks below this cosine are not semantic matches, so that an answer can be empty. */
  readonly least?: number;
}

/** Undefined: none of the words is known to the model. */
export type EmbeddedQuery = QueryVector | { readonly unavailable: string } | undefined;
export type EmbedQuery = (text: string) => Promise<EmbeddedQuery>;

export interface MeaningList {
  /** Found by meaning alone. */
  readonly candidates: readonly RankingCandidate[];
  /** Candidates found by words, with their cosines. */
  readonly texts: readonly RankingCandidate[];
  /** By path of a file of either: how close its closest chunks come. */
  readonly files: ReadonlyMap<string, number>;
  /** Minimum cosine of a semantic match. */
  readonly least: number;
  /** The model's own minimum. */
  readonly cut?: number;
  /** What the caller should know of what was not compared. */
  readonly notes: readonly string[];
  /** The model knows none of the words. */
  readonly unknown?: true;
}

/** Found by meaning alone: enough that none is missing which the ranking could put in front (30 and 100: ±0.001). */
const CLOSEST = 60;
/** A file is as close as its closest chunks together; one chunk alone may be an accident. */
const CHUNKS_OF_A_FILE = 3;

export interface WordSearchResult {
  readonly question: ParsedQuery;
  readonly ask: SearchRequest;
  readonly found: readonly RankingCandidate[];
  /** The largest share of the query's words in one chunk. */
  readonly covered: number;
}

/**
 * From this word coverage on, the vectors of the whole view are not compared: a one-shot command would have to load
 * them first, and a busy server spends a third of its time on them (retrieval suite: no difference down to 0.3).
 */
const WELL_COVERED = 0.6;

export async function retrieveMeaning(
  { question, ask, found, covered }: WordSearchResult,
  at: Snapshot,
  askMeaning: EmbedQuery,
  limits: Limits,
): Promise<MeaningList> {
  const meaning = await askMeaning(question.text);
  if (meaning === undefined) return { ...NO_MEANING, texts: found, unknown: true };
  if ("unavailable" in meaning) return { ...NO_MEANING, texts: found, notes: [byWordsOnly(meaning.unavailable)] };
  const also = distinctFiles(found);
  const least = minimumCosine(meaning, question, found);
  const { model, vector } = meaning;
  const bounds = covered >= WELL_COVERED ? { limit: 0 } : { limit: CLOSEST, least };
  const page = await at.dense({ model, vector, ...compileScope(ask), ...bounds, also }, limits);
  const cosines = new Map(also.map((file, i) => [file.path, page.also[i]]));
  const texts = found.map((it) => withCosine(it, cosines.get(it.file.path)?.[it.at]));
  return {
    candidates: newcomers(page, found),
    texts,
    files: await closeness(page, cosines, meaning, at, limits),
    least,
    ...(meaning.least !== undefined && { cut: meaning.least }),
    notes: unembeddedNotes(page),
  };
}

/** If no word of a question occurs anywhere, half the cosine suffices. */
function minimumCosine(
  { least = -1 }: QueryVector,
  { intent }: ParsedQuery,
  found: readonly RankingCandidate[],
): number {
  return intent === "natural_language" && found.length === 0 && least > 0 ? least / 2 : least;
}

export const NO_MEANING: MeaningList = { candidates: [], texts: [], files: new Map(), least: -1, notes: [] };

export const UNKNOWN_WORDS = "the model knows none of the question's words";

export function byWordsOnly(why: string): string {
  return `Searched by words only: ${why}.`;
}

/** Another model was configured, or the vectors are still being made. */
export function unembeddedNotes({ chunks, embedded }: DensePage): string[] {
  if (embedded >= chunks) return [];
  return [`${chunks - embedded} of ${chunks} chunks have no vectors of the configured model: call reindex.`];
}

function distinctFiles(candidates: readonly { readonly file: FileRow }[]): FileRow[] {
  return [...new Map(candidates.map(({ file }) => [file.path, file])).values()];
}

function withCosine(it: RankingCandidate, cosine: number | undefined): RankingCandidate {
  return cosine === undefined ? it : { ...it, cosine };
}

function newcomers({ candidates }: DensePage, found: readonly RankingCandidate[]): RankingCandidate[] {
  if (candidates.length === 0) return [];
  const known = new Set(found.map(({ file, at }) => `${at} ${file.path}`));
  return candidates
    .filter(({ file, chunk }) => !known.has(`${chunk} ${file.path}`))
    .map(({ file, chunk, similarity: cosine }) => ({
      type: "snippet",
      retriever: "meaning",
      file,
      at: chunk,
      strength: 0,
      how: "found by its meaning, not by its words",
      bm25: 0,
      cosine,
    }));
}

async function closeness(
  page: DensePage,
  known: ReadonlyMap<string, Float64Array | undefined>,
  { model, vector }: QueryVector,
  at: Snapshot,
  limits: Limits,
): Promise<Map<string, number>> {
  const further = distinctFiles(page.candidates).filter(({ path }) => !known.has(path));
  const rest = further.length === 0 ? [] : (await at.dense({ model, vector, limit: 0, also: further }, limits)).also;
  const files = new Map<string, number>();
  for (const [path, cosines] of [...known, ...further.map(({ path }, i) => [path, rest[i]] as const)]) {
    if (cosines !== undefined && cosines.length > 0) files.set(path, closest(cosines));
  }
  return files;
}

/** Reused for one file after the other. */
const BEST = new Float64Array(CHUNKS_OF_A_FILE);

function closest(cosines: Float64Array): number {
  const best = BEST.fill(Number.NEGATIVE_INFINITY);
  for (let i = 0; i < cosines.length; i++) {
    const value = cosines[i]!;
    // Most chunks are farther than the third: one comparison.
    if (value <= best[CHUNKS_OF_A_FILE - 1]!) continue;
    let at = CHUNKS_OF_A_FILE - 1;
    for (; at > 0 && best[at - 1]! < value; at--) best[at] = best[at - 1]!;
    best[at] = value;
  }
  const count = Math.min(CHUNKS_OF_A_FILE, cosines.length);
  let sum = 0;
  for (let i = 0; i < count; i++) sum += best[i]!;
  return sum / count;
}
