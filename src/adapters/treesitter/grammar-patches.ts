/**
 * Repairs a grammar where it is known to be broken, or slow for no reason. Whatever is not found as it is known to be
 * stays as it is.
 *
 * Swift's scanner keeps its state where it asked for no memory at all, `calloc(0, 4)`: it begins each file with whatever
 * lay there, which on a heap that was used is a string never opened. Such a file is read with errors, in forty times the
 * time, or given up; which ones depends on what was read before.
 *
 * Ten grammars ask for every letter of a name whether one of some 700 ranges of Unicode holds it, and halve them ten
 * times for the answer, in code that stays at the baseline compiler. A letter below 128 is in one of the first ranges or
 * in none; looking at those in turn takes 5 % off the time that a C file is parsed in.
 */

/** `i32.const 0`, `i32.const 4`, `call` of the first import, `end`: all that the function does that makes the state. */
const NO_STATE = Uint8Array.of(0x41, 0, 0x41, 4, 0x10, 0, 0x0b);
const ONE_STATE = NO_STATE.with(1, 1);

/** The body of `set_contains(ranges, count, sign)` in the grammars: 121 bytes. */
const HALVING = Buffer.from(
  "01067f41002103410121040240034020002003200141017622056a22064103746a22072802042108024020022007280200480d0020022008" +
    "4c0d020b20062003200220084a1b2103200120056b220141014b0d000b410021042002200020034103746a2203280200480d002002200328" +
    "02044c21040b20040b",
  "hex",
);

/**
 * In its place, filled up with two `nop`:
 *
 *     if (sign < 128) while (ranges->end < sign) { ranges++; if (--count == 0) return 0; }
 *     else while (count >= 2) { half = count >> 1; if (ranges[half].start <= sign) ranges += half; count -= half; }
 *     return ranges->start <= sign & sign <= ranges->end;
 */
const IN_TURN = Buffer.from(
  "01017f2002418001490440034020002802042002480440200041086a2100200141016b22010d0141000f0b0b050240034020014102490d01" +
    "2000200141017622034103746a28020020024c0440200020034103746a21000b200120036b21010c000b000b0b200028020020024c200220" +
    "002802044c7101010b",
  "hex",
);

export function mended(wasm: Buffer): Uint8Array {
  return replaced(replaced(wasm, NO_STATE, ONE_STATE), HALVING, IN_TURN);
}

/** By as many bytes; the same bytes, untouched, where `known` is not there exactly once. */
export function replaced(wasm: Buffer, known: Uint8Array, better: Uint8Array): Buffer {
  const at = wasm.indexOf(known);
  if (at === -1 || wasm.indexOf(known, at + 1) !== -1) return wasm;
  const copy = Buffer.from(wasm);
  copy.set(better, at);
  return copy;
}
