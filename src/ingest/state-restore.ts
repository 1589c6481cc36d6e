/** Imports an exported state into a store: everything is checked, and only a complete archive is committed. */
import type { FileRecord } from "../model/code.ts";
import type { Facts } from "../model/edges.ts";
import { CompassError } from "../model/errors.ts";
import type { Hash, JobId, ProjectId } from "../model/ids.ts";
import type { ArchiveLimits, OpenMember } from "../ports/archive.ts";
import type { Build } from "../ports/build.ts";
import type { Embedder } from "../ports/embedder.ts";
import type { ViewChange } from "../ports/snapshot.ts";
import type { ContentRestore } from "../ports/store.ts";
import type { StoredFile } from "../ports/versions.ts";
import { SegmentBuilder } from "../segment/build.ts";
import { decodeFacts } from "../segment/facts.ts";
import { unpackRecord } from "../segment/record-columns.ts";
import { encodeRecord, encodeVectors, seal, TAG } from "../segment/stored-content.ts";
import { chunkPassages, countFileWords, indexFile, type ReadFile } from "./document.ts";
import {
  checkEntry,
  checkFacts,
  checkFactsSize,
  checkHead,
  checkManifest,
  checkRecord,
  type EntryLine,
  type FrameHead,
  isCommit,
  isRef,
  isSkip,
  type Manifest,
  MEMBERS,
  must,
  refuseArchive,
  type ViewLine,
  versionText,
} from "./state-format.ts";

/** Two gigabytes, and at most two hundred times the size of the archive. */
export const STATE_LIMITS: ArchiveLimits = {
  names: Object.values(MEMBERS),
  maxBytes: 2 ** 31,
  maxRatio: 200,
};

/** The batch limits of a build. */
const BATCH_BYTES = 3_000_000;
const BATCH_FILES = 500;

interface RestoreOptions {
  readonly project: ProjectId;
  readonly hash: Hash;
  readonly schemaVersion: number;
  readonly jobId: string;
  readonly now: number;
  readonly signal: AbortSignal;
  /** The local name of a view of the archive. */
  viewOf(name: string): string;
  /** The base view of this store. */
  readonly base: string;
  /** Creates the vectors, which are not in the archive. */
  readonly embedder?: Embedder;
}

/** Fills `into`; the caller commits. */
export async function restoreState(
  members: AsyncIterable<OpenMember>,
  into: ContentRestore,
  options: RestoreOptions,
): Promise<{ readonly manifest: Manifest; readonly files: number }> {
  let manifest: Manifest | undefined;
  let views: readonly ArchivedView[] = [];
  const stored = new Set<string>();
  for await (const member of members) {
    if (member.name === MEMBERS.manifest) manifest = await readManifest(member, options.schemaVersion);
    else if (member.name === MEMBERS.views) views = await readViews(member, manifest!);
    else await readFiles(member, await into.begin(options.viewOf(manifest!.base_ref)), options, stored);
    if (member.name !== MEMBERS.manifest) checkSum(member, manifest!);
  }
  await publishViews(views, stored, into, options);
  return { manifest: manifest!, files: stored.size };
}

interface ArchivedView {
  readonly ref: string;
  readonly commit?: string;
  readonly uncounted: Readonly<Record<string, number>>;
  readonly changes: ViewChange[];
}

const MOST_MANIFEST_BYTES = 4 << 20;

async function readManifest(member: OpenMember, schemaVersion: number): Promise<Manifest> {
  must(member.size <= MOST_MANIFEST_BYTES, "has a manifest that is too large");
  const decoder = new TextDecoder();
  let text = "";
  for await (const part of member.content()) text += decoder.decode(part, { stream: true });
  try {
    const manifest = JSON.parse(text) as Manifest;
    checkManifest(manifest, schemaVersion);
    return manifest;
  } catch (error) {
    throw error instanceof SyntaxError || error instanceof TypeError ? refuseArchive("has a damaged manifest") : error;
  }
}

