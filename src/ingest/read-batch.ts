/**
 * What a parse worker does with one request: reads and hashes the files, asks which contents are known, reads the rest
 * into records and builds their segment. In two steps, so that a worker can fetch the next request's files meanwhile.
 */

import { type FileRecord, isParseFailure, type Problem, type SkipReason } from "../model/code.ts";
import type { ContentHash, Hash } from "../model/ids.ts";
import type { DocumentEncoder } from "../ports/embedder.ts";
import type { Files, ReadResult } from "../ports/files.ts";
import type { Grammars } from "../ports/grammars.ts";
import type { BlobNames } from "../ports/indexer.ts";
import type { ReadOutcome, ReadRequest, ReadResults, ReadTask } from "../ports/parsers.ts";
import type { StoredFile, VersionKey } from "../ports/versions.ts";
import { type SegmentBuilder, segmentBuilder } from "../segment/build.ts";
import { encodeFacts } from "../segment/facts.ts";
import { encodeRecord, encodeText, type Seal, seal, sealUncompressed } from "../segment/stored-content.ts";
import { countFileWords, indexFile } from "./document.ts";
import { embedFile } from "./embed.ts";
import { extractorId, textOnly } from "./extractor.ts";
import { type FileReading, readFile } from "./read-file.ts";

export interface ReadPorts {
  readonly files: Files;
  readonly grammars: Grammars;
  readonly hash: Hash;
  /** Git's name of a content. */
  readonly blobId?: (bytes: Uint8Array, names: BlobNames) => string;
  /** Absent: files are stored without vectors. */
  readonly encoder?: DocumentEncoder;
  /** Told before each file, with its position among the tasks: where a crash happened. */
  readonly at?: (task: number) => void;
}

export type BatchRequest = Omit<ReadRequest, "known" | "signal">;

/** A file whose content is not what the view shows. */
interface FetchedFile {
  readonly task: number;
  readonly bytes: Uint8Array;
  readonly stamp: string;
  readonly key: VersionKey;
}

export interface FetchedBatch {
  /** By task; a hole where the content must be looked at. */
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

/** Whether the file on disk has the content that is wanted; what was taken from git is what it was asked for. */
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
  // A stamp of the disk's would be a claim about the disk.
  if (task.bytes !== undefined) return { ok: true, bytes: task.bytes, stamp: "" };
  return files.read(root, task.path, settings.maxFileBytes);
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
  // What became something else while the walk went on has no file's stamp: the next walk tells of it by itself.
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
  const segment: OpenSegment = { builder: segmentBuilder(), files: [], records: [] };
  for (const it of fetched) {
    ports.at?.(it.task);
    const known = { path: it.key.path, stamp: it.stamp, version: it.key, symbols: 0 };
    outcomes[it.task] = isKnown(it.key) ? known : await readOne(request, it, segment, ports);
  }
  const { builder, files, records } = segment;
  return {
    outcomes: outcomes.filter((outcome) => outcome !== undefined),
    batches: files.length === 0 ? [] : [{ files, segment: builder.finish(), ...modelOf(ports) }],
    ...(request.purpose === "records" && { records }),
  };
}

function modelOf({ encoder }: ReadPorts): { readonly model?: string } {
  return encoder === undefined ? {} : { model: encoder.model.fingerprint };
}

interface OpenSegment {
  readonly builder: SegmentBuilder;
  readonly files: StoredFile[];
  readonly records: FileRecord[];
}

async function readOne(
  request: BatchRequest,
  it: FetchedFile,
  segment: OpenSegment,
  ports: ReadPorts,
): Promise<ReadOutcome> {
  const { stamp } = it;
  const { path } = it.key;
  const only = request.purpose === "records" ? { only: "definitions" as const } : {};
  const source = { ...sourceOf(request.tasks[it.task]!, it), ...only };
  const reading = await readFile(source, ports.grammars, request.settings);
  if ("skip" in reading) return { path, stamp, skip: reading.skip };
  const problem = worstProblem(reading.record.problems);
  const key = {
    ...it.key,
    contentHash: indexedHash(reading, ports.hash),
    ...(isParseFailure(problem) && { extractor: textOnly(it.key.extractor) }),
  };
  if (request.purpose === "records") segment.records.push(reading.record);
  else {
    const { text } = reading;
    const record = { ...reading.record, contentHash: key.contentHash };
    const words = countFileWords(reading);
    indexFile(segment.builder, { ...reading, words }, { project: request.project, hash: ports.hash });
    const { earlier, blob = computeBlobId(it.bytes, request, ports) } = request.tasks[it.task]!;
    // It will be compressed as its difference to that version.
    const by = earlier === undefined ? seal : sealUncompressed;
    const file = {
      ...encodeStoredFile(key, { ...reading, record }, by),
      ...(blob !== undefined && { blob }),
      ...(problem && { problem }),
    };
    segment.files.push({ ...file, ...embedFile({ record, text, words }, ports.encoder, earlier) });
  }
  return { path, stamp, version: key, symbols: reading.record.symbols.length };
}

function worstProblem(problems: readonly Problem[]): Problem["kind"] | undefined {
  const kinds = problems.map(({ kind }) => kind);
  // Most C files have a macro that is no C: an error in them costs a symbol at most, and would hide what costs them all.
  return kinds.find(isParseFailure) ?? kinds.find((kind) => kind !== "parse_error");
}

/**
 * Stores keep a text once for all versions with its hash, also for those that another setting or release has read: a
 * masked text must not be known by the hash of the file that it was made of.
 */
function indexedHash({ record, text, masked }: FileReading, hash: Hash): ContentHash {
  return masked ? (hash(encoder.encode(text)) as ContentHash) : record.contentHash;
}

const encoder = new TextEncoder();

function sourceOf(task: ReadTask, { bytes, key }: FetchedFile) {
  return { path: task.path, bytes, contentHash: key.contentHash, ...(task.mode && { mode: task.mode }) };
}

function encodeStoredFile(key: VersionKey, { record, text, ascii, facts }: FileReading, by: Seal): StoredFile {
  return {
    ...key,
    language: record.language,
    symbolCount: record.symbols.length,
    chunkCount: record.chunks.length,
    byteCount: record.byteCount,
    record: encodeRecord(record, by),
    text: encodeText(ascii ?? text, by),
    facts: encodeFacts(facts, by),
  };
}
