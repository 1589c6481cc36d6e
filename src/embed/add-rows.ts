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

/** Components that are added up in one go; 32 and 64 took longer. */
export const AT_ONCE = 16;

// Parameters: the list of places, its end, the weights, the sum, dims. Locals: first of the components at hand, place in
// both lists; bytes of a row, half of them as wider numbers, a weight, and four sums of four components.
const [LIST, STOP, WEIGHTS, SUM, DIMS, FIRST, AT, WEIGHT_AT] = [0, 1, 2, 3, 4, 5, 6, 7] as const;
const [BYTES, HALF, WEIGHT, SUMS] = [8, 9, 10, 11] as const;
const QUARTERS = AT_ONCE / 4;

const HALVES = [simd(0x87), simd(0x88)];
/** Of the lower and the upper four: 16 bits times 16 bits are 32. */
const TIMES = [simd(0xbc), simd(0xbd)];
const PLUS = simd(0xae);
const ZERO = simd(0x0c, ...new Array<number>(16).fill(0));
const eachQuarter = (code: (quarter: number) => readonly number[]) =>
  Array.from({ length: QUARTERS }, (_, i) => code(i)).flat();

/** Four by four of a row's 16 components: sum ← sum + weight · component. */
const addQuarter = (quarter: number) => [
  ...(quarter % 2 === 0 ? [...get(BYTES), ...HALVES[quarter >> 1]!, ...set(HALF)] : []),
  ...[...get(SUMS + quarter), ...get(HALF), ...get(WEIGHT), ...TIMES[quarter & 1]!, ...PLUS, ...set(SUMS + quarter)],
];

const BODY = [
  ...[2, 3, 0x7f, 3 + QUARTERS, 0x7b], // locals: 3 × i32, 7 × v128
  ...LOOP, // over 16 components at a time
  ...eachQuarter((quarter) => [...ZERO, ...set(SUMS + quarter)]),
  ...[...get(LIST), ...set(AT), ...get(WEIGHTS), ...set(WEIGHT_AT)],
  ...[...BLOCK, ...LOOP], // over rows
  ...[...get(AT), ...get(STOP), NOT_LESS, ...againIf(1)],
  ...[...get(AT), 0x28, 2, 0, ...get(FIRST), ADD, ...simdAt(0x00, 0), ...set(BYTES)],
  ...[...get(WEIGHT_AT), ...simdAt(0x08, 0), ...set(WEIGHT)],
  ...eachQuarter(addQuarter),
  ...[...get(AT), ...plus(4), ...set(AT), ...get(WEIGHT_AT), ...plus(2), ...set(WEIGHT_AT)],
  ...[...again(0), END, END],
  ...eachQuarter((quarter) => [...get(SUM), ...get(SUMS + quarter), ...simdAt(0x0b, 16 * quarter)]),
  ...[...get(SUM), ...plus(4 * AT_ONCE), ...set(SUM), ...get(FIRST), ...plus(AT_ONCE), ...set(FIRST)],
  ...[...get(FIRST), ...get(DIMS), LESS, ...againIf(0), END],
  END,
];

export const ADD_ROWS = moduleOf(BODY);
