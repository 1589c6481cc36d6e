/**
 * The work of a parse worker on one request, in two steps, so that it can fetch the files of the next request meanwhile:
 * read and hash the files; then turn those that the store does not have into records and build their segment.
 */

import { type FileRecord, isParseFailure, type Problem, type SkipReason } from "../model/code.ts";
import type { ContentHash, Hash } from "../model/ids.ts";
import type { DocumentEncoder } from "../ports/embedder.ts";
import type { Files, ReadResult } from "../ports/files.ts";
import type { Grammars } from "../ports/grammars.ts";
import type { BlobNames } from "../ports/indexer.ts";
import type { ReadOutcome, ReadRequest, ReadResults, ReadTask } from "../ports/parsers.ts";
import type { StoredFile, VersionKey } from "../ports/versions.ts";
import { SegmentBuilder } from "../segment/build.ts";
import { encodeFacts } from "../segment/facts.ts";
import { encodeRecord, encodeText } from "../segment/stored-content.ts";
import { readLimit } from "./classify.ts";
import { countFileWords, indexFile } from "./document.ts";
import { embedFile } from "./embed.ts";
import { extractorId, textOnly } from "./extractor.ts";
import { type FileReading, readFile } from "./read-file.ts";

export interface ReadPorts {
  readonly files: Files;
  readonly grammars: Grammars;
  readonly hash: Hash;
  /** Computes a git blob id. */
  readonly blobId?: (bytes: Uint8Array, names: BlobNames) => string;
  /** Absent: files are stored without vectors. */
  readonly encoder?: DocumentEncoder;
  /** Called with the task number before each file, so that a crash can be located. */
  readonly at?: (task: number) => void;
}

export type BatchRequest = Omit<ReadRequest, "known" | "signal">;

/** A file whose content differs from the view. */
interface FetchedFile {
  readonly task: number;
  readonly bytes: Uint8Array;
  readonly stamp: string;
  readonly key: VersionKey;
}

export interface FetchedBatch {
  /** By task; undefined where the content must be read. */
  readonly outcomes: (ReadOutcome | undefined)[];
  readonly fetched: readonly FetchedFile[];
}

export async function fetchBatch(
  request: BatchRequest,
  ports: Pick<ReadPorts, "files" | "hash" | "blobId">,
): Promise<FetchedBatch> {
  const outcomes: (ReadOutcome | undefined)[] = [];
  const fetched: FetchedFile[] = [];
  const extractor = extractorId(request.settings);
  for (const [at, task] of request.tasks.entries()) {
    const result = await readContent(task, request, ports);
    if (!hasExpectedContent(task, result, request, ports)) {
      outcomes.push({ path: task.path, elsewhere: true });
      continue;
    }
    if (!result.ok) {
      outcomes.push(unreadOutcome(task, result.reason));
      continue;
    }
    const contentHash = ports.hash(result.bytes) as ContentHash;
    const { bytes, stamp } = result;
    const same = contentHash === task.indexedAs;
    outcomes.push(same ? { path: task.path, stamp, unchanged: true } : undefined);
    if (!same) fetched.push({ task: at, bytes, stamp, key: { path: task.path, contentHash, extractor } });
  }
  return { outcomes, fetched };
}

/** Whether the file on disk has the content of the commit; content from git always has. */
function hasExpectedContent(
  { blob, bytes }: ReadTask,
  result: ReadResult,
  request: BatchRequest,
  ports: Pick<ReadPorts, "blobId">,
): boolean {
  return (
    blob === undefined || bytes !== undefined || (result.ok && computeBlobId(result.bytes, request, ports) === blob)
  );
}

async function readContent(
  task: ReadTask,
  { root, settings }: BatchRequest,
  { files }: Pick<ReadPorts, "files">,
): Promise<ReadResult> {
  if (task.unreadable) return { ok: false, reason: "unreadable" };
  // Content from git has no stamp, which would describe the file on disk.
  if (task.bytes !== undefined) return { ok: true, bytes: task.bytes, stamp: "" };
  return files.read(root, task.path, readLimit(task.path, settings));
}

