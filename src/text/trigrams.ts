/**
 * Trigrams over a small alphabet: letters without case, digits, most signs of code each for itself, the rest in bunches.
 * 64 signs make 2^18 trigrams: case costs nothing to ignore, and an index of files stays small. They only choose which
 * files to look at, so two signs that share a place cost time and never an answer. No trigram reaches over a line's end.
 */

import type { TrigramPlan } from "../model/grep.ts";

export const TRIGRAMS = 1 << 18;
const NEWLINE = 0xff;

/** Signs that are told apart, each group one sign. */
const GROUPS = [..."abcdefghijklmnopqrstuvwxyz0123456789_", " \t", ...".,;:()=+-*/&|!'\"#$@\\", "{}", "[]", "<>"];
const OTHER_ASCII = GROUPS.length;
/** Characters beyond ASCII, by whether their number is odd. */
const FOREIGN = GROUPS.length + 1;

const SIGNS = signs();

/** Number of the sign that a UTF-16 unit is counted as, below 64. */
export function trigramSign(unit: number): number {
  return SIGNS[unit]!;
}

/**
 * Writes the trigrams of a text into `out`, each once, and returns their number. `out` is as long as there are trigrams;
 * `seen` has a bit for each, which stays in the nearest cache, and serves text after text, as `out` does.
 */
export function distinctTrigrams(text: string, seen: Int32Array, out: Uint32Array): number {
  seen.fill(0);
  let count = 0;
  let trigram = 0;
  let run = 0;
  for (let i = 0; i < text.length; i++) {
    const sign = SIGNS[text.charCodeAt(i)]!;
    if (sign === NEWLINE) {
      run = 0;
      continue;
    }
    trigram = ((trigram << 6) | sign) & (TRIGRAMS - 1);
    if (++run < 3) continue;
    const bits = seen[trigram >>> 5]!;
    const bit = 1 << (trigram & 31);
    if ((bits & bit) !== 0) continue;
    seen[trigram >>> 5] = bits | bit;
    out[count++] = trigram;
  }
  return count;
}

/** Characters up to which a text's trigrams share bits: most of the smaller table's bits stay empty. */
const SMALL_TEXT = 32_768;
const SMALL_BITS = 15;
const ALL_BITS = 18;

/** A bit for each trigram of a text, to ask plans of it again and again: 32 KB, or 4 KB for a small one. */
export function trigramBits(text: string): Uint8Array {
  const width = text.length < SMALL_TEXT ? SMALL_BITS : ALL_BITS;
  const bits = new Uint8Array(1 << (width - 3));
  let trigram = 0;
  let run = 0;
  for (let i = 0; i < text.length; i++) {
    const sign = SIGNS[text.charCodeAt(i)]!;
    run = sign === NEWLINE ? 0 : run + 1;
    trigram = ((trigram << 6) | sign) & (TRIGRAMS - 1);
    if (run < 3) continue;
    const bit = trigramBit(trigram, width);
    bits[bit >> 3]! |= 1 << (bit & 7);
  }
  return bits;
}

function trigramBit(trigram: number, width: number): number {
  return width === ALL_BITS ? trigram : Math.imul(trigram, 0x9e3779b1) >>> (32 - width);
}

/** Whether a text with these bits may match. */
export function admits(plan: TrigramPlan, bits: Uint8Array): boolean {
  switch (plan.op) {
    case "any":
      return true;
    case "has": {
      const bit = trigramBit(plan.trigram, bits.length === 1 << (ALL_BITS - 3) ? ALL_BITS : SMALL_BITS);
      return (bits[bit >> 3]! & (1 << (bit & 7))) !== 0;
    }
    case "and":
      return plan.parts.every((part) => admits(part, bits));
    case "or":
      return plan.parts.some((part) => admits(part, bits));
  }
}

function signs(): Uint8Array {
  const table = new Uint8Array(0x10000);
  for (let unit = 0; unit < 0x10000; unit++) table[unit] = unit < 0x80 ? OTHER_ASCII : FOREIGN + (unit & 1);
  for (const [sign, group] of GROUPS.entries()) {
    for (const char of [...group, ...group.toUpperCase()]) table[char.charCodeAt(0)] = sign;
  }
  table[0x0a] = NEWLINE;
  return table;
}
