/** The chunks of a file as the passages that a model embeds: the lines, and what they are called. */

import type { FileRecord } from "../model/code.ts";
import type { Vectors } from "../model/vectors.ts";
import type { Build } from "../ports/build.ts";
import type { DocumentEncoder, Embedder, Embedders } from "../ports/embedder.ts";
import type { IndexRequest } from "../ports/indexer.ts";
import type { Snapshot } from "../ports/snapshot.ts";
import type { Store } from "../ports/store.ts";
import type { EarlierVersion, FileVectors } from "../ports/versions.ts";
import type { FileRow } from "../ports/view.ts";
import { CorruptionError } from "../segment/bytes.ts";
import { decodeRecord, decodeText, decodeVectors, encodeVectors } from "../segment/stored-content.ts";
import { chunkPassages, type IndexedFile } from "./document.ts";

/** As the store keeps them; nothing for a file without chunks. */
export function embedFile(
  file: Pick<IndexedFile, "record" | "text" | "words">,
  encoder: DocumentEncoder | undefined,
  earlier?: EarlierVersion,
): { readonly vectors?: Uint8Array } {
  const { chunks, place } = file.words;
  if (encoder === undefined || chunks.length === 0) return {};
  const { path } = file.record;
  const passages = chunks.map(({ lines, names }) => ({ parts: [lines, names, place], path }));
  const before = earlier && embeddedBefore(earlier, encoder.model.fingerprint);
  const vectors =
    before === undefined
      ? encoder.encode(passages)
      : encodeOthers(file, before, (others) => encoder.encode(others.map((chunk) => passages[chunk]!)));
  return { vectors: encodeVectors(vectors) };
}

/** What a model made of passages before. */
interface Embedded {
  readonly vectors: Vectors;
  /** By passage. */
  readonly rows: ReadonlyMap<string, number>;
}

/** Undefined where there is nothing of this model, or what there is cannot be used. */
function embeddedBefore(earlier: EarlierVersion, fingerprint: string): Embedded | undefined {
  if (!fingerprint.startsWith(earlier.model)) return undefined;
  try {
    const vectors = decodeVectors(earlier.vectors);
    const texts = passageTexts(decodeRecord(earlier.record), decodeText(earlier.text));
    if (texts.length !== vectors.scales.length) return undefined;
    return { vectors, rows: new Map(texts.map((text, row) => [text, row])) };
  } catch (error) {
    // Whoever reads it says so; a file that is embedded afresh needs none of it.
    if (error instanceof CorruptionError) return undefined;
    throw error;
  }
}

/** `encode`: the vectors of these chunks, by their positions. */
function encodeOthers(
  file: { readonly record: FileRecord; readonly text: string },
  before: Embedded,
  encode: (chunks: readonly number[]) => Vectors,
): Vectors {
  const from = passageTexts(file.record, file.text).map((text) => before.rows.get(text));
  const others = [...from.keys()].filter((chunk) => from[chunk] === undefined);
  const fresh = encode(others);
  const { dims } = fresh;
  const all = { dims, rows: new Int8Array(from.length * dims), scales: new Float32Array(from.length) };
  const take = (chunk: number, { rows, scales }: Vectors, row: number) => {
    all.rows.set(rows.subarray(row * dims, (row + 1) * dims), chunk * dims);
    all.scales[chunk] = scales[row]!;
  };
  for (const [chunk, row] of from.entries()) if (row !== undefined) take(chunk, before.vectors, row);
  for (const [row, chunk] of others.entries()) take(chunk, fresh, row);
  return all;
}

function passageTexts(record: FileRecord, text: string): string[] {
  return chunkPassages(record, text).map((passage) => passage.text);
}

interface EmbedMissing {
  readonly request: IndexRequest;
  readonly store: Store;
  readonly build: Build;
  readonly embedders: Embedders;
  readonly signal: AbortSignal;
}

/** Files at a time: what is done is durable, and a cancelled run goes on from there. */
const FILES_AT_ONCE = 16;
const ALL = Number.MAX_SAFE_INTEGER;

/** How many files got vectors; they are shown by the next publication. */
export async function embedMissing({ request, store, build, embedders, signal }: EmbedMissing): Promise<number> {
  const answer = await embedders.open();
  if ("unavailable" in answer) return 0;
  const snapshot = await store.snapshot(request.ref);
  if (snapshot === undefined) return 0;
  try {
    const { embedder } = answer;
    const missing = await snapshot.unembedded(embedder.model.fingerprint, ALL);
    if (missing.length === 0 || !(await shouldEmbed(request, missing, snapshot))) return 0;
    for (let at = 0; at < missing.length; at += FILES_AT_ONCE) {
      signal.throwIfAborted();
      const vectors = await embedFiles(missing.slice(at, at + FILES_AT_ONCE), embedder, snapshot, signal);
      await build.putVectors(embedder.model.fingerprint, vectors);
    }
    return missing.length;
  } finally {
    snapshot.release();
  }
}

/** Another model is taken up by an explicit run only; after that, edits are embedded as they come. */
async function shouldEmbed({ mode }: IndexRequest, missing: readonly FileRow[], snapshot: Snapshot): Promise<boolean> {
  return mode === "full" || missing.length < (await snapshot.files()).length / 2;
}

async function embedFiles(
  files: readonly FileRow[],
  embedder: Embedder,
  snapshot: Snapshot,
  signal: AbortSignal,
): Promise<FileVectors[]> {
  const found: FileVectors[] = [];
  for (const file of files) {
    const passages = chunkPassages(await snapshot.record(file), await snapshot.text(file));
    if (passages.length === 0) continue;
    found.push({ file: file.id, vectors: encodeVectors(await embedder.documents(passages, signal)) });
  }
  return found;
}