function computeBlobId(
  bytes: Uint8Array,
  { blobs }: BatchRequest,
  { blobId }: Pick<ReadPorts, "blobId">,
): string | undefined {
  return blobs && blobId?.(bytes, blobs);
}

function unreadOutcome({ path, stamp }: ReadTask, reason: SkipReason | "gone"): ReadOutcome {
  if (reason === "gone") return { path, gone: true };
  // An entry that is not a file any more has no stamp: the next walk reports it.
  const isFile = reason !== "symlink" && reason !== "not_regular";
  return { path, skip: reason, ...(stamp !== undefined && isFile && { stamp }) };
}

/** `isKnown`: whether the store has the version already. */
export async function readBatch(
  request: BatchRequest,
  { outcomes, fetched }: FetchedBatch,
  isKnown: (key: VersionKey) => boolean,
  ports: ReadPorts,
): Promise<ReadResults> {
  const segment: OpenSegment = { builder: new SegmentBuilder(), files: [], records: [] };
  for (const it of fetched) {
    ports.at?.(it.task);
    const known = { path: it.key.path, stamp: it.stamp, version: it.key, symbols: 0 };
    outcomes[it.task] = isKnown(it.key) ? known : await readOne(request, it, segment, ports);
  }
  const { builder, files, records } = segment;
  const model = ports.encoder?.model.fingerprint;
  return {
    outcomes: outcomes.filter((outcome) => outcome !== undefined),
    batches: files.length === 0 ? [] : [{ files, segment: builder.finish(), ...(model !== undefined && { model }) }],
    ...(request.purpose === "records" && { records }),
  };
}

interface OpenSegment {
  readonly builder: SegmentBuilder;
  readonly files: StoredFile[];
  readonly records: FileRecord[];
}

async function readOne(
  request: BatchRequest,
  { task: number, bytes, stamp, key: wanted }: FetchedFile,
  segment: OpenSegment,
  ports: ReadPorts,
): Promise<ReadOutcome> {
  const { path } = wanted;
  const { mode, blob = computeBlobId(bytes, request, ports) } = request.tasks[number]!;
  const onlyRecords = request.purpose === "records";
  const source = {
    ...{ path, bytes, contentHash: wanted.contentHash },
    ...(mode && { mode }),
    ...(onlyRecords && { only: "definitions" as const }),
  };
  const reading = await readFile(source, ports.grammars, request.settings);
  if ("skip" in reading) return { path, stamp, skip: reading.skip };
  const problem = worstProblem(reading.record.problems);
  const version = {
    ...wanted,
    contentHash: indexedHash(reading, ports.hash),
    ...(isParseFailure(problem) && { extractor: textOnly(wanted.extractor) }),
  };
  if (onlyRecords) segment.records.push(reading.record);
  else {
    const { text, facts } = reading;
    const record = { ...reading.record, contentHash: version.contentHash };
    const words = countFileWords(reading);
    indexFile(segment.builder, { ...reading, words }, { project: request.project, hash: ports.hash });
    segment.files.push({
      ...version,
      language: record.language,
      symbolCount: record.symbols.length,
      chunkCount: record.chunks.length,
      byteCount: record.byteCount,
      record: encodeRecord(record),
      text: encodeText(text),
      facts: encodeFacts(facts),
      ...(blob !== undefined && { blob }),
      ...(problem && { problem }),
      ...embedFile({ record, words }, ports.encoder),
    });
  }
  return { path, stamp, version, symbols: reading.record.symbols.length };
}

function worstProblem(problems: readonly Problem[]): Problem["kind"] | undefined {
  const kinds = problems.map(({ kind }) => kind);
  // Most C files have syntax errors because of macros. They cost a symbol at most and would hide worse problems.
  return kinds.find(isParseFailure) ?? kinds.find((kind) => kind !== "parse_error" && kind !== "generated");
}

/**
 * Stores keep a text once per hash, for all settings and releases: a masked text must not be stored under the hash of the
 * original file.
 */
function indexedHash({ record, text, masked }: FileReading, hash: Hash): ContentHash {
  return masked ? (hash(encoder.encode(text)) as ContentHash) : record.contentHash;
}

const encoder = new TextEncoder();
