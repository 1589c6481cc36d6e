/** The two data structures of a segment: a sorted dictionary and lists of postings. */
import { ByteCursor, ByteWriter, compareRange, fromUtf8, sortAsUtf8, utf8 } from "./bytes.ts";

/** Sorted strings as bytes and offsets. */
export class DictionaryWriter {
  private readonly out = new ByteWriter();
  private readonly starts: number[] = [];

  add(text: string): void {
    this.starts.push(this.out.length);
    this.out.text(text);
  }

  addBytes(text: Uint8Array): void {
    this.starts.push(this.out.length);
    this.out.raw(text);
  }

  offsets(): Uint32Array {
    return Uint32Array.from([...this.starts, this.out.length]);
  }

  bytes(): Uint8Array {
    return this.out.written();
  }
}

/** Lists of (number, count): the length, then gaps with a flag for the most frequent count 1. */
export class PostingsWriter {
  private readonly out = new ByteWriter();
  private readonly starts: number[] = [];
  private last = 0;

  begin(count: number): void {
    this.starts.push(this.out.length);
    this.out.varint(count);
    this.last = 0;
  }

  add(number: number, count: number): void {
    const gap = number - this.last;
    this.last = number;
    const once = count === 1 ? 1 : 0;
    this.out.varint((gap << 1) | once);
    if (once === 0) this.out.varint(count);
  }

  offsets(): Uint32Array {
    return Uint32Array.from([...this.starts, this.out.length]);
  }

  bytes(): Uint8Array {
    return this.out.written();
  }
}

/** Appends a number to the list of a key. */
export function addToList(lists: Map<string, number[]>, key: string, number: number): void {
  const known = lists.get(key);
  if (known) known.push(number);
  else lists.set(key, [number]);
}

/** Writes lists of ascending numbers with their keys. */
export function writeKeyedLists(numbers: ReadonlyMap<string, readonly number[]>) {
  const [keys, lists] = [new DictionaryWriter(), new PostingsWriter()];
  for (const key of sortAsUtf8([...numbers.keys()])) {
    const list = numbers.get(key)!;
    keys.add(key);
    lists.begin(list.length);
    for (const number of list) lists.add(number, 1);
  }
  return { keys, lists };
}

/** Strings sorted by their bytes, searched in place. */
export class Dictionary {
  readonly size: number;
  /** Offset of each string in `bytes`, and the end of the last. */
  readonly starts: Uint32Array;
  readonly bytes: Uint8Array;

  constructor(starts: Uint32Array, bytes: Uint8Array) {
    this.size = Math.max(0, starts.length - 1);
    this.starts = starts;
    this.bytes = bytes;
  }

  /** Position of the key, or -1. */
  find(key: string): number {
    return this.findBytes(utf8(key));
  }

  /** Like `find`, to search the same key in several dictionaries. */
  findBytes(key: Uint8Array): number {
    const at = this.lowerBound(key);
    return at < this.size && this.compare(at, key) === 0 ? at : -1;
  }

  /** Positions `[from, to)` of the keys that start with the prefix. */
  range(prefix: string): { readonly from: number; readonly to: number } {
    const key = utf8(prefix);
    const from = this.lowerBound(key);
    let to = from;
    while (to < this.size && this.startsWith(to, key)) to++;
    return { from, to };
  }

  at(position: number): string {
    return fromUtf8(this.bytesAt(position));
  }

  bytesAt(position: number): Uint8Array {
    return this.bytes.subarray(this.starts[position]!, this.starts[position + 1]!);
  }

  compare(position: number, other: Uint8Array): number {
    return compareRange(this.bytes, this.starts[position]!, this.starts[position + 1]!, other);
  }

  private lowerBound(key: Uint8Array): number {
    let low = 0;
    let high = this.size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.compare(middle, key) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private startsWith(position: number, prefix: Uint8Array): boolean {
    const start = this.starts[position]!;
    const end = Math.min(this.starts[position + 1]!, start + prefix.length);
    return compareRange(this.bytes, start, end, prefix) === 0;
  }
}

/** Lists written by `PostingsWriter`. */
export class Postings {
  private readonly starts: Uint32Array;
  private readonly bytes: Uint8Array;

  constructor(starts: Uint32Array, bytes: Uint8Array) {
    this.starts = starts;
    this.bytes = bytes;
  }

  /** Length of the list, without walking it. */
  count(list: number): number {
    return new ByteCursor(this.bytes, this.starts[list]!).varint();
  }

  /** Calls back with each number, ascending, and its count. */
  each(list: number, visit: (number: number, count: number) => void): void {
    const cursor = new ByteCursor(this.bytes, this.starts[list]!);
    let number = 0;
    for (let left = cursor.varint(); left > 0; left--) {
      const gap = cursor.varint();
      number += gap >>> 1;
      visit(number, (gap & 1) === 1 ? 1 : cursor.varint());
    }
  }

  /** Appends the list to two arrays that are long enough, `base` added to each number; returns the new end. */
  copyTo(list: number, base: number, numbers: Uint32Array, counts: Uint32Array, from: number): number {
    // The inner loop of every search: most varints are one byte and are read inline.
    const bytes = this.bytes;
    const cursor = new ByteCursor(bytes, this.starts[list]!);
    const end = from + cursor.varint();
    let at = cursor.at;
    let number = base;
    for (let i = from; i < end; i++) {
      let gap = bytes[at++]!;
      if (gap > 127) {
        cursor.at = at - 1;
        gap = cursor.varint();
        at = cursor.at;
      }
      number += gap >>> 1;
      numbers[i] = number;
      if ((gap & 1) === 1) {
        counts[i] = 1;
        continue;
      }
      let count = bytes[at++]!;
      if (count > 127) {
        cursor.at = at - 1;
        count = cursor.varint();
        at = cursor.at;
      }
      counts[i] = count;
    }
    return end;
  }
}
