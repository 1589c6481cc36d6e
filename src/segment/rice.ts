/** Ascending numbers in few bits: gaps in Rice code, or a bit for each number where most are there. */
import type { ByteCursor, ByteWriter } from "./bytes.ts";

/** Instead of a Rice parameter: the list is a bitmap. */
const BITMAP = 0xff;

/** `numbers[0, count)` below `limit`, ascending, at least two. The reader must know count and limit. */
export function writeNumbers(out: ByteWriter, numbers: Uint32Array, count: number, limit: number): void {
  const bits = new Bits();
  // A gap of 2 takes two bits in Rice code; more than half of all numbers are cheaper as a bitmap.
  const parameter = count * 2 > limit ? BITMAP : riceParameter(count, limit);
  if (parameter === BITMAP) bits.bitmap(numbers, count, limit);
  else {
    for (let i = 0, last = -1; i < count; i++) {
      bits.rice(numbers[i]! - last - 1, parameter);
      last = numbers[i]!;
    }
  }
  const bytes = bits.finish();
  out.varint(bytes.length + 1);
  out.raw(Uint8Array.of(parameter));
  out.raw(bytes);
}

/** Sets `flags[number]` for every number of the list; the cursor is left behind it. */
export function readNumbers(cursor: ByteCursor, count: number, visit: (number: number) => void): void {
  const end = cursor.varint() + cursor.at;
  const { bytes } = cursor;
  const parameter = bytes[cursor.at]!;
  let at = (cursor.at + 1) * 8;
  const bit = () => (bytes[at >> 3]! >> (at++ & 7)) & 1;
  if (parameter === BITMAP) {
    for (let number = 0, left = count; left > 0; number++) {
      if (bit() === 0) continue;
      visit(number);
      left--;
    }
  } else {
    for (let i = 0, last = -1; i < count; i++) {
      let high = 0;
      while (bit() === 1) high++;
      let low = 0;
      for (let k = 0; k < parameter; k++) low |= bit() << k;
      last += ((high << parameter) | low) + 1;
      visit(last);
    }
  }
  cursor.at = end;
}

/** The usual choice for evenly spread numbers: log2 of 0.69 times the mean gap. */
function riceParameter(count: number, limit: number): number {
  return Math.max(0, Math.floor(Math.log2(Math.max(1, (limit / count) * 0.69))));
}

/** Low bits first. Ten million gaps go through here for a million lines, so bits are gathered in a number. */
class Bits {
  private bytes = new Uint8Array(64);
  private length = 0;
  private gathered = 0;
  private held = 0;

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

  bitmap(numbers: Uint32Array, count: number, limit: number): void {
    this.bytes = new Uint8Array((limit + 7) >> 3);
    for (let i = 0; i < count; i++) this.bytes[numbers[i]! >> 3]! |= 1 << (numbers[i]! & 7);
    this.length = (numbers[count - 1]! >> 3) + 1;
  }

  finish(): Uint8Array {
    if (this.held > 0) this.push(0, 8 - this.held);
    return this.bytes.subarray(0, this.length);
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
