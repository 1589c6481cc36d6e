/**
 * Sieves as rows: those of a segment are cut so that each fits into a page several times, and a question reads the few rows
 * with its slices. Which segments are worth that, the engine's index of some of their trigrams tells.
 */
import { type Sieve, SLICES, widthOf } from "../../segment/sieve.ts";
import type { Transaction } from "./asking.ts";
import { type Field, int4, int8 } from "./copy.ts";

/** Larger rows lie outside of their table, and are two looks instead of one. */
const ROW_BYTES = 1_900;
const INT4 = 23;

export const SIEVE_COLUMNS = "columns, trigrams";

export function sieveFields({ columns, sample }: Sieve): Field[] {
  return [columns, numbers(sample)];
}

export async function putSieve(tx: Transaction, repo: number, segment: number, sieve: Sieve): Promise<void> {
  const width = widthOf(sieve.columns);
  if (width === 0) return;
  const size = slicesInRow(width) * width;
  await tx.copy(
    "codecompass.sieve",
    "repo, segment, at, bits",
    Array.from({ length: sieve.bits.length / size }, (_, at) => [
      int4(repo),
      int8(segment),
      int4(at),
      sieve.bits.subarray(at * size, (at + 1) * size),
    ]),
  );
}

/** A power of two, so that every row has as many. `width`: bytes of a slice. */
export function slicesInRow(width: number): number {
  let slices = SLICES;
  while (slices > 1 && slices * width > ROW_BYTES) slices /= 2;
  return slices;
}

/** An integer[] in binary. */
function numbers(list: readonly number[]): Uint8Array {
  if (list.length === 0) return Buffer.concat([int4(0), int4(0), int4(INT4)]);
  const bytes = Buffer.allocUnsafe(20 + 8 * list.length);
  for (const [i, word] of [1, 0, INT4, list.length, 1].entries()) bytes.writeInt32BE(word, 4 * i);
  for (let i = 0; i < list.length; i++) {
    bytes.writeInt32BE(4, 20 + 8 * i);
    bytes.writeInt32BE(list[i]!, 24 + 8 * i);
  }
  return bytes;
}
