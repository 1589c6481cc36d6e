/**
 * Exact BM25 inside a view: frequencies, counts and lengths are those of the visible chunks, so an overlay scores like a
 * rebuild. A filter narrows the candidates but not the statistics.
 */
import { utf8 } from "./bytes.ts";
import { B, type FileFilter, K1, type RankedFile, type TextView } from "./view.ts";

interface ScoreQuery extends FileFilter {
  readonly terms: readonly { readonly term: string; readonly weight: number }[];
  readonly limit: number;
  /** Chooses among the best, before their parts are computed; absent: all of them. */
  readonly choose?: <C extends { readonly file: RankedFile }>(best: readonly C[]) => readonly C[];
}

interface ScoredChunk<F> {
  readonly file: F;
  readonly chunk: number;
  readonly score: number;
  /** By query term; their sum, in order, is the score. */
  readonly parts: readonly number[];
}

interface ScorePage<F> {
  readonly candidates: readonly ScoredChunk<F>[];
  /** Chunks that pass the filter and hold at least one term. */
  readonly matched: number;
  readonly completeness: "complete" | "partial";
}

/** Ranks the view's chunks. `stop` is checked between terms; a stopped query returns the result of the terms so far. */
export function score<F extends RankedFile>(view: TextView<F>, query: ScoreQuery, stop?: () => boolean): ScorePage<F> {
  if (query.terms.length === 0) return { candidates: [], matched: 0, completeness: "complete" };
  const run = new ScoreRun(view, query);
  let done = 0;
  do run.add(done++);
  while (done < query.terms.length && !stop?.());
  const page = { candidates: run.top(query.limit), matched: run.matched };
  run.end();
  return { ...page, completeness: done < query.terms.length ? "partial" : "complete" };
}

/** Number of visible chunks that contain the term. */
export function documentFrequency<F extends RankedFile>(view: TextView<F>, term: string): number {
  const known = view.frequencies.get(term);
  if (known !== undefined) return known;
  const lists = findTermLists(view, term);
  const found = view.showsAll ? lists.total : countVisible(view, lists);
  // A rare term is counted as fast as it is looked up.
  if (lists.total >= WORTH_KEEPING && view.frequencies.size < MAX_KEPT) view.frequencies.set(term, found);
  return found;
}

const WORTH_KEEPING = 256;
const MAX_KEPT = 4_096;

function countVisible<F extends RankedFile>(view: TextView<F>, lists: TermLists): number {
  const numbers = new Uint32Array(lists.total);
  let found = 0;
  copyLists(view, lists, numbers, new Uint32Array(lists.total), 0);
  const { visible } = view;
  for (const chunk of numbers) found += visible[chunk]!;
  return found;
}

function inverseFrequency(chunkCount: number, frequency: number): number {
  return Math.log(1 + (chunkCount - frequency + 0.5) / (frequency + 0.5));
}

/** One query over one view, with the reusable arrays of the view. */
class ScoreRun<F extends RankedFile> {
  matched = 0;
  private readonly view: TextView<F>;
  private readonly query: ScoreQuery;
  private readonly lists: readonly TermLists[];
  private readonly allowed: Uint8Array;
  private readonly norms: Float64Array;
  /** Visible postings of all terms, one after the other; `ends[t]` closes term t. */
  private readonly chunks: Uint32Array;
  private readonly counts: Uint32Array;
  private readonly touched: Uint32Array;
  private readonly ends: number[] = [];
  private readonly factors: number[] = [];

  constructor(view: TextView<F>, query: ScoreQuery) {
    this.view = view;
    this.query = query;
    this.lists = query.terms.map(({ term }) => findTermLists(view, term));
    this.allowed = view.allowed(query);
    this.norms = view.norms();
    const loan = view.borrow(this.lists.reduce((sum, list) => sum + list.total, 0));
    this.chunks = loan.chunks;
    this.counts = loan.counts;
    this.touched = loan.touched;
  }

  /** Adds a term's contribution to every chunk that contains it. */
  add(at: number): void {
    const from = this.ends[at - 1] ?? 0;
    const end = this.keepVisible(from, copyLists(this.view, this.lists[at]!, this.chunks, this.counts, from));
    const weight = Math.max(0, this.query.terms[at]!.weight);
    this.factors.push(weight * inverseFrequency(this.view.chunkCount, end - from) * (K1 + 1));
    this.ends.push(end);
    if (weight > 0) this.accumulate(from, end, this.factors[at]!);
  }

  top(limit: number): ScoredChunk<F>[] {
    const { view } = this;
    const { scores } = view;
    const found = best(this.touched.subarray(0, this.matched), scores, limit, (a, b) => byPosition(view, a, b));
    const placed = found.map((number) => ({ number, place: view.place(number), score: scores[number]! }));
    const chosen = this.query.choose?.(placed.map((it) => ({ ...it, file: it.place.file }))) ?? placed;
    const parts = this.partsOf(chosen.map(({ number }) => number));
    return chosen.map(({ place, score }, i) => ({ ...place, score, parts: parts[i]! }));
  }

