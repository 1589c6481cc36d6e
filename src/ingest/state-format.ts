/**
 * The format of an exported index: the content of its views, independent of the store. Without dates, stamps, row numbers
 * and segments, equal states give equal bytes on every machine and engine. Imported data is checked completely.
 */
import { type FileRecord, SKIP_REASONS, type SkipReason } from "../model/code.ts";
import { CONNECTION_KINDS } from "../model/connections.ts";
import { EDGE_KINDS, type Facts } from "../model/edges.ts";
import { type CompassError, refusedArchive } from "../model/errors.ts";
import type { ContentHash } from "../model/ids.ts";
import { KINDS } from "../model/kinds.ts";
import type { MemberSum } from "../ports/archive.ts";
import type { ViewChange } from "../ports/snapshot.ts";
import type { VersionKey } from "../ports/versions.ts";
import { ByteCursor } from "../segment/bytes.ts";

/** The members, in their order. */
export const MEMBERS = { manifest: "manifest.json", views: "views.jsonl", files: "files.bin" } as const;

/** Increased when older releases cannot read the format. */
export const FORMAT_VERSION = 1;

export interface Manifest {
  readonly format: "codecompass-state";
  readonly format_version: number;
  readonly product_version: string;
  readonly schema_version: number;
  readonly extractor: string;
  readonly project_id: string;
  /** The view that the others are stored as differences to. */
  readonly base_ref: string;
  readonly refs: readonly { readonly ref: string; readonly commit: string | null; readonly files: number }[];
  readonly members: readonly MemberSum[];
}

/** Starts a view; its entries, or its changes to the base, follow. */
export interface ViewLine {
  readonly view: string;
  readonly commit?: string;
  readonly uncounted?: Readonly<Record<string, number>>;
}

/** One path of a view. */
export type EntryLine =
  | { readonly path: string; readonly hash: ContentHash; readonly extractor: string }
  | { readonly path: string; readonly skip: string }
  | { readonly path: string; readonly removed: true };

/** Precedes the three contents of a file: record, text, facts. */
export interface FrameHead {
  readonly path: string;
  readonly hash: ContentHash;
  readonly extractor: string;
  readonly language: string;
  readonly bytes: number;
  readonly problem?: string;
  readonly blob?: string;
  readonly sizes: readonly [record: number, text: number, facts: number];
}

/** Identifies a file version. */
export function versionText({ path, contentHash, extractor }: VersionKey): string {
  return `${contentHash}\0${extractor}\0${path}`;
}

export function entryLine(change: ViewChange): EntryLine {
  const { path } = change;
  if ("removed" in change) return { path, removed: true };
  if ("skip" in change) return { path, skip: change.skip };
  return { path, hash: change.version.contentHash, extractor: change.version.extractor };
}

export function refuseArchive(reason: string, cause?: unknown): CompassError {
  return refusedArchive(`the archive ${reason}`, cause);
}

const MAX_PATH = 4096;
const MAX_REF = 512;
const HASH = /^[0-9a-f]{64}$/;
const OBJECT_ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

export function checkManifest(manifest: Manifest, schemaVersion: number): void {
  must(isObject(manifest) && manifest.format === "codecompass-state", "is not an exported state");
  const newer = manifest.format_version > FORMAT_VERSION || manifest.schema_version > schemaVersion;
  must(!newer, "was made by a newer release: update codecompass first");
  must(manifest.format_version === FORMAT_VERSION && Number.isSafeInteger(manifest.schema_version), "has no version");
  const { refs, members, base_ref } = manifest;
  must(Array.isArray(refs) && refs.length > 0 && refs.every(({ ref }) => isRef(ref)), "has a manifest without refs");
  must(new Set(refs.map(({ ref }) => ref)).size === refs.length && refs[0]!.ref === base_ref, "names its refs twice");
  const named = Array.isArray(members) && members.map((member) => member.name).join();
  must(named === [MEMBERS.views, MEMBERS.files].join(), "has a manifest that lists other members");
  must(
    members.every(({ size, sha256 }) => isCount(size) && HASH.test(sha256)),
    "has a manifest without checksums",
  );
}

export function checkEntry(entry: EntryLine): void {
  must(isObject(entry) && isPath(entry.path), "has a path that leads out of the tree");
  if ("removed" in entry) return;
  if ("skip" in entry) must(isSkip(entry.skip), "has an unknown reason");
  else must(HASH.test(entry.hash) && isWord(entry.extractor), "has an entry without a version");
}

export function isSkip(word: unknown): word is SkipReason {
  return (SKIP_REASONS as readonly unknown[]).includes(word);
}

