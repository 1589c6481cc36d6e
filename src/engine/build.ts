/** The write path's hold on the store: batches become durable one by one and visible together. */
import type { Generation, ProjectId } from "../model/ids.ts";
import { atOrBelow } from "../model/paths.ts";
import type { EntryRow, StampRow, ViewRow, WritableContent } from "../ports/backend.ts";
import type { Build, Publication } from "../ports/build.ts";
import type { Stamped, ViewEntry } from "../ports/snapshot.ts";
import { type FileBatch, versionKeyText } from "../ports/versions.ts";
import { openSegment } from "../segment/read.ts";
import { SegmentMerger, SMALL_CHUNKS } from "./merging.ts";
import { nextGeneration, passesGarbageShare, versionsByKey } from "./publish.ts";
import { packView, WORTH_PACKING } from "./view-pack.ts";

export interface BuildOptions {
  readonly content: WritableContent;
  readonly ref: string;
  readonly base: string | undefined;
  readonly after: number;
  readonly isEmbedded: boolean;
  /** Turns what it throws into the refusal that the caller understands. */
  readonly run: <T>(doing: string, work: () => Promise<T>) => Promise<T>;
  readonly onPublished: () => Promise<void>;
  readonly onAbort: () => Promise<void>;
}

/** The view itself, and the one that it is based on when it is new. */
interface BuiltViews {
  readonly present: ViewRow | undefined;
  readonly base: ViewRow | undefined;
}

export function buildOf(options: BuildOptions): Build {
  const { content, ref, base: baseRef, after, run } = options;
  const merger = new SegmentMerger(content);
  const reading = <T>(read: () => Promise<T>) => run("reading the index", read);
  const writing = <T>(name: string, write: () => Promise<T>) => run(`writing the index (${name})`, write);
  let putChunks = 0;
  let isCollectionDue = false;
  const readViews = async (): Promise<BuiltViews> => {
    const rows = await content.rows("views", { refs: baseRef === undefined ? [ref] : [ref, baseRef] });
    // A base has no base: a state is never more than two lists of rows.
    const base = rows.find((row) => row.ref === baseRef && row.baseView === null);
    return { present: rows.find((row) => row.ref === ref), base };
  };
  return {
    entries: (paths) =>
      reading(async () => {
        const { present, base } = await readViews();
        const row = present ?? base;
        return row === undefined ? new Map() : entriesOf(content, row, paths);
      }),
    recall: (blobs, extractor) =>
      reading(async () => {
        const rows = await content.rows("versions", { gitBlobs: blobs, extractor });
        return new Map(rows.map(({ path, hash }) => [path, { path, contentHash: hash, extractor }]));
      }),
    known: (keys) => reading(async () => new Set((await versionsByKey(content, keys)).keys())),
    put: (batch) => {
      putChunks += batch.files.reduce((sum, file) => sum + file.chunkCount, 0);
      return writing("put", async () => {
        const near = options.isEmbedded ? await nearViews() : [];
        await putBatch(content, batch, near);
        // A large build may make large segments: they are paid for once, by the work that needs them.
        await merger.tidy(Math.max(SMALL_CHUNKS, 2 * putChunks), baseRef !== undefined);
      });
    },
    putVectors: (model, files) => writing("vectors", () => content.write("vectors", [{ vectors: { model, files } }])),
    stamps: (tree, paths) => reading(() => knownStamps(content, tree, paths)),
    restamp: (tree, stamps) =>
      writing("restamp", async () => {
        const rows = await stampRows(content, stamps);
        if (rows.length > 0) await content.write("restamp", [{ stamps: { tree, rows } }]);
      }),
    publish: async (publication) => {
      const [before] = await reading(() => content.rows("publications", { job: publication.jobId }));
      if (before !== undefined) return before.generation as Generation;
      const generation = await writing("publish", () => publish(publication));
      await writing("publish", options.onPublished);
      return generation;
    },
    isCollectionDue: () => isCollectionDue,
    abort: options.onAbort,
  };

  async function nearViews(): Promise<number[]> {
    const { present, base } = await readViews();
    const row = present ?? base;
    return [row?.id, row?.baseView].filter((id) => id !== undefined && id !== null);
  }

  async function publish(publication: Publication): Promise<Generation> {
    const { present, base } = await readViews();
    const next = await nextGeneration(content, publication, { ref, present, base, after });
    await content.write("publish", [{ publish: next }]);
    isCollectionDue ||= after > 0 || passesGarbageShare(present ?? base, next.row);
    if (publication.changes.length >= WORTH_PACKING) {
      const { present: published } = await readViews();
      if (published !== undefined) await packView(content, published);
    }
    return next.row.generation as Generation;
  }
}

