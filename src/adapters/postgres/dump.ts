/** Everything the views show, as one state of the database, in an order that does not depend on how it came about. */
import type { ContentHash, FileId } from "../../model/ids.ts";
import type { StoreDump, ViewDump } from "../../ports/dump.ts";
import type { StoredFile, VersionKey } from "../../ports/versions.ts";
import type { ViewEntry } from "../../ports/view.ts";
import { CorruptionError } from "../../segment/bytes.ts";
import { readBlobsByKey } from "./blobs.ts";
import { nodeOf } from "./data-nodes.ts";
import type { Db } from "./db.ts";
import { refusing } from "./failures.ts";
import type { Asking } from "./query-interface.ts";
import { findRepository, placeOf, type Repository, requireSchema } from "./repository.ts";
import { infoOf, loadShown, loadWhole, readViews, type ViewRow } from "./view-state.ts";

const NOTHING: StoreDump = { views: [], files: async function* () {}, release: () => {} };
const FILES_AT_ONCE = 128;

/** The dump's read transaction lasts until the release. */
export async function dumpOf(db: Db, key: string): Promise<StoreDump> {
  const { asking, release } = await db.held();
  try {
    const repository = await findRepository(asking, key);
    if (repository === undefined) {
      await release();
      return NOTHING;
    }
    requireSchema(repository);
    const place = placeOf(repository);
    const keys = new Map<FileId, VersionKey>();
    const views: ViewDump[] = [];
    for (const row of await readViews(asking, place)) views.push(await viewDump(asking, repository, row, keys));
    const sorted = [...keys].sort(([, a], [, b]) => compareKeys(a, b)).map(([id]) => id);
    return {
      // Refs by code units, as every engine sorts them; the database sorts by bytes.
      views: views.sort((a, b) => compare(a.info.ref, b.info.ref)),
      files: async function* () {
        for (let from = 0; from < sorted.length; from += FILES_AT_ONCE) {
          const some = sorted.slice(from, from + FILES_AT_ONCE);
          yield* await refusing("reading the index", db.address, () => storedFiles(asking, place.repo, some));
        }
      },
      release: () => void release().catch(() => {}),
    };
  } catch (error) {
    await release();
    throw error;
  }
}

async function viewDump(
  asking: Asking,
  { id: repo, uid }: Repository,
  row: ViewRow,
  keys: Map<FileId, VersionKey>,
): Promise<ViewDump> {
  const baseOf = (view: number, generation: number) => loadWhole({ asking, repo }, view, generation);
  const { files, skips } = await loadShown({ asking, repo }, row, baseOf);
  const entries: ViewEntry[] = [...skips].map(([path, skip]) => ({ path, skip }));
  for (const [path, { id, contentHash, extractor }] of files) {
    const version = keys.get(id) ?? { path, contentHash, extractor };
    keys.set(id, version);
    entries.push({ path, version });
  }
  return { info: infoOf(row, uid), entries: entries.sort((a, b) => compare(a.path, b.path)) };
}

interface StoredRow {
  readonly id: number;
  readonly path: string;
  readonly hash: Buffer;
  readonly extractor: string;
  readonly language: string;
  readonly symbols: number;
  readonly chunks: number;
  readonly bytes: number;
  readonly problem: string | null;
  readonly git_blob: Buffer | null;
  readonly text_key: Buffer;
  readonly record_key: Buffer;
  readonly facts_key: Buffer | null;
}

const STORED = `SELECT id, path, hash, extractor, language, symbols, chunks, bytes, problem, git_blob,
    text_key, record_key, facts_key
  FROM codecompass.file_version WHERE repo = $1 AND id = ANY($2)`;

async function storedFiles(asking: Asking, repo: number, ids: readonly FileId[]): Promise<StoredFile[]> {
  const rows = await asking.rows<StoredRow>(STORED, [repo, ids]);
  const keys = rows.flatMap(({ text_key, record_key, facts_key }) => [text_key, record_key, facts_key]);
  const content = await readBlobsByKey(asking, nodeOf(repo), keys);
  const byId = new Map(rows.map((row, at) => [row.id, { row, content: content.slice(3 * at, 3 * at + 3) }]));
  return ids.map((id) => {
    const { row, content: [text, record, facts] = [] } = byId.get(id) ?? {};
    if (row === undefined || text === undefined || record === undefined)
      throw new CorruptionError(`the content of ${row?.path ?? `file version ${id}`} is missing`);
    return storedFile(row, { text, record, facts: facts ?? new Uint8Array(0) });
  });
}

function storedFile(row: StoredRow, content: Pick<StoredFile, "text" | "record" | "facts">): StoredFile {
  return {
    path: row.path,
    contentHash: row.hash.toString("hex") as ContentHash,
    extractor: row.extractor,
    language: row.language,
    symbolCount: row.symbols,
    chunkCount: row.chunks,
    byteCount: row.bytes,
    ...(row.problem !== null && { problem: row.problem }),
    ...(row.git_blob !== null && { blob: row.git_blob.toString("hex") }),
    ...content,
  };
}

function compareKeys(a: VersionKey, b: VersionKey): number {
  return compare(a.path, b.path) || compare(a.contentHash, b.contentHash) || compare(a.extractor, b.extractor);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
