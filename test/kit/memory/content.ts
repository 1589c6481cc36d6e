/** The rows and blobs of one content, in maps. */
import { keyOf } from "../../../src/engine/vectors.ts";
import type { ContentHash, ProjectId } from "../../../src/model/ids.ts";
import { atOrBelow } from "../../../src/model/paths.ts";
import type {
  BlobQuery,
  Change,
  CollectRequest,
  EntryQuery,
  EntryRow,
  OpenedEntry,
  PublishedView,
  PutFiles,
  SegmentRow,
  StampRow,
  StoredBlob,
  Tables,
  VersionQuery,
  VersionRow,
  ViewRow,
  WritableContent,
} from "../../../src/ports/backend.ts";
import { type StoredFile, versionKeyText } from "../../../src/ports/versions.ts";
import { cutIntoParts } from "../../../src/segment/format.ts";
import { openSegment } from "../../../src/segment/read.ts";

interface Entry extends OpenedEntry {
  readonly opened: number;
  readonly closed: number;
}

interface Version {
  readonly row: VersionRow;
  readonly stored: StoredFile;
  readonly createdAt: number;
  /** By the model's key. */
  readonly vectors: Map<string, Uint8Array>;
}

interface Segment {
  readonly row: SegmentRow;
  /** By start. */
  readonly parts: ReadonlyMap<number, Uint8Array>;
}

interface Publication {
  readonly job: string;
  readonly view: number;
  readonly generation: number;
  readonly publishedAt: number;
}

const OPEN = Number.POSITIVE_INFINITY;
/** Of this process, in which all of these contents live. */
let lastContent = 0;

type Readers = { readonly [K in keyof Tables]: (where: Tables[K]["where"]) => readonly Tables[K]["row"][] };

export class MemoryContent {
  readonly id = String(++lastContent);
  readonly #now: () => number;
  #views = new Map<number, ViewRow>();
  #entries = new Map<number, readonly Entry[]>();
  #versions = new Map<number, Version>();
  #segments = new Map<number, Segment>();
  readonly #stamps = new Map<ProjectId, Map<string, StampRow>>();
  #publications: readonly Publication[] = [];
  #lastNumber = 0;
  #revision = 0;

  /** `after`: content whose numbers are not used again. */
  constructor({ now, after }: { readonly now: () => number; readonly after?: MemoryContent | undefined }) {
    this.#now = now;
    this.#lastNumber = after === undefined ? 0 : after.#lastNumber;
  }