async function readViews(member: OpenMember, { refs }: Manifest): Promise<readonly ArchivedView[]> {
  const views: ArchivedView[] = [];
  for await (const line of readLines(member.content())) {
    if (typeof (line as ViewLine).view === "string") views.push(readViewLine(line as ViewLine));
    else {
      checkEntry(line as EntryLine);
      must(views.length > 0, "has entries of no view");
      views.at(-1)!.changes.push(toChange(line as EntryLine));
    }
  }
  must(
    views.map(({ ref }) => ref).join("\0") === refs.map(({ ref }) => ref).join("\0"),
    "has other views than it says",
  );
  return views;
}

function readViewLine({ view, commit, uncounted = {} }: ViewLine): ArchivedView {
  must(isRef(view) && (commit === undefined || isCommit(commit)), "has a view without a name");
  must(
    Object.entries(uncounted).every(([reason, count]) => isSkip(reason) && count > 0),
    "has a view of nothing",
  );
  return { ref: view, ...(commit !== undefined && { commit }), uncounted, changes: [] };
}

function toChange(line: EntryLine): ViewChange {
  const { path } = line;
  if ("removed" in line) return { path, removed: true };
  if ("skip" in line) return { path, skip: line.skip as never };
  return { path, version: { path, contentHash: line.hash, extractor: line.extractor } };
}

async function readFiles(
  member: OpenMember,
  build: Build,
  options: RestoreOptions,
  stored: Set<string>,
): Promise<void> {
  const batch = new RestoreBatch(build, options);
  for await (const frame of readFrames(member.content())) {
    options.signal.throwIfAborted();
    const { stored: file } = frame;
    must(!stored.has(versionText(file)), "has a file twice");
    stored.add(versionText(file));
    await batch.add(file, frame);
  }
  await batch.flush();
}

class RestoreBatch {
  readonly #build: Build;
  readonly #options: RestoreOptions;
  #builder = new SegmentBuilder();
  #files: StoredFile[] = [];
  #bytes = 0;

  constructor(build: Build, options: RestoreOptions) {
    this.#build = build;
    this.#options = options;
  }

  async add(file: StoredFile, read: ReadFile): Promise<void> {
    indexFile(this.#builder, { ...read, words: countFileWords(read) }, this.#options);
    this.#files.push({ ...file, ...(await this.#vectorsOf(read)) });
    this.#bytes += file.byteCount;
    if (this.#bytes >= BATCH_BYTES || this.#files.length >= BATCH_FILES) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#files.length === 0) return;
    const model = this.#options.embedder?.model.fingerprint;
    await this.#build.put({
      files: this.#files,
      segment: this.#builder.finish(),
      ...(model !== undefined && { model }),
    });
    this.#builder = new SegmentBuilder();
    this.#files = [];
    this.#bytes = 0;
  }

  async #vectorsOf({ record, text }: ReadFile): Promise<Pick<StoredFile, "vectors">> {
    const { embedder, signal } = this.#options;
    if (embedder === undefined || record.chunks.length === 0) return {};
    return { vectors: encodeVectors(await embedder.documents(chunkPassages(record, text), signal)) };
  }
}

function checkSum(member: OpenMember, { members }: Manifest): void {
  const said = members.find(({ name }) => name === member.name);
  must(said?.size === member.size && said.sha256 === member.sha256(), `fails the checksum of ${member.name}`);
}

async function publishViews(
  views: readonly ArchivedView[],
  stored: ReadonlySet<string>,
  into: ContentRestore,
  options: RestoreOptions,
): Promise<void> {
  const [first] = views;
  for (const [at, view] of views.entries()) {
    const { ref, commit, uncounted, changes } = view;
    const known = changes.every((change) => !("version" in change) || stored.has(versionText(change.version)));
    must(
      known && new Set(changes.map(({ path }) => path)).size === changes.length,
      "shows files that it does not hold",
    );
    const over = at > 0 && first!.ref === options.base;
    const build = await into.begin(options.viewOf(ref), over ? { base: options.base } : {});
    await build.publish({
      jobId: `${options.jobId}-${at}` as JobId,
      changes: over || at === 0 ? changes : applyChanges(first!.changes, changes),
      ...(commit !== undefined && { commit }),
      uncounted,
      publishedAt: options.now,
    });
  }
}

/** The complete view, from the base and the changes of the archive. */
function applyChanges(base: readonly ViewChange[], changes: readonly ViewChange[]): ViewChange[] {
  const shown = new Map([...base, ...changes].map((change) => [change.path, change]));
  return [...shown.values()].filter((change) => !("removed" in change));
}