  /** Resets the view's scores for the next query. */
  end(): void {
    const { scores } = this.view;
    for (let i = 0; i < this.matched; i++) scores[this.touched[i]!] = 0;
  }

  private keepVisible(from: number, to: number): number {
    if (this.view.showsAll) return to;
    const { chunks, counts } = this;
    const { visible } = this.view;
    let end = from;
    for (let i = from; i < to; i++) {
      const chunk = chunks[i]!;
      if (visible[chunk] === 0) continue;
      chunks[end] = chunk;
      counts[end++] = counts[i]!;
    }
    return end;
  }

  private accumulate(from: number, end: number, factor: number): void {
    const { chunks, counts, allowed, touched, norms } = this;
    const { scores } = this.view;
    let { matched } = this;
    for (let i = from; i < end; i++) {
      const chunk = chunks[i]!;
      if (allowed[chunk] === 0) continue;
      const before = scores[chunk]!;
      if (before === 0) touched[matched++] = chunk;
      scores[chunk] = before + (factor * counts[i]!) / (counts[i]! + norms[chunk]!);
    }
    this.matched = matched;
  }

  /** Both the chunks and the postings of a term ascend, so each search begins where the last one ended. */
  private partsOf(found: readonly number[]): number[][] {
    const { chunks, counts, ends, factors, norms } = this;
    const parts = found.map((): number[] => []);
    const ascending = [...found.keys()].sort((a, b) => found[a]! - found[b]!);
    for (const term of this.query.terms.keys()) {
      // A stopped query has no postings of its last terms.
      const end = ends[term] ?? 0;
      let low = ends[term - 1] ?? 0;
      for (const at of ascending) {
        const chunk = found[at]!;
        for (let high = end; low < high; ) {
          const middle = (low + high) >>> 1;
          if (chunks[middle]! < chunk) low = middle + 1;
          else high = middle;
        }
        const count = low < end && chunks[low] === chunk ? counts[low]! : 0;
        parts[at]!.push(count === 0 ? 0 : (factors[term]! * count) / (count + norms[chunk]!));
      }
    }
    return parts;
  }
}

interface TermLists {
  /** By part: position of the term in its dictionary, or -1. */
  readonly positions: readonly number[];
  readonly total: number;
}

function findTermLists<F extends RankedFile>(view: TextView<F>, term: string): TermLists {
  let total = 0;
  const key = utf8(term);
  const positions = view.parts.map(({ segment }) => {
    const position = segment.terms.findBytes(key);
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
): number {
  let end = from;
  for (const [at, position] of lists.positions.entries()) {
    if (position >= 0) end = view.parts[at]!.segment.postings.copyTo(position, view.bases[at]!, chunks, counts, end);
  }
  return end;
}

function byPosition<F extends RankedFile>(view: TextView<F>, a: number, b: number): number {
  const one = view.place(a);
  const other = view.place(b);
  if (one.file.path !== other.file.path) return one.file.path < other.file.path ? -1 : 1;
  return one.chunk - other.chunk;
}

/** The items with the `limit` highest scores, best first; equal scores are ordered by `tie`. */
function best(
  items: Uint32Array,
  scores: Float64Array,
  limit: number,
  tie: (a: number, b: number) => number,
): number[] {
  if (limit <= 0) return [];
  const found = items.length <= limit ? Array.from(items) : reaching(items, scores, limit);
  found.sort((a, b) => scores[b]! - scores[a]! || tie(a, b));
  return found.length > limit ? found.slice(0, limit) : found;
}

/** All items that score at least as high as the lowest of the best; with equal scores these may be more than `limit`. */
function reaching(items: Uint32Array, scores: Float64Array, limit: number): number[] {
  // A binary heap of the highest scores so far; its root is the lowest of them.
  const heap = new Float64Array(limit);
  for (let i = 0; i < limit; i++) heap[i] = scores[items[i]!]!;
  for (let at = (limit >> 1) - 1; at >= 0; at--) sink(heap, at, heap[at]!);
  // The threshold only rises: an item below it stays below it.
  const found: number[] = Array.from(items.subarray(0, limit));
  for (let i = limit; i < items.length; i++) {
    const score = scores[items[i]!]!;
    if (score < heap[0]!) continue;
    found.push(items[i]!);
    if (score > heap[0]!) sink(heap, 0, score);
  }
  return found.filter((item) => scores[item]! >= heap[0]!);
}

function sink(heap: Float64Array, from: number, score: number): void {
  let at = from;
  for (let child = 2 * at + 1; child < heap.length; child = 2 * at + 1) {
    if (child + 1 < heap.length && heap[child + 1]! < heap[child]!) child++;
    if (heap[child]! >= score) break;
    heap[at] = heap[child]!;
    at = child;
  }
  heap[at] = score;
}

/** Tiers of the BM25 share of a word in a chunk, without the word's rarity; a shared store keeps the best tier per word. */
export const TIERS = 8;
/** Average terms of 625,000 chunks. A constant, because stored values must not depend on other files. */
const USUAL_LENGTH = 137;

/** The term count at which a chunk of this length reaches half of the maximum BM25 share. */
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
