/** Everything the views show, as one state of the content, in an order that does not depend on how it came about. */
import type { FileId, JobId } from "../model/ids.ts";
import type { Content, OpenedContent, VersionRow } from "../ports/backend.ts";
import type { Build } from "../ports/build.ts";
import type { FileRow, ViewChange, ViewEntry } from "../ports/snapshot.ts";
import type { StoreDump, ViewDump } from "../ports/store.ts";
import type { StoredFile, VersionKey } from "../ports/versions.ts";
import { SegmentBuilder } from "../segment/build.ts";
import { CorruptionError } from "../segment/bytes.ts";
import type { ContentReader } from "./content-reader.ts";
import { compare } from "./view-answers.ts";
import type { ViewState } from "./view-state.ts";

const FILES_AT_ONCE = 128;

export const EMPTY_DUMP: StoreDump = { views: [], files: async function* () {}, release: () => {} };

/** `opened` is the dump's own: it is closed with its release. */
export async function dumpOf(
  { content, views: rows }: OpenedContent,
  reader: ContentReader,
  reading: <T>(read: () => Promise<T>) => Promise<T>,
): Promise<StoreDump> {
  const release = () => void content.close().catch(() => {});
  try {
    const keys = new Map<FileId, VersionKey>();
    const views: ViewDump[] = [];
    for (const row of rows) views.push(await viewDump(content, await reader.state(row), keys));
    const sorted = [...keys].sort(([, a], [, b]) => compareKeys(a, b)).map(([id]) => id);
    return {
      // Refs by code units, as every engine sorts them; a database may sort by bytes.
      views: views.sort((a, b) => compare(a.info.ref, b.info.ref)),
      files: async function* () {
        for (let from = 0; from < sorted.length; from += FILES_AT_ONCE) {
          const some = sorted.slice(from, from + FILES_AT_ONCE);
          yield* await reading(() => storedFiles(content, some));
        }
      },
      release,
    };
  } catch (error) {
    release();
    throw error;
  }
}

/** Shows files of one content, which have neither symbols nor chunks, in a view of another one. */
export async function copyFiles(
  from: Content,
  files: readonly FileRow[],
  into: Build,
  jobId: JobId,
  publishedAt: number,
): Promise<void> {
  const changes: ViewChange[] = [];
  for (let at = 0; at < files.length; at += FILES_AT_ONCE) {
    const stored = await storedFiles(
      from,
      files.slice(at, at + FILES_AT_ONCE).map(({ id }) => id),
    );
    const builder = new SegmentBuilder();
    for (const { path, contentHash, extractor } of stored) {
      builder.beginFile();
      changes.push({ path, version: { path, contentHash, extractor } });
    }
    await into.put({ files: stored, segment: builder.finish() });
  }
  await into.publish({ jobId, changes, publishedAt });
}

async function viewDump(content: Content, state: ViewState, keys: Map<FileId, VersionKey>): Promise<ViewDump> {
  const unknown = [...state.files.values()].filter(({ id }) => !keys.has(id));
  const ids = unknown.map(({ id }) => id);
  const rows = ids.length === 0 ? [] : await content.rows("versions", { ids });
  const extractors = new Map(rows.map(({ id, extractor }) => [id as FileId, extractor]));
  for (const { id, path, contentHash } of unknown) {
    const extractor = extractors.get(id);
    if (extractor === undefined) throw new CorruptionError(`file version ${id} is missing`);
    keys.set(id, { path, contentHash, extractor });
  }
  const entries: ViewEntry[] = [...state.skips].map(([path, skip]) => ({ path, skip }));
  for (const [path, { id }] of state.files) entries.push({ path, version: keys.get(id)! });
  return { info: state.info, entries: entries.sort((a, b) => compare(a.path, b.path)) };
}

async function storedFiles(content: Content, ids: readonly FileId[]): Promise<StoredFile[]> {
  const rows = await content.rows("versions", { ids });
  const byId = new Map(rows.map((row) => [row.id as FileId, row]));
  const versions = rows.map(({ id, hash }) => ({ id: id as FileId, contentHash: hash }));
  const read = async (kind: "record" | "facts" | "text") => {
    const blobs = await content.blobs({ kind, versions, form: "stored" });
    return new Map(blobs.map(({ owner, bytes }) => [owner as FileId, bytes]));
  };
  const [records, facts, texts] = [await read("record"), await read("facts"), await read("text")];
  return ids.map((id) => {
    const [row, record, text] = [byId.get(id), records.get(id), texts.get(id)];
    if (row === undefined || record === undefined || text === undefined)
      throw new CorruptionError(`the content of ${row?.path ?? `file version ${id}`} is missing`);
    return { ...fileOf(row), record, text, facts: facts.get(id) ?? new Uint8Array(0) };
  });
}

function fileOf(row: VersionRow): Omit<StoredFile, "record" | "text" | "facts"> {
  return {
    path: row.path,
    contentHash: row.hash,
    extractor: row.extractor,
    language: row.language,
    symbolCount: row.symbols,
    chunkCount: row.chunks,
    byteCount: row.bytes,
    ...(row.problem !== null && { problem: row.problem }),
    ...(row.blob && { blob: row.blob }),
  };
}

function compareKeys(a: VersionKey, b: VersionKey): number {
  return compare(a.path, b.path) || compare(a.contentHash, b.contentHash) || compare(a.extractor, b.extractor);
}
