/** A snapshot over batches in memory: the product's segments and scoring, without a store. */
import { Arena } from "../../src/embed/arena.ts";
import { createKernel, nearest } from "../../src/embed/kernel.ts";
import { admitted, symbolPage } from "../../src/engine/view-answers.ts";
import type { FileRecord } from "../../src/model/code.ts";
import type { FileId, Generation } from "../../src/model/ids.ts";
import type { DensePage, DenseQuery } from "../../src/ports/candidates.ts";
import type { FileRow, Snapshot } from "../../src/ports/snapshot.ts";
import type { FileBatch } from "../../src/ports/versions.ts";
import { decodeFacts } from "../../src/segment/facts.ts";
import { PackedFrame } from "../../src/segment/frame.ts";
import { nearNames } from "../../src/segment/near-names.ts";
import { openSegment, symbolsWithId } from "../../src/segment/read.ts";
import { score } from "../../src/segment/score.ts";
import { decodeRecord, decodeText, decodeVectors, recordContent } from "../../src/segment/stored-content.ts";
import { TextView } from "../../src/segment/view.ts";

let states = 0;

export function snapshotOf(batches: readonly FileBatch[]): Snapshot {
  const stored = batches.flatMap(({ files }) => files);
  const rows = stored.map(
    ({ path, language, contentHash }, i): FileRow => ({ id: i as FileId, path, language, contentHash }),
  );
  const parts: { segment: ReturnType<typeof openSegment>; files: FileRow[] }[] = [];
  let first = 0;
  for (const { segment, files } of batches) {
    parts.push({ segment: openSegment(segment), files: rows.slice(first, first + files.length) });
    first += files.length;
  }
  const view = new TextView(parts);
  const byPath = new Map(rows.map((row) => [row.path, row]));
  const sorted = rows.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const records = new Map<number, FileRecord>();
  const texts = new Map<number, string>();
  const dense = meaningOf(stored, rows);
  return {
    info: {
      stateId: `live ${states++}`,
      ref: "live",
      generation: 1 as Generation,
      publishedAt: 0,
      coverage: { filesIndexed: rows.length, filesSkipped: 0, skippedReasons: {} },
      fileCount: rows.length,
      symbolCount: 0,
      chunkCount: view.chunkCount,
      languages: [],
    },
    files: async () => sorted,
    file: async (path) => byPath.get(path),
    stamps: async () => new Map(),
    skipped: async () => undefined,
    extractor: async () => undefined,
    problems: async () => [],
    record: async ({ id }) => kept(records, id, () => decodeRecord(stored[id]!.record)),
    frame: async (file) => new PackedFrame(file, recordContent(stored[file.id]!.record)),
    text: async ({ id }) => kept(texts, id, () => decodeText(stored[id]!.text)),
    packed: async (files) => files.map(({ id }) => stored[id]!.text),
    holding: async (plan) => parts.flatMap((part) => admitted(part, plan)).sort((a, b) => (a.path < b.path ? -1 : 1)),
    skips: async () => [],
    facts: async (files) => files.map(({ id }) => decodeFacts(stored[id]!.facts)),
    mentions: async () => [],
    modules: async () => [],
    compiled: async () => new Map(),
    lexical: async (query) => score(view, query),
    dense: async (query) => dense(query),
    unembedded: async () => [],
    termStats: async () => ({
      chunkCount: view.chunkCount,
      averageLength: view.averageLength,
      documentFrequency: new Map(),
    }),
    symbols: async (query) => symbolPage(parts, query),
    nearNames: async (name, limit) => nearNames(parts, name, limit),
    symbolsById: async (id) =>
      parts.flatMap(({ segment, files }) =>
        symbolsWithId(segment, id).map(({ file, index }) => ({ file: files[file]!, index, name: "" })),
      ),
    release: () => {},
  };
}

function kept<T>(cache: Map<number, T>, id: number, make: () => T): T {
  const known = cache.get(id);
  if (known !== undefined) return known;
  const made = make();
  cache.set(id, made);
  return made;
}

/** Similarity over everything; scopes are not used here. */
function meaningOf(stored: FileBatch["files"], rows: readonly FileRow[]): (query: DenseQuery) => DensePage {
  const held = stored.flatMap(({ vectors }, i) =>
    vectors === undefined ? [] : [{ i, vectors: decodeVectors(vectors) }],
  );
  const first = held.find(({ vectors }) => vectors.dims > 0);
  if (first === undefined) return ({ also = [] }) => ({ ...NOTHING, also: also.map(() => undefined) });
  const arena = new Arena(first.vectors.dims, createKernel());
  for (const { i, vectors } of held) arena.add(i, vectors);
  const plan = arena.plan(rows.map((_, i) => i));
  const places = [...plan.items].flatMap((item, at) =>
    Array.from({ length: plan.firstRows[at + 1]! - plan.firstRows[at]! }, (_, chunk) => ({ file: rows[item]!, chunk })),
  );
  return ({ vector, limit, least = -1, also = [] }) => {
    const similarity = arena.compare(vector, plan);
    const found = nearest(similarity, { limit, least, tie: (a, b) => a - b });
    return {
      candidates: found.rows.map((row) => ({ ...places[row]!, similarity: similarity[row]! })),
      matched: found.matched,
      also: arena.compareEach(
        vector,
        also.map((file) => file.id),
      ),
      embedded: similarity.length,
      chunks: similarity.length,
    };
  };
}

const NOTHING: Omit<DensePage, "also"> = { candidates: [], matched: 0, embedded: 0, chunks: 0 };
