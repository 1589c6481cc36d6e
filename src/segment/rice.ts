/** Ascending numbers in few bits: Rice-coded gaps, or a bitmap where most numbers are present. */
import type { ByteCursor, ByteWriter } from "./bytes.ts";

/** Instead of a Rice parameter: the list is a bitmap. */
const BITMAP = 0xff;

/** `numbers[from, to)`, ascending, at least two. */
export interface Ascending {
  readonly numbers: Uint32Array;
  readonly from: number;
  readonly to: number;
}

/** Writes numbers below `limit`. The reader must know their count and the limit. */
export function writeNumbers(out: ByteWriter, list: Ascending, limit: number): void {
  const { numbers, from, to } = list;
  const count = to - from;
  const bits = shared.emptied();
  // A gap of 2 takes two bits; a bitmap is cheaper if more than half of the numbers are present.
  const parameter = count * 2 > limit ? BITMAP : riceParameter(count, limit);
  if (parameter === BITMAP) bits.bitmap(list, limit);
  else {
    for (let i = from, last = -1; i < to; i++) {
      bits.rice(numbers[i]! - last - 1, parameter);
      last = numbers[i]!;
    }
  }
  bits.finish(parameter, out);
}

/** Visits every number of the list and moves the cursor after it. */
export function readNumbers(cursor: ByteCursor, count: number, visit: (number: number) => void): void {
  const end = cursor.varint() + cursor.at;
  const { bytes, at } = cursor;
  const parameter = bytes[at]!;
  if (parameter === BITMAP) readBitmap(bytes, at + 1, count, visit);
  else readRice(bytes, at + 1, { count, parameter }, visit);
  cursor.at = end;
}

/** Keeps those of the first `length` numbers, which ascend, that the list has; returns how many. Moves the cursor after the list. */
export function keepNumbers(cursor: ByteCursor, count: number, numbers: Uint32Array, length: number): number {
  const { bytes, at } = cursor;
  const size = cursor.varint();
  const from = cursor.at;
  cursor.at = at;
  let kept = 0;
  if (bytes[from] !== BITMAP) {
    let next = 0;
    readNumbers(cursor, count, (number) => {
      while (next < length && numbers[next]! < number) next++;
      if (next < length && numbers[next] === number) numbers[kept++] = number;
    });
    return kept;
  }
  const end = from + size;
  for (let i = 0; i < length; i++) {
    const number = numbers[i]!;
    const byte = from + 1 + (number >> 3);
    if (byte < end && ((bytes[byte]! >> (number & 7)) & 1) === 1) numbers[kept++] = number;
  }
  cursor.at = end;
  return kept;
}

// Bits are read inline: a shared function doubled the time for four million gaps.
function readBitmap(bytes: Uint8Array, from: number, count: number, visit: (number: number) => void): void {
  for (let at = from, number = 0, left = count; left > 0; at++, number += 8) {
    const byte = bytes[at]!;
    for (let bit = 0; bit < 8 && left > 0; bit++) {
      if (((byte >> bit) & 1) === 0) continue;
      visit(number + bit);
      left--;
    }
  }
}

/** Bits of four bytes that are available at any bit offset in the first byte. */
const HELD_BITS = 25;

function readRice(
  bytes: Uint8Array,
  from: number,
  { count, parameter }: { readonly count: number; readonly parameter: number },
  visit: (number: number) => void,
): void {
  const low = (1 << parameter) - 1;
  // Up to here four bytes can be read at once.
  const end = bytes.length - 3;
  let at = from * 8;
  for (let i = 0, last = -1; i < count; i++) {
    const byte = at >> 3;
    if (byte < end) {
      const word = bytes[byte]! | (bytes[byte + 1]! << 8) | (bytes[byte + 2]! << 16) | (bytes[byte + 3]! << 24);
      const bits = word >>> (at & 7);
      // -1 if all bits are ones.
      const ones = 31 - Math.clz32(~bits & (bits + 1));
      if (ones >= 0 && ones + parameter < HELD_BITS) {
        at += ones + 1 + parameter;
        last += ((ones << parameter) | ((bits >>> (ones + 1)) & low)) + 1;
        visit(last);
        continue;
      }
    }
    // Longer codes and the last ones are read bit by bit.
    let high = 0;
    for (; ((bytes[at >> 3]! >> (at & 7)) & 1) === 1; at++) high++;
    at++;
    let rest = 0;
    for (let k = 0; k < parameter; k++, at++) rest |= ((bytes[at >> 3]! >> (at & 7)) & 1) << k;
    last += ((high << parameter) | rest) + 1;
    visit(last);
  }
}

/** The usual choice for evenly spread numbers: log2 of 0.69 times the mean gap. */
function riceParameter(count: number, limit: number): number {
  return Math.max(0, Math.floor(Math.log2(Math.max(1, (limit / count) * 0.69))));
}

/** Low bits first. Bits are collected in a number, because a million lines have ten million gaps. */
class Bits {
  private bytes = new Uint8Array(64);
  private length = 0;
  private gathered = 0;
  private held = 0;

  emptied(): this {
    this.length = 0;
    this.gathered = 0;
    this.held = 0;
    return this;
  }

  rice(value: number, parameter: number): void {
    for (let left = value >>> parameter; left > 0; left -= 16) {
      const ones = Math.min(16, left);
      this.push((1 << ones) - 1, ones);
    }
    this.push(0, 1);
    if (parameter > 16) {
      this.push(value & 0xffff, 16);
      this.push((value >>> 16) & ((1 << (parameter - 16)) - 1), parameter - 16);
    } else this.push(value & ((1 << parameter) - 1), parameter);
  }

  bitmap({ numbers, from, to }: Ascending, limit: number): void {
    while (this.bytes.length * 8 < limit) this.grow();
    this.bytes.fill(0, 0, (limit + 7) >> 3);
    for (let i = from; i < to; i++) this.bytes[numbers[i]! >> 3]! |= 1 << (numbers[i]! & 7);
    this.length = (numbers[to - 1]! >> 3) + 1;
  }

  finish(parameter: number, out: ByteWriter): void {
    if (this.held > 0) this.push(0, 8 - this.held);
    out.varint(this.length + 1);
    out.byte(parameter);
    out.raw(this.bytes, this.length);
  }

  /** At most 16 bits. */
  private push(bits: number, count: number): void {
    this.gathered |= bits << this.held;
    this.held += count;
    while (this.held >= 8) {
      if (this.length === this.bytes.length) this.grow();
      this.bytes[this.length++] = this.gathered & 0xff;
      this.gathered >>>= 8;
      this.held -= 8;
    }
  }

  private grow(): void {
    const larger = new Uint8Array(this.bytes.length * 2);
    larger.set(this.bytes);
    this.bytes = larger;
  }
}

/** Reused by all calls: a buffer per list would be garbage 50,000 times per segment. */
const shared = new Bits();
