/**
 * Exact BM25 inside a view: frequencies, counts and lengths are those of the visible chunks, so an overlay scores as a
 * rebuild would. A filter narrows the candidates and leaves the statistics alone.
 */
import { best } from "./top.ts";
import { type FileFilter, K1, type RankedFile, type TextView } from "./view.ts";

export interface ScoreQuery extends FileFilter {
  readonly terms: readonly { readonly term: string; readonly weight: number }[];
  readonly limit: number;
}

export interface ScoredChunk<F> {
  readonly file: F;
  readonly chunk: number;
  readonly score: number;
  /** By query term; their sum, in order, is the score. */
  readonly parts: readonly number[];
}

export interface ScorePage<F> {
  readonly candidates: readonly ScoredChunk<F>[];
  /** Chunks that pass the filter and hold at least one term. */
  readonly matched: number;
  readonly completeness: "complete" | "partial";
}

/** Ranks the view's chunks. `stop` is asked between terms; a query it ends is answered from the terms so far. */
export function score<F extends RankedFile>(view: TextView<F>, query: ScoreQuery, stop?: () => boolean): ScorePage<F> {
  if (query.terms.length === 0) return { candidates: [], matched: 0, completeness: "complete" };
  const run = new Run(view, query);
  let done = 0;
  do run.add(done++);
  while (done < query.terms.length && !stop?.());
  const page = { candidates: run.top(query.limit), matched: run.matched() };
  run.end();
  return { ...page, completeness: done < query.terms.length ? "partial" : "complete" };
}

/** Visible chunks that hold each term. */
export function documentFrequency<F extends RankedFile>(view: TextView<F>, term: string): number {
  const lists = listsOf(view, term);
  const numbers = new Uint32Array(lists.total);
  let found = 0;
  copyLists(view, lists, numbers, new Uint32Array(lists.total), 0);
  for (const chunk of numbers) found += view.visible[chunk]!;
  return found;
}

export function inverseFrequency(chunkCount: number, frequency: number): number {
  return Math.log(1 + (chunkCount - frequency + 0.5) / (frequency + 0.5));
}

class Run<F extends RankedFile> {
  private readonly view: TextView<F>;
  private readonly query: ScoreQuery;
  private readonly allowed: Uint8Array;
  /** Visible postings of all terms, one after the other; `ends[t]` closes term t. */
  private chunks: Uint32Array;
  private gains: Float64Array;
  private readonly ends: number[] = [];
  private touched: Uint32Array;
  private touchedCount = 0;

  constructor(view: TextView<F>, query: ScoreQuery) {
    this.view = view;
    this.query = query;
    this.allowed = view.allowed(query);
    this.chunks = new Uint32Array(0);
    this.gains = new Float64Array(0);
    this.touched = new Uint32Array(0);
  }

  /** Adds a term's contribution to every chunk that holds it. */
  add(at: number): void {
    const { term, weight } = this.query.terms[at]!;
    const from = this.ends[at - 1] ?? 0;
    const lists = listsOf(this.view, term);
    this.reserve(from, lists.total);
    const counts = new Uint32Array(lists.total);
    copyLists(this.view, lists, this.chunks.subarray(from), counts, 0);
    const end = this.keepVisible(from, counts);
    const factor = weight > 0 ? weight * inverseFrequency(this.view.chunkCount, end - from) * (K1 + 1) : 0;
    this.accumulate(from, end, counts, factor);
    this.ends.push(end);
  }

  matched(): number {
    return this.touchedCount;
  }

  top(limit: number): ScoredChunk<F>[] {
    const { view } = this;
    const { scores } = view;
    const order = (a: number, b: number) => scores[b]! - scores[a]! || byPlace(view, a, b);
    return best(this.touched.subarray(0, this.touchedCount), limit, order).map((chunk) => ({
      ...view.place(chunk),
      score: scores[chunk]!,
      parts: this.query.terms.map((_, term) => this.gainOf(term, chunk)),
    }));
  }

  /** Leaves the view's scores at zero for the next query. */
  end(): void {
    for (let i = 0; i < this.touchedCount; i++) this.view.scores[this.touched[i]!] = 0;
  }

  private reserve(used: number, more: number): void {
    if (used + more <= this.chunks.length) return;
    const size = Math.max(used + more, this.chunks.length * 2);
    const chunks = new Uint32Array(size);
    const gains = new Float64Array(size);
    const touched = new Uint32Array(size);
    chunks.set(this.chunks.subarray(0, used));
    gains.set(this.gains.subarray(0, used));
    touched.set(this.touched.subarray(0, this.touchedCount));
    [this.chunks, this.gains, this.touched] = [chunks, gains, touched];
  }

  private keepVisible(from: number, counts: Uint32Array): number {
    const { chunks } = this;
    const { visible } = this.view;
    let end = from;
    for (let i = 0; i < counts.length; i++) {
      const chunk = chunks[from + i]!;
      if (visible[chunk] === 0) continue;
      chunks[end] = chunk;
      counts[end - from] = counts[i]!;
      end++;
    }
    return end;
  }

  private accumulate(from: number, end: number, counts: Uint32Array, factor: number): void {
    const { chunks, gains, allowed, touched } = this;
    const { scores } = this.view;
    const norms = this.view.norms();
    for (let i = from; i < end; i++) {
      const chunk = chunks[i]!;
      const count = counts[i - from]!;
      const gain = (factor * count) / (count + norms[chunk]!);
      gains[i] = gain;
      if (allowed[chunk] === 0 || gain === 0) continue;
      if (scores[chunk] === 0) touched[this.touchedCount++] = chunk;
      scores[chunk]! += gain;
    }
  }

  private gainOf(term: number, chunk: number): number {
    let low = this.ends[term - 1] ?? 0;
    const end = this.ends[term] ?? low;
    for (let high = end; low < high; ) {
      const middle = (low + high) >>> 1;
      if (this.chunks[middle]! < chunk) low = middle + 1;
      else high = middle;
    }
    return low < end && this.chunks[low] === chunk ? this.gains[low]! : 0;
  }
}

interface TermLists {
  /** By part: position of the term in its dictionary, or -1. */
  readonly positions: readonly number[];
  readonly total: number;
}

function listsOf<F extends RankedFile>(view: TextView<F>, term: string): TermLists {
  let total = 0;
  const positions = view.parts.map(({ segment }) => {
    const position = segment.terms.find(term);
    if (position >= 0) total += segment.postings.count(position);
    return position;
  });
  return { positions, total };
}

function copyLists<F extends RankedFile>(
  view: TextView<F>,
  lists: TermLists,
  chunks: Uint32Array,
  counts: Uint32Array,
  from: number,
): void {
  let end = from;
  for (const [at, position] of lists.positions.entries()) {
    if (position >= 0) end = view.parts[at]!.segment.postings.copyTo(position, view.bases[at]!, chunks, counts, end);
  }
}

function byPlace<F extends RankedFile>(view: TextView<F>, a: number, b: number): number {
  const one = view.place(a);
  const other = view.place(b);
  if (one.file.path !== other.file.path) return one.file.path < other.file.path ? -1 : 1;
  return one.chunk - other.chunk;
}
