/** The segments of a view: which chunks are visible, their number and average length. */
import { findOwner, type Segment } from "./read.ts";

/** The properties of a file that ranking needs; stores pass their own rows. */
export interface RankedFile {
  readonly path: string;
  readonly language: string;
}

/** A segment and, for each of its files, the view's row; undefined where the view does not show that version. */
export interface ViewPart<F extends RankedFile> {
  readonly segment: Segment;
  readonly files: readonly (F | undefined)[];
}

export interface FileFilter {
  readonly languages?: readonly string[];
  readonly under?: string;
  readonly keeps?: (path: string) => boolean;
}

interface QueryBuffers {
  readonly chunks: Uint32Array;
  readonly counts: Uint32Array;
  readonly touched: Uint32Array;
}

/** BM25's free parameters, the same for every engine. */
export const K1 = 1.2;
export const B = 0.75;

/** Chunks are numbered across all parts, in order. */
export class TextView<F extends RankedFile> {
  readonly parts: readonly ViewPart<F>[];
  /** Number of the first chunk of each part, and the total at the end. */
  readonly bases: Uint32Array;
  /** Created on first use: name look-ups do not need it. */
  /** Document frequencies of frequent terms, counted on first use: a whole issue needs hundreds. */
  readonly frequencies = new Map<string, number>();
  private made: { readonly visible: Uint8Array; readonly count: number; readonly length: number } | undefined;
  private lentScores: Float64Array | undefined;
  private lengthNorms: Float64Array | undefined;
  private loan: QueryBuffers = { chunks: new Uint32Array(0), counts: new Uint32Array(0), touched: new Uint32Array(0) };

  constructor(parts: readonly ViewPart<F>[]) {
    this.parts = parts;
    this.bases = chunkBases(parts);
  }

  get visible(): Uint8Array {
    return this.shown().visible;
  }

  get chunkCount(): number {
    return this.shown().count;
  }

  /** Whether every chunk of its segments is visible, as after a full index. */
  get showsAll(): boolean {
    return this.shown().count === this.bases.at(-1)!;
  }

  get averageLength(): number {
    const { count, length } = this.shown();
    return count === 0 ? 0 : length / count;
  }

  /** Scores of the running query; all zero between queries. */
  get scores(): Float64Array {
    this.lentScores ??= new Float64Array(this.bases.at(-1)!);
    return this.lentScores;
  }

  /** K1 × (1 − B + B × length / average), by chunk. */
  norms(): Float64Array {
    if (this.lengthNorms) return this.lengthNorms;
    const norms = new Float64Array(this.bases.at(-1)!);
    const scale = (K1 * B) / this.averageLength;
    for (const [at, { segment }] of this.parts.entries()) {
      const base = this.bases[at]!;
      for (let i = 0; i < segment.chunkCount; i++) norms[base + i] = K1 * (1 - B) + scale * segment.chunkLengths[i]!;
    }
    this.lengthNorms = norms;
    return norms;
  }

  /** Arrays for the postings of one query; scoring is synchronous, so one set serves all of them. */
  borrow(postings: number): QueryBuffers {
    if (this.loan.touched.length === 0) this.loan = { ...this.loan, touched: new Uint32Array(this.bases.at(-1)!) };
    if (postings > this.loan.chunks.length) {
      this.loan = { ...this.loan, chunks: new Uint32Array(postings * 2), counts: new Uint32Array(postings * 2) };
    }
    return this.loan;
  }

  /** The visible chunks of files that pass the filter. */
  allowed(filter: FileFilter): Uint8Array {
    const { languages, under, keeps } = filter;
    if (languages === undefined && under === undefined && keeps === undefined) return this.visible;
    const allowed = languages && new Set(languages);
    return this.mask((file) => {
      if (file === undefined || (allowed && !allowed.has(file.language))) return false;
      return (under === undefined || isUnder(file.path, under)) && keeps?.(file.path) !== false;
    });
  }

  place(chunk: number): { readonly file: F; readonly chunk: number } {
    const part = findOwner(this.bases, chunk);
    const { segment, files } = this.parts[part]!;
    const inside = chunk - this.bases[part]!;
    const slot = findOwner(segment.fileChunks, inside);
    return { file: files[slot]!, chunk: inside - segment.fileChunks[slot]! };
  }

  private mask(test: (file: F | undefined) => boolean): Uint8Array {
    const mask = new Uint8Array(this.bases.at(-1)!);
    for (const [at, { segment, files }] of this.parts.entries()) {
      const base = this.bases[at]!;
      for (let slot = 0; slot < segment.fileCount; slot++) {
        if (test(files[slot])) mask.fill(1, base + segment.fileChunks[slot]!, base + segment.fileChunks[slot + 1]!);
      }
    }
    return mask;
  }

  private shown() {
    if (this.made === undefined) {
      const visible = this.mask((file) => file !== undefined);
      this.made = { visible, ...this.tally(visible) };
    }
    return this.made;
  }

  private tally(visible: Uint8Array): { count: number; length: number } {
    let count = 0;
    let length = 0;
    for (const [at, { segment }] of this.parts.entries()) {
      const base = this.bases[at]!;
      for (let i = 0; i < segment.chunkCount; i++) {
        if (visible[base + i] === 0) continue;
        count++;
        length += segment.chunkLengths[i]!;
      }
    }
    return { count, length };
  }
}

/** Whether the path is that file or in that directory; the root is "", "." or "/". */
export function isUnder(path: string, under: string): boolean {
  const folder = under.replace(/^(\.?\/)+|\/+$/g, "");
  return folder === "" || folder === "." || path === folder || path.startsWith(`${folder}/`);
}

function chunkBases(parts: readonly ViewPart<RankedFile>[]): Uint32Array {
  const bases = new Uint32Array(parts.length + 1);
  for (const [at, { segment }] of parts.entries()) bases[at + 1] = bases[at]! + segment.chunkCount;
  return bases;
}
