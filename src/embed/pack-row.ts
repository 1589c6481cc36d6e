/** A sum of whole numbers in bytes, as `quantise.ts` does it with any vector: in WebAssembly, and the same in JavaScript. */
import { againIf, END, get, LESS, LOOP, moduleOf, plus, set, simd, simdAt } from "./assembly.ts";

/**
 * Writes the bytes and returns their squares' sum. Step by step what `PACK_ROW` does: numbers of 32 bits, halves go to
 * the even number.
 */
export function packRow(sums: Int32Array, into: Int8Array): number {
  let most = 0;
  for (let i = 0; i < sums.length; i++) most = Math.max(most, Math.abs(sums[i]!));
  const grow = Math.fround(127 / Math.fround(most));
  let squares = 0;
  for (let i = 0; i < sums.length; i++) {
    const byte = most === 0 ? 0 : nearest(Math.fround(Math.fround(sums[i]!) * grow));
    into[i] = byte;
    squares += byte * byte;
  }
  return squares;
}

function nearest(value: number): number {
  const up = Math.round(value);
  return up - value === 0.5 && up % 2 !== 0 ? up - 1 : up;
}

// Parameters: the sums, their end, where the bytes go, where their squares go (four sums of them), nothing. Locals: place
// in the sums; the largest of them, then what they grow by; eight components, the next eight; squares.
const [SUM, STOP, OUT, SQUARES_AT, AT] = [0, 1, 2, 3, 5] as const;
const [GROW, HALF, NEXT, SQUARES] = [6, 7, 8, 9] as const;

const LARGER = simd(0xb8);
const PLUS = simd(0xae);
const DOT = simd(0xba);
const TO_SINGLES = simd(0xfa);
const ALL_127 = simd(0x0c, ...[0, 0, 0xfe, 0x42], ...[0, 0, 0xfe, 0x42], ...[0, 0, 0xfe, 0x42], ...[0, 0, 0xfe, 0x42]);

/** The largest of a number and the one that stands so many bytes behind it, for each of the four. */
const orAfter = (bytes: number) => [
  ...[
    ...get(GROW),
    ...get(GROW),
    ...get(GROW),
    ...simd(0x0d, ...Array.from({ length: 16 }, (_, i) => (i + bytes) % 16)),
  ],
  ...[...LARGER, ...set(GROW)],
];
/** Times what they grow by, to the nearest whole number. */
const four = (at: number) => [
  ...[...get(AT), ...simdAt(0x00, at), ...TO_SINGLES, ...get(GROW), ...simd(0xe6), ...simd(0x6a), ...simd(0xf8)],
];
const eight = (at: number) => [...four(at), ...four(at + 16), ...simd(0x85)];
const squared = (half: number) => [...get(half), ...get(half), ...DOT, ...get(SQUARES), ...PLUS, ...set(SQUARES)];

/** Of 16 components or a multiple. */
export const PACK_ROW = moduleOf([
  ...[2, 1, 0x7f, 4, 0x7b], // locals: 1 × i32, 4 × v128
  ...[...get(SUM), ...set(AT)],
  ...[...LOOP, ...get(AT), ...simdAt(0x00, 0), ...simd(0xa0), ...get(GROW), ...LARGER, ...set(GROW)],
  ...[...get(AT), ...plus(16), ...set(AT), ...get(AT), ...get(STOP), LESS, ...againIf(0), END],
  ...[...orAfter(8), ...orAfter(4)],
  ...[...ALL_127, ...get(GROW), ...TO_SINGLES, ...simd(0xe7), ...set(GROW)],
  ...[...get(SUM), ...set(AT)],
  ...[...LOOP, ...eight(0), ...set(HALF), ...eight(32), ...set(NEXT), ...squared(HALF), ...squared(NEXT)],
  ...[
    ...get(OUT),
    ...get(HALF),
    ...get(NEXT),
    ...simd(0x65),
    ...simdAt(0x0b, 0),
    ...get(OUT),
    ...plus(16),
    ...set(OUT),
  ],
  ...[...get(AT), ...plus(64), ...set(AT), ...get(AT), ...get(STOP), LESS, ...againIf(0), END],
  ...[...get(SQUARES_AT), ...get(SQUARES), ...simdAt(0x0b, 0)],
  END,
]);