/** What the view shows at these paths and below them. */
async function entriesOf(
  content: WritableContent,
  row: ViewRow,
  under: readonly string[] | undefined,
): Promise<ReadonlyMap<string, ViewEntry>> {
  const some = under === undefined ? {} : { under };
  const { id: view, generation, baseView, baseGeneration } = row;
  const entries = new Map<string, ViewEntry>();
  const add = (rows: readonly EntryRow[]) => {
    for (const [path, skip, version, , contentHash, extractor] of rows)
      if (skip !== null) entries.set(path, { path, skip });
      else if (version !== null) entries.set(path, { path, version: { path, contentHash, extractor } });
      else entries.delete(path);
  };
  if (baseView !== null) add(await content.rows("entries", { view: baseView, generation: baseGeneration!, ...some }));
  add(await content.rows("entries", { view, generation, ...some }));
  return entries;
}

async function putBatch(content: WritableContent, batch: FileBatch, near: readonly number[]): Promise<void> {
  const { files, segment, model } = batch;
  if (openSegment(segment).fileCount !== files.length) throw new Error("the segment does not belong to these files");
  const seen = new Set((await versionsByKey(content, files)).keys());
  const isNew = files.map((file) => {
    const key = versionKeyText(file);
    return !seen.has(key) && seen.add(key) !== undefined;
  });
  if (isNew.includes(true)) await content.write("put", [{ put: { files, isNew, segment, model, near } }]);
}

/** With the version of each; the stamp of a version that was collected since is ignored. */
async function knownStamps(
  content: WritableContent,
  tree: ProjectId,
  paths: readonly string[] | undefined,
): Promise<ReadonlyMap<string, Stamped>> {
  const isWanted = paths === undefined ? () => true : atOrBelow(paths);
  const rows = (await content.rows("stamps", { tree })).filter(({ path }) => isWanted(path));
  const ids = rows.flatMap(({ version }) => version ?? []);
  const versions = ids.length === 0 ? [] : await content.rows("versions", { ids });
  const byId = new Map(versions.map((version) => [version.id, version]));
  const stamps = new Map<string, Stamped>();
  for (const { path, stamp, version, skip } of rows) {
    const row = version === null ? undefined : byId.get(version);
    if (skip !== null) stamps.set(path, { path, stamp, skip });
    else if (row?.path === path)
      stamps.set(path, { path, stamp, version: { path, contentHash: row.hash, extractor: row.extractor } });
  }
  return stamps;
}

/** A version that is not stored is not remembered. */
async function stampRows(content: WritableContent, stamps: readonly Stamped[]): Promise<StampRow[]> {
  const newest = [...new Map(stamps.map((it) => [it.path, it])).values()];
  const keys = newest.flatMap((it) => ("version" in it ? [it.version] : []));
  const versions = await versionsByKey(content, keys);
  return newest.flatMap((it): StampRow[] => {
    const { path, stamp } = it;
    if ("skip" in it) return [{ path, stamp, version: null, skip: it.skip }];
    const row = versions.get(versionKeyText(it.version));
    return row === undefined ? [] : [{ path, stamp, version: row.id, skip: null }];
  });
}
