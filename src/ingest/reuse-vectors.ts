/**
 * The vectors of a file whose version before is at hand: equal passages have equal vectors, and most of a changed file's
 * are equal. Only the others are embedded.
 */
import type { FileRecord } from "../model/code.ts";
import type { Vectors } from "../model/vectors.ts";
import type { EarlierVersion } from "../ports/versions.ts";
import { CorruptionError } from "../segment/corruption.ts";
import { decodeRecord, decodeText } from "../segment/record.ts";
import { decodeVectors } from "../segment/vectors.ts";
import { chunkPassages } from "./passages.ts";

/** What a model made of passages before. */
export interface Embedded {
  readonly vectors: Vectors;
  /** By passage. */
  readonly rows: ReadonlyMap<string, number>;
}

/** Undefined where there is nothing of this model, or what there is cannot be used. */
export function embeddedBefore(earlier: EarlierVersion, fingerprint: string): Embedded | undefined {
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
export function encodeOthers(
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