/** Above any indexed file; bounds the memory for a forged length. */
const MOST_BYTES = 64 << 20;
const MOST_HEAD_BYTES = 64 << 10;

/** A checked file of an archive, for the store and for its segment. */
interface Frame {
  readonly stored: StoredFile;
  readonly record: FileRecord;
  readonly text: string;
  readonly facts?: Facts;
}

async function* readLines(content: AsyncIterable<Uint8Array>): AsyncIterable<unknown> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let rest = "";
  for await (const part of content) {
    const lines = (rest + readable(() => decoder.decode(part, { stream: true }))).split("\n");
    rest = lines.pop()!;
    must(rest.length <= MOST_HEAD_BYTES, "has a line without an end");
    for (const line of lines) yield readable(() => JSON.parse(line) as unknown);
  }
  must(rest === "", "has a line without an end");
}

async function* readFrames(content: AsyncIterable<Uint8Array>): AsyncIterable<Frame> {
  const pieces = new ChunkedReader(content);
  while (!(await pieces.isAtEnd())) {
    const length = new DataView((await pieces.take(4)).buffer).getUint32(0, true);
    must(length > 0 && length <= MOST_HEAD_BYTES, "has a file without a head");
    const bytes = await pieces.take(length);
    const head = readable(() => JSON.parse(decodeUtf8(bytes)) as FrameHead);
    checkHead(head);
    must(Array.isArray(head.sizes) && head.sizes.length === 3, "has a file without its sizes");
    must(head.sizes.every(isSize), "has a file that is too large");
    const [record, text, facts] = head.sizes;
    yield decodeFrame(head, await pieces.take(record), await pieces.take(text), await pieces.take(facts));
  }
}

function decodeFrame(head: FrameHead, recordBytes: Uint8Array, textBytes: Uint8Array, factsBytes: Uint8Array): Frame {
  const text = readable(() => decodeUtf8(textBytes));
  const record = readable(() => unpackRecord(recordBytes));
  readable(() => checkRecord(record, head, text));
  const stored = {
    path: head.path,
    contentHash: head.hash,
    extractor: head.extractor,
    language: head.language,
    symbolCount: record.symbols.length,
    chunkCount: record.chunks.length,
    byteCount: head.bytes,
    ...(head.problem !== undefined && { problem: head.problem }),
    ...(head.blob !== undefined && { blob: head.blob }),
    record: encodeRecord(record),
    text: seal(TAG.text, textBytes),
  };
  if (factsBytes.length === 0) return { stored: { ...stored, facts: factsBytes }, record, text };
  checkFactsSize(factsBytes);
  const facts = seal(TAG.facts, factsBytes);
  const decoded = readable(() => decodeFacts(facts));
  readable(() => checkFacts(decoded, record));
  return { stored: { ...stored, facts }, record, text, facts: decoded };
}

function isSize(size: unknown): size is number {
  return Number.isSafeInteger(size) && (size as number) >= 0 && (size as number) <= MOST_BYTES;
}

/** Keeps byte order marks and rejects invalid UTF-8, which we never write. */
function decodeUtf8(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
}

/** A decoder that fails means a damaged archive. */
function readable<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof CompassError ? error : refuseArchive("is damaged", error);
  }
}

class ChunkedReader {
  readonly #parts: AsyncIterator<Uint8Array>;
  #held: Uint8Array = new Uint8Array(0);

  constructor(content: AsyncIterable<Uint8Array>) {
    this.#parts = content[Symbol.asyncIterator]();
  }

  async isAtEnd(): Promise<boolean> {
    while (this.#held.length === 0) if (!(await this.#more())) return true;
    return false;
  }

  /** A copy of exactly `count` bytes. */
  async take(count: number): Promise<Uint8Array> {
    const out = new Uint8Array(count);
    for (let at = 0; at < count; ) {
      must(!(await this.isAtEnd()), "is cut off in a file");
      const part = this.#held.subarray(0, count - at);
      out.set(part, at);
      at += part.length;
      this.#held = this.#held.subarray(part.length);
    }
    return out;
  }

  async #more(): Promise<boolean> {
    const { value, done } = await this.#parts.next();
    if (!done) this.#held = value;
    return !done;
  }
}
