/**
 * The segments of a repository, read part by part: a query says which parts it needs, they are fetched for all segments
 * of its view at once, and then it is answered from memory.
 */
import type { Content, SegmentRow } from "../ports/backend.ts";
import type { Limits } from "../ports/snapshot.ts";
import { CorruptionError } from "../segment/bytes.ts";
import { type LoadBytes, PART, readHead, type SectionReader } from "../segment/format.ts";
import { type Segment, segmentFromSections } from "../segment/read.ts";
import { TextView } from "../segment/view.ts";
import type { SharedWork } from "./shared-work.ts";
import type { IndexedFile, ViewState } from "./view-state.ts";

export type PartKind = (typeof PART)[keyof typeof PART];

/** The segment was merged into another one since it was listed: list them again. */
export class SegmentReplaced extends Error {}

/** The caller's signal ended the call; carries the signal's own reason, which is no failure of the store. */
export class Aborted extends Error {
  readonly reason: unknown;

  constructor(reason: unknown) {
    super("aborted");
    this.reason = reason;
  }
}

/** A segment as far as it was read. */
export class StoredSegment {
  readonly id: number;
  readonly chunks: number;
  readonly versions: Uint32Array;
  readonly #sections: SectionReader;
  readonly #parts: { readonly kind: number; readonly start: number; readonly end: number; bytes?: Uint8Array }[];
  #segment: Segment | undefined;

  constructor({ id, chunks, versions, head }: SegmentRow) {
    if (!(versions instanceof Uint8Array && head instanceof Uint8Array) || versions.length % 4 !== 0)
      throw new CorruptionError(`the row of segment ${id} is damaged`);
    this.id = id;
    this.chunks = chunks;
    this.versions = wordsOf(versions);
    this.#sections = readHead(head, this.#load);
    this.#parts = this.#sections.stretches();
  }

  /** Needs the part of the files. */
  get segment(): Segment {
    if (this.#segment === undefined) {
      this.#segment = segmentFromSections(this.#sections);
      if (this.#segment.fileCount !== this.versions.length)
        throw new CorruptionError(`segment ${this.id} has another number of files`);
    }
    return this.#segment;
  }

  missingParts(
    kinds: readonly number[],
  ): { readonly segment: number; readonly kind: number; readonly start: number }[] {
    const missing = this.#parts.filter(({ kind, bytes }) => bytes === undefined && kinds.includes(kind));
    return missing.map(({ kind, start }) => ({ segment: this.id, kind, start }));
  }

  take(start: number, bytes: Uint8Array): void {
    const part = this.#parts.find((it) => it.start === start);
    if (part === undefined || part.end - part.start !== bytes.length)
      throw new CorruptionError(`a part of segment ${this.id} does not belong to it`);
    part.bytes = bytes;
  }

  /** Every kind of part that there is. */
  get kinds(): readonly number[] {
    return this.#parts.map(({ kind }) => kind);
  }

  readonly #load: LoadBytes = (at, length) => {
    const part = this.#parts.find(({ start, end }) => start <= at && at < end);
    if (part?.bytes === undefined) throw new CorruptionError(`a part of segment ${this.id} was not fetched`);
    return part.bytes.subarray(at - part.start, at - part.start + length);
  };
}

/** The full text and the names of a view. */
export interface OpenView {
  readonly text: TextView<IndexedFile>;
  readonly segments: readonly StoredSegment[];
}

export class Segments {
  readonly #content: Content;
  readonly #work: SharedWork;
  #held = new Map<number, StoredSegment>();

  constructor(content: Content, work: SharedWork) {
    this.#content = content;
    this.#work = work;
  }

  /** Throws `CorruptionError` when a file of the view is in no segment. */
  async open(state: ViewState): Promise<OpenView> {
    const byVersion = new Map<number, IndexedFile>();
    for (const file of state.files.values()) byVersion.set(file.id, file);
    const shown: { stored: StoredSegment; files: (IndexedFile | undefined)[] }[] = [];
    let found = 0;
    for (const stored of await this.present()) {
      const files = Array.from(stored.versions, (version) => byVersion.get(version));
      const count = files.reduce((sum, file) => sum + (file ? 1 : 0), 0);
      if (count > 0) shown.push({ stored, files });
      found += count;
    }
    if (found !== byVersion.size) throw new CorruptionError(`${byVersion.size - found} files are in no segment`);
    const segments = shown.map(({ stored }) => stored);
    await fetchParts(this.#content, segments, [PART.files]);
    return { segments, text: new TextView(shown.map(({ stored, files }) => ({ segment: stored.segment, files }))) };
  }

  /** What a query needs of the view's segments. Equal requests at the same moment share the work. */
  async fetch({ segments }: OpenView, kinds: readonly PartKind[], limits?: Limits): Promise<void> {
    const lacking = segments.filter((stored) => stored.missingParts(kinds).length > 0);
    if (lacking.length === 0) return;
    const name = `${kinds} of ${lacking.map(({ id }) => id)}`;
    await this.#work.run(name, () => fetchParts(this.#content, lacking, kinds));
    if (limits?.signal?.aborted) throw new Aborted(limits.signal.reason);
  }

  /** All of one moment, so that a merge is seen as a whole or not at all. */
  async present(): Promise<StoredSegment[]> {
    // The answer leaves out what was held when it was requested, whatever another request has put there since.
    const before = this.#held;
    const rows = await this.#content.rows("segments", { except: [...before.keys()] });
    this.#held = new Map(rows.map((row) => [row.id, before.get(row.id) ?? new StoredSegment(row)]));
    return [...this.#held.values()];
  }
}

/** Fetches these parts of these segments, as far as they are missing. Throws `SegmentReplaced`. */
export async function fetchParts(
  content: Content,
  segments: readonly StoredSegment[],
  kinds: readonly number[],
): Promise<void> {
  const parts = segments.flatMap((stored) => stored.missingParts(kinds));
  if (parts.length === 0) return;
  const byId = new Map(segments.map((stored) => [stored.id, stored]));
  for (const { owner, start, bytes } of await content.blobs({ kind: "part", parts }))
    byId.get(owner)!.take(start, bytes);
  const lacking = segments.filter((stored) => stored.missingParts(kinds).length > 0);
  if (lacking.length === 0) return;
  const present = new Set((await content.rows("segments", { except: [...byId.keys()] })).map(({ id }) => id));
  if (lacking.some(({ id }) => !present.has(id))) throw new SegmentReplaced();
  throw new CorruptionError(`a part of segment ${lacking[0]!.id} is missing`);
}

function wordsOf(bytes: Uint8Array): Uint32Array {
  const copy = bytes.slice();
  return new Uint32Array(copy.buffer, copy.byteOffset, copy.length / 4);
}
