/** File versions as plain maps, decoded from their segment: the slow and obvious form of an index. */
import type { FileRecord } from "../../../src/model/code.ts";
import type { Facts } from "../../../src/model/edges.ts";
import type { TrigramPlan } from "../../../src/model/grep.ts";
import type { FileId } from "../../../src/model/ids.ts";
import type { FileRow } from "../../../src/ports/snapshot.ts";
import type { FileBatch, StoredFile } from "../../../src/ports/versions.ts";
import { decodeFacts } from "../../../src/segment/facts.ts";
import { openSegment, type Segment, symbolsWithId } from "../../../src/segment/read.ts";
import { decodeRecord, decodeText } from "../../../src/segment/stored-content.ts";

export interface Version {
  readonly row: FileRow;
  readonly stored: StoredFile;
  readonly record: FileRecord;
  readonly text: string;
  readonly facts: Facts;
  /** By the model's fingerprint. */
  readonly vectors: Map<string, Uint8Array>;
  /** Term frequencies by chunk. */
  readonly chunks: readonly ReadonlyMap<string, number>[];
  /** Indexes of the symbols with this id. */
  withId(id: string): readonly number[];
  /** Whether the plan accepts the file. */
  admits(plan: TrigramPlan): boolean;
}

export function versionsOf(batch: FileBatch, nextId: () => number): Version[] {
  const segment = openSegment(batch.segment);
  if (segment.fileCount !== batch.files.length) throw new Error("the segment does not belong to these files");
  const counts = countsByChunk(segment);
  return batch.files.map((stored, slot) => ({
    row: { id: nextId() as FileId, path: stored.path, language: stored.language, contentHash: stored.contentHash },
    stored,
    record: decodeRecord(stored.record),
    text: decodeText(stored.text),
    vectors: new Map(batch.model !== undefined && stored.vectors ? [[batch.model, stored.vectors]] : []),
    facts: decodeFacts(stored.facts),
    chunks: counts.slice(segment.fileChunks[slot]!, segment.fileChunks[slot + 1]!),
    withId: (id) => symbolsWithId(segment, id).flatMap((place) => (place.file === slot ? [place.index] : [])),
    admits: (plan) => segment.trigrams.candidates(plan)[slot] === 1,
  }));
}

function countsByChunk(segment: Segment): ReadonlyMap<string, number>[] {
  const counts = Array.from({ length: segment.chunkCount }, () => new Map<string, number>());
  for (let at = 0; at < segment.terms.size; at++) {
    const term = segment.terms.at(at);
    segment.postings.each(at, (chunk, count) => counts[chunk]!.set(term, count));
  }
  return counts;
}
