/** The WebAssembly of `adder.ts`. Sums stay in registers while all rows pass by, 16 components of each. */
import {
  ADD,
  again,
  againIf,
  BLOCK,
  END,
  get,
  LESS,
  LOOP,
  moduleOf,
  NOT_LESS,
  plus,
  set,
  simd,
  simdAt,
} from "./assembly.ts";

/** Components that are added up in one go. */
export const AT_ONCE = 16;

// Parameters: the list of places, its end, the weights, the sum, dims. Locals: first of the components at hand, place in
// both lists; bytes of a row, halves and quarters of them as wider numbers, a weight, and eight sums of two components.
const [LIST, STOP, WEIGHTS, SUM, DIMS, FIRST, AT, WEIGHT_AT] = [0, 1, 2, 3, 4, 5, 6, 7] as const;
const [BYTES, HALF, QUARTER, WEIGHT, SUMS] = [8, 9, 10, 11, 12] as const;
const PAIRS = AT_ONCE / 2;

const HALVES = [simd(0x87), simd(0x88)];
const QUARTERS = [simd(0xa7), simd(0xa8)];
const UPPER_PAIR = simd(0x0d, ...[8, 9, 10, 11, 12, 13, 14, 15], ...[8, 9, 10, 11, 12, 13, 14, 15]);
const TO_DOUBLES = simd(0xfe);
const TIMES = simd(0xf2);
const PLUS = simd(0xf0);
const TO_SINGLES = simd(0x5e);
const FROM_SINGLES = simd(0x5f);
const eachPair = (code: (pair: number) => readonly number[]) => Array.from({ length: PAIRS }, (_, i) => code(i)).flat();

/** Pair by pair of a row's 16 components: sum ← rounded (sum + weight · component). */
const addPair = (pair: number) => [
  ...(pair % 4 === 0 ? [...get(BYTES), ...HALVES[pair >> 2]!, ...set(HALF)] : []),
  ...(pair % 2 === 0 ? [...get(HALF), ...QUARTERS[(pair >> 1) & 1]!, ...set(QUARTER)] : []),
  ...[...get(SUMS + pair), ...get(WEIGHT), ...get(QUARTER)],
  ...(pair % 2 === 0 ? [] : [...get(QUARTER), ...UPPER_PAIR]),
  ...[...TO_DOUBLES, ...TIMES, ...PLUS, ...TO_SINGLES, ...FROM_SINGLES, ...set(SUMS + pair)],
];

const BODY = [
  ...[2, 3, 0x7f, 4 + PAIRS, 0x7b], // locals: 3 × i32, 12 × v128
  ...LOOP, // over 16 components at a time
  ...eachPair((pair) => [...get(SUM), ...simdAt(0x5d, 8 * pair), ...FROM_SINGLES, ...set(SUMS + pair)]),
  ...[...get(LIST), ...set(AT), ...get(WEIGHTS), ...set(WEIGHT_AT)],
  ...[...BLOCK, ...LOOP], // over rows
  ...[...get(AT), ...get(STOP), NOT_LESS, ...againIf(1)],
  ...[...get(AT), 0x28, 2, 0, ...get(FIRST), ADD, ...simdAt(0x00, 0), ...set(BYTES)],
  ...[...get(WEIGHT_AT), ...simdAt(0x0a, 0), ...set(WEIGHT)],
  ...eachPair(addPair),
  ...[...get(AT), ...plus(4), ...set(AT), ...get(WEIGHT_AT), ...plus(8), ...set(WEIGHT_AT)],
  ...[...again(0), END, END],
  ...eachPair((pair) => [...get(SUM), ...get(SUMS + pair), ...TO_SINGLES, ...simdAt(0x5b, 8 * pair), 0]),
  ...[...get(SUM), ...plus(4 * AT_ONCE), ...set(SUM), ...get(FIRST), ...plus(AT_ONCE), ...set(FIRST)],
  ...[...get(FIRST), ...get(DIMS), LESS, ...againIf(0), END],
  END,
];

export const ADD_ROWS = moduleOf(BODY);