export function isRef(ref: unknown): ref is string {
  return typeof ref === "string" && ref.length > 0 && ref.length <= MAX_REF && !hasControl(ref);
}

export function isCommit(commit: unknown): commit is string {
  return typeof commit === "string" && OBJECT_ID.test(commit);
}

export function checkHead(head: FrameHead): void {
  must(isObject(head) && isPath(head.path) && !head.path.endsWith("/"), "has a path that leads out of the tree");
  must(HASH.test(head.hash) && isWord(head.extractor) && isWord(head.language), "has a file without a version");
  must(isCount(head.bytes) && (head.blob === undefined || OBJECT_ID.test(head.blob)), "has a file without a size");
  must(head.problem === undefined || isWord(head.problem), "has a file with an unknown problem");
}

/** Checks the record against the frame's head and text; all positions must be inside the text. */
export function checkRecord(record: FileRecord, head: FrameHead, text: string): void {
  const { path, contentHash, language, lineCount, byteCount, symbols, chunks, problems } = record;
  must(path === head.path && contentHash === head.hash, "has the record of another file");
  must(language === head.language && byteCount === head.bytes, "has the record of another file");
  must(isCount(lineCount) && lineCount <= text.length + 1 && Array.isArray(problems), "has a damaged record");
  for (const [at, { kind, name, qualifiedName, span, parent, ordinal }] of symbols.entries()) {
    must(KINDS.includes(kind) && isText(name) && isText(qualifiedName) && isCount(ordinal), "has a damaged symbol");
    must(isCount(span.start) && span.start <= span.end && span.end <= text.length, "has a symbol outside its file");
    must(
      span.lineStart >= 1 && span.lineStart <= span.lineEnd && span.lineEnd <= lineCount + 1,
      "has a symbol outside it",
    );
    must(parent === undefined || (isCount(parent) && parent < at), "has a symbol with an unknown parent");
  }
  for (const { lineStart, lineEnd, symbol } of chunks) {
    must(lineStart >= 1 && lineStart <= lineEnd && lineEnd <= lineCount, "has a chunk outside its file");
    must(symbol === undefined || (isCount(symbol) && symbol < symbols.length), "has a chunk of an unknown symbol");
  }
}

/** Called before decoding: a forged count would exhaust the memory. */
export function checkFactsSize(bytes: Uint8Array): void {
  const cursor = new ByteCursor(bytes, 0);
  const words = cursor.varint();
  must(words <= bytes.length, "has damaged facts");
  cursor.at += words;
  const sites = cursor.at < bytes.length ? cursor.varint() : Number.NaN;
  must(sites * FEWEST_SITE_BYTES <= bytes.length - cursor.at, "has damaged facts");
}

/** A use of a name has six numbers of at least one byte. */
const FEWEST_SITE_BYTES = 6;

export function checkFacts(facts: Facts, record: FileRecord): void {
  const { sites, names, definitions, connections = [] } = facts;
  must(definitions.length <= record.symbols.length && names.every(isText), "has damaged facts");
  for (let i = 0; i < sites.count; i++) {
    must(sites.names[i]! < names.length && sites.kinds[i]! < EDGE_KINDS.length, "has a use of an unknown name");
    must(sites.from[i]! < record.symbols.length && sites.bound[i]! < record.symbols.length, "has damaged facts");
    must(sites.lines[i]! >= 1 && sites.lines[i]! <= record.lineCount, "has a use outside its file");
  }
  for (const { kind, key, line, from } of connections) {
    must(CONNECTION_KINDS.includes(kind) && isText(key), "has a damaged connection");
    must(line >= 1 && line <= record.lineCount && from < record.symbols.length, "has a connection outside its file");
  }
}

export function must(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw refuseArchive(otherwise);
}

function isPath(path: unknown): path is string {
  if (typeof path !== "string" || path === "" || path.length > MAX_PATH || path.includes("\0")) return false;
  return !path.startsWith("/") && path.split("/").every((part, at, all) => isStep(part) || isLastSlash(part, at, all));
}

function isStep(part: string): boolean {
  return part !== "" && part !== "." && part !== "..";
}

/** The path of a skipped directory ends in a slash. */
function isLastSlash(part: string, at: number, all: readonly string[]): boolean {
  return part === "" && at > 0 && at === all.length - 1;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isWord(value: unknown): value is string {
  return typeof value === "string" && /^[\w.@+#-]{1,64}$/.test(value);
}

function hasControl(text: string): boolean {
  return /[\0-\x1f\x7f]/.test(text);
}