  copy(): MemoryContent {
    const copy = new MemoryContent({ now: this.#now, after: this });
    copy.#views = new Map(this.#views);
    copy.#entries = new Map(this.#entries);
    copy.#versions = new Map(this.#versions);
    return copy;
  }

  /** `requireLease` throws when it was lost; `onSwap` makes this content the current one. */
  writable(requireLease: () => void, onSwap: () => void): WritableContent {
    return {
      id: this.id,
      rows: (table, where) => this.rows(table, where),
      blobs: (query) => this.blobs(query),
      close: () => this.close(),
      write: async (_, changes) => {
        requireLease();
        for (const change of changes) this.#apply(change);
      },
      collect: async (request) => {
        requireLease();
        return this.#collect(request);
      },
      swap: async () => {
        requireLease();
        onSwap();
      },
    };
  }

  async rows<K extends keyof Tables>(table: K, where: Tables[K]["where"]): Promise<readonly Tables[K]["row"][]> {
    const readers: Readers = {
      views: ({ refs }) => {
        const views = [...this.#views.values()].filter(({ ref }) => refs?.includes(ref) !== false);
        return views.sort((a, b) => (a.ref < b.ref ? -1 : 1));
      },
      entries: (query) => this.#entriesOf(query),
      versions: (query) => this.#versionsOf(query),
      versionIds: ({ model }) =>
        [...this.#versions.values()]
          .filter(({ vectors }) => model === undefined || vectors.has(model))
          .map(({ row: { id } }) => ({ id })),
      models: () => {
        const models = [...this.#versions.values()].flatMap(({ vectors }) => [...vectors.keys()]);
        return [...new Set(models)].map((model) => ({ model }));
      },
      segments: () => [...this.#segments.values()].map(({ row }) => row),
      stamps: ({ tree }) => [...(this.#stamps.get(tree)?.values() ?? [])],
      trees: () => [{ revision: this.#revision }],
      publications: ({ job }) => this.#publications.filter((it) => it.job === job),
      findings: () => [],
    };
    return readers[table](where);
  }

  async blobs(query: BlobQuery): Promise<readonly StoredBlob[]> {
    if (query.kind === "pack") return [];
    if (query.kind === "part")
      return query.parts.flatMap(({ segment, start }) => {
        const bytes = this.#segments.get(segment)?.parts.get(start);
        return bytes === undefined ? [] : [{ owner: segment, start, bytes }];
      });
    const read = ({ stored, vectors }: Version): Uint8Array | undefined =>
      query.kind === "vectors" ? vectors.get(query.model) : stored[query.kind];
    const ids = query.kind === "vectors" ? query.versions : query.versions.map(({ id }) => id);
    return ids.flatMap((id) => {
      const version = this.#versions.get(id);
      const bytes = version && read(version);
      return bytes === undefined || bytes.length === 0 ? [] : [{ owner: id, start: 0, bytes }];
    });
  }

  async close(): Promise<void> {}

  sizeBytes(): number {
    return [...this.#versions.values()].reduce((sum, { stored }) => sum + stored.record.length + stored.text.length, 0);
  }

  #entriesOf({ view, generation, since, at, under }: EntryQuery): EntryRow[] {
    const isUnder = under === undefined || under.includes("") ? () => true : atOrBelow(under);
    const wanted = at && new Set(at);
    const all = (this.#entries.get(view) ?? []).filter(({ path }) => wanted?.has(path) !== false && isUnder(path));
    const seen = all.filter(({ opened, closed }) => opened <= generation && closed > generation);
    if (since === undefined) return seen.map((entry) => this.#entryRow(entry));
    const gone = all.filter(({ opened, closed }) => opened <= since && closed > since && closed <= generation);
    return [
      ...gone.map(({ path }) => this.#entryRow({ path, version: null, skip: null })),
      ...seen.filter(({ opened }) => opened > since).map((entry) => this.#entryRow(entry)),
    ];
  }

  #entryRow({ path, version, skip }: OpenedEntry): EntryRow {
    const row = version === null ? undefined : this.#versions.get(version)?.row;
    if (row === undefined) return [path, skip, version, null, "" as ContentHash, "", "", 0, 0, null];
    const { hash, extractor, language, symbols, chunks, problem } = row;
    return [path, skip, version, row.path, hash, extractor, language, symbols, chunks, problem];
  }

  #versionsOf(query: VersionQuery): VersionRow[] {
    if ("ids" in query) return query.ids.flatMap((id) => this.#versions.get(id)?.row ?? []);
    const rows = [...this.#versions.values()].map(({ row }) => row);
    if ("keys" in query) {
      const keys = new Set(query.keys.map(versionKeyText));
      return rows.filter((row) => keys.has(versionKeyText({ ...row, contentHash: row.hash })));
    }
    const blobs = new Map(query.gitBlobs.map(({ path, blob }) => [path, blob]));
    return rows.filter(
      ({ path, blob, extractor }) => extractor === query.extractor && blob && blobs.get(path) === blob,
    );
  }

  #apply(change: Change): void {
    if ("put" in change) this.#put(change.put);
    else if ("publish" in change) this.#publish(change.publish);
    else if ("vectors" in change) {
      const { model, files } = change.vectors;
      for (const { file, vectors } of files) this.#versions.get(file)?.vectors.set(keyOf(model), vectors);
    } else if ("stamps" in change) {
      const { tree, rows } = change.stamps;
      this.#revision++;
      this.#stamps.set(
        tree,
        new Map([...(this.#stamps.get(tree) ?? []), ...rows.map((row) => [row.path, row] as const)]),
      );
    } else if ("merge" in change) {
      const { removed, added } = change.merge;
      for (const id of removed) this.#segments.delete(id);
      if (added !== undefined) this.#addSegment(added.versions, added.bytes);
    } else if ("removeViews" in change)
      for (const id of change.removeViews) {
        this.#views.delete(id);
        this.#entries.delete(id);
      }
  }

  #put({ files, isNew, segment, model }: PutFiles): void {
    const versions = files.map((file, at) => (isNew[at] ? this.#addVersion(file, model) : 0));
    this.#addSegment(Uint32Array.from(versions), segment);
  }

  #addVersion(stored: StoredFile, model: string | undefined): number {
    const id = ++this.#lastNumber;
    const { path, contentHash: hash, extractor, language, symbolCount: symbols, chunkCount: chunks } = stored;
    const { byteCount: bytes, problem = null, blob = null, vectors } = stored;
    const row = { id, path, hash, extractor, language, symbols, chunks, bytes, problem, blob };
    const embedded = new Map(model !== undefined && vectors ? [[keyOf(model), vectors]] : []);
    this.#versions.set(id, { row, stored, createdAt: this.#now(), vectors: embedded });
    return id;
  }

  #addSegment(versions: Uint32Array, bytes: Uint8Array): void {
    const id = ++this.#lastNumber;
    const { head, parts } = cutIntoParts(bytes);
    const words = new Uint8Array(versions.buffer, versions.byteOffset, versions.byteLength);
    const row = { id, chunks: openSegment(bytes).chunkCount, versions: words, head };
    this.#segments.set(id, { row, parts: new Map(parts.map((part) => [part.start, part.bytes])) });
  }

  #publish({ row, closed, opened, job }: PublishedView): void {
    const id = row.id === 0 ? ++this.#lastNumber : row.id;
    const { generation, publishedAt } = row;
    const gone = new Set(closed);
    const kept = (this.#entries.get(id) ?? []).map((entry) =>
      entry.closed === OPEN && gone.has(entry.path) ? { ...entry, closed: generation } : entry,
    );
    this.#entries.set(id, [...kept, ...opened.map((entry) => ({ ...entry, opened: generation, closed: OPEN }))]);
    this.#views.set(id, { ...row, id });
    this.#publications = [...this.#publications, { job, view: id, generation, publishedAt }];
  }

  #collect({ before, pinned }: CollectRequest): number {
    for (const [view, entries] of this.#entries) {
      const until = this.#oldestUse(view, before, pinned);
      this.#entries.set(
        view,
        entries.filter(({ closed }) => closed > until),
      );
      this.#publications = this.#publications.filter((it) => it.view !== view || it.generation >= until);
    }
    const used = new Set([...this.#entries.values()].flat().map(({ version }) => version));
    const unused = [...this.#versions].filter(([id, { createdAt }]) => !used.has(id) && createdAt <= before);
    for (const [id] of unused) this.#versions.delete(id);
    return unused.length;
  }

  /** Generations before this one are shown by no snapshot and by no view that is based on it. */
  #oldestUse(view: number, before: number, pinned: ReadonlyMap<number, number>): number {
    const settled = this.#publications.filter((it) => it.view === view && it.publishedAt <= before);
    const newest = Math.max(0, ...settled.map(({ generation }) => generation));
    const bases = [...this.#views.values()].filter(({ baseView }) => baseView === view);
    return Math.min(newest, pinned.get(view) ?? newest, ...bases.map(({ baseGeneration }) => baseGeneration!));
  }
}
