/**
 * The segments of a repository, read part by part: a question says which parts it needs, they are fetched for all segments
 * of its view at once, and then it is answered from memory, by the same code as in every engine.
 */
import type { Limits } from "../../ports/limits.ts";
import { CorruptionError } from "../../segment/bytes.ts";
import { type LoadBytes, PART, readHead, type SectionReader } from "../../segment/format.ts";
import { type Segment, segmentFromSections } from "../../segment/read.ts";
import { TextView } from "../../segment/view.ts";
import { contentTable, nodeOf } from "./data-nodes.ts";
import type { Asking } from "./query-interface.ts";
import { SharedWork } from "./shared-work.ts";
import type { IndexedFile, ViewState } from "./view-state.ts";

export type PartKind = (typeof PART)[keyof typeof PART];

/** The segment was merged into another one since it was listed: whoever uses it takes the present ones instead. */
export class SegmentReplaced extends Error {}

/** A segment of the repository, as far as it was read. */
export class StoredSegment {
  readonly id: number;
  readonly versions: Uint32Array;
  readonly #sections: SectionReader;
  readonly #parts: { readonly kind: number; readonly start: number; readonly end: number; bytes?: Uint8Array }[];
  #segment: Segment | undefined;

  constructor({ id, versions, head }: SegmentRow) {
    this.id = id;
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

  lacks(kinds: readonly number[]): boolean {
    return this.#parts.some(({ kind, bytes }) => bytes === undefined && kinds.includes(kind));
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

interface SegmentRow {
  readonly id: number;
  readonly versions: Uint8Array;
  readonly head: Uint8Array;
}

/** The full text and the names of a view. */
export interface OpenView {
  readonly text: TextView<IndexedFile>;
  readonly segments: readonly StoredSegment[];
}

export class Segments {
  readonly #asking: Asking;
  #held = new Map<number, StoredSegment>();
  readonly #fetching: SharedWork;

  constructor(asking: Asking) {
    this.#asking = asking;
    this.#fetching = new SharedWork(asking);
  }

  /** Throws `CorruptionError` when a file of the view is in no segment. */
  async open(state: ViewState, limits?: Limits): Promise<OpenView> {
    const present = await this.#present(state, limits);
    const byVersion = new Map<number, IndexedFile>();
    for (const file of state.files.values()) byVersion.set(file.id, file);
    const shown: { stored: StoredSegment; files: (IndexedFile | undefined)[] }[] = [];
    let found = 0;
    for (const stored of present) {
      const files = Array.from(stored.versions, (version) => byVersion.get(version));
      const count = files.reduce((sum, file) => sum + (file ? 1 : 0), 0);
      if (count > 0) shown.push({ stored, files });
      found += count;
    }
    if (found !== byVersion.size) throw new CorruptionError(`${byVersion.size - found} files are in no segment`);
    const segments = shown.map(({ stored }) => stored);
    await fetchParts(this.#asking, state.repo, segments, [PART.files], limits);
    return { segments, text: new TextView(shown.map(({ stored, files }) => ({ segment: stored.segment, files }))) };
  }

  /** What a question needs of the view's segments. Whoever needs the same at the same moment waits for the same. */
  async fetch({ repo }: ViewState, { segments }: OpenView, kinds: readonly PartKind[]): Promise<void> {
    const lacking = segments.filter((stored) => stored.lacks(kinds));
    if (lacking.length === 0) return;
    const name = `${kinds} of ${lacking.map(({ id }) => id)}`;
    await this.#fetching.run(name, () => fetchParts(this.#asking, repo, lacking, kinds));
  }

  /** In one question, so that a merge is seen as a whole or not at all. */
  async #present({ repo, epoch }: ViewState, limits?: Limits): Promise<StoredSegment[]> {
    const sql = `SELECT id, CASE WHEN id <> ALL($3) THEN versions END AS versions,
        CASE WHEN id <> ALL($3) THEN head END AS head
      FROM codecompass.segment WHERE repo = $1 AND epoch = $2 ORDER BY id`;
    // The answer leaves out what was held when it was asked for, whatever another request has put there since.
    const before = this.#held;
    const rows = await this.#asking.rows<SegmentRow>(sql, [repo, epoch, [...before.keys()]], { limits });
    const held = new Map(rows.map((row) => [row.id, before.get(row.id) ?? new StoredSegment(row)]));
    this.#held = held;
    return [...held.values()];
  }
}

/** Fetches these parts of these segments, as far as they are missing. Throws `SegmentReplaced`. */
export async function fetchParts(
  asking: Asking,
  repo: number,
  segments: readonly StoredSegment[],
  kinds: readonly number[],
  limits?: Limits,
): Promise<void> {
  const lacking = segments.filter((stored) => stored.lacks(kinds));
  if (lacking.length === 0) return;
  const byId = new Map(lacking.map((stored) => [stored.id, stored]));
  const sql = `SELECT segment::integer, start, bytes FROM ${contentTable(asking, "segment_part")}
    WHERE repo = ${int(repo)} AND segment IN (${lacking.map(({ id }) => int(id))}) AND kind IN (${kinds.map(int)})`;
  for (const row of await asking.bytes(sql, { limits, node: nodeOf(repo) })) {
    const [segment, start, bytes] = row as [Buffer, Buffer, Buffer];
    // A copy on a word boundary: sections are read as words, and the stream's memory can go.
    byId.get(segment.readInt32BE())!.take(start.readInt32BE(), new Uint8Array(bytes));
  }
  if (lacking.some((stored) => stored.lacks(kinds))) throw await whyLacking(asking, repo, lacking, kinds);
}

/** Stands in the statement's text: anything but a whole number would be somebody's mistake. */
function int(value: number): number {
  if (!Number.isSafeInteger(value)) throw new Error("not a whole number");
  return value;
}

async function whyLacking(
  asking: Asking,
  repo: number,
  segments: readonly StoredSegment[],
  kinds: readonly number[],
): Promise<Error> {
  const ids = segments.filter((stored) => stored.lacks(kinds)).map(({ id }) => id);
  const sql = "SELECT id FROM codecompass.segment WHERE repo = $1 AND id = ANY($2)";
  const present = await asking.rows<{ id: number }>(sql, [repo, ids]);
  return present.length < ids.length
    ? new SegmentReplaced()
    : new CorruptionError(`a part of segment ${present[0]!.id} is missing`);
}

export function wordsOf(bytes: Uint8Array): Uint32Array {
  if (bytes.length % 4 !== 0) throw new CorruptionError("a segment's list of files is damaged");
  const copy = bytes.slice();
  return new Uint32Array(copy.buffer, copy.byteOffset, copy.length / 4);
}

export function bytesOf(words: Uint32Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}
