/**
 * Trigrams over 64 classes of characters: letters without case, digits, most punctuation of code, the rest in groups. That
 * makes 2^18 trigrams, so the index stays small and case-insensitive search is free. Trigrams only preselect files: two
 * characters in one class cost time but never a match. No trigram spans a line end.
 */
import type { TrigramPlan } from "../model/grep.ts";

export const TRIGRAMS = 1 << 18;
const NEWLINE = 0xff;

/** Characters of a group are one class. */
const GROUPS = [..."abcdefghijklmnopqrstuvwxyz0123456789_", " \t", ...".,;:()=+-*/&|!'\"#$@\\", "{}", "[]", "<>"];
const OTHER_ASCII = GROUPS.length;
/** Two classes for characters beyond ASCII: even and odd. */
const FOREIGN = GROUPS.length + 1;

const SIGNS = signs();

/** The class of a UTF-16 unit, below 64. */
export function trigramSign(unit: number): number {
  return SIGNS[unit]!;
}

/**
 * Writes the distinct trigrams of a text into `out` and returns their number. `out` has room for all trigrams and `seen` a
 * bit for each, which fits the L1 cache; both are reused for the next text.
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

/** Shorter texts use a smaller, hashed bit table. */
const SMALL_TEXT = 32_768;
const SMALL_BITS = 15;
const ALL_BITS = 18;

/** A bit table of a text's trigrams, to test plans repeatedly: 32 KB, or 4 KB for a small text. */
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

/** Files that hold all trigrams of the text, in any case. */
export function literalPlan(text: string): TrigramPlan {
  const parts: TrigramPlan[] = [];
  for (const line of text.split("\n")) {
    for (let i = 0; i + 3 <= line.length; i++) {
      const [a, b, c] = [0, 1, 2].map((by) => trigramSign(line.charCodeAt(i + by)));
      parts.push({ op: "has", trigram: (a! << 12) | (b! << 6) | c! });
    }
  }
  return parts.length === 0 ? { op: "any" } : { op: "and", parts };
}

/** Whether a text with this bit table may match. */
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
  table.set([FOREIGN, FOREIGN + 1]);
  // Each process does this: one unit after the other takes 4 ms.
  for (let filled = 2; filled < table.length; filled *= 2) table.copyWithin(filled, 0, filled);
  table.fill(OTHER_ASCII, 0, 0x80);
  for (const [sign, group] of GROUPS.entries()) {
    for (const char of [...group, ...group.toUpperCase()]) table[char.charCodeAt(0)] = sign;
  }
  table[0x0a] = NEWLINE;
  return table;
}
