/** Numbers as variable-length integers, and all strings behind them as one text. */
import { fromAscii } from "../text/ascii.ts";
import { ByteCursor, ByteWriter, fromUtf8 } from "./bytes.ts";
import { CorruptionError } from "./corruption.ts";

/** Numbers as they come; lengths of strings among them, the strings themselves apart. */
export class RecordWriter {
  start = 0;
  line = 0;
  root = "";
  private readonly numbers = new ByteWriter();
  private readonly strings: string[] = [];

  number(value: number): void {
    this.numbers.varint(value);
  }

  signed(value: number): void {
    this.numbers.varint(value < 0 ? -2 * value - 1 : 2 * value);
  }

  string(value: string): void {
    this.numbers.varint(value.length);
    this.strings.push(value);
  }

  bytes(): Uint8Array {
    const out = new ByteWriter();
    out.varint(this.numbers.length);
    out.raw(this.numbers.written());
    out.text(this.strings.join(""));
    return out.written().slice();
  }
}

/** The numbers of what was packed, from any of them on. What they are relative to is kept by who reads them. */
class NumberReader {
  start = 0;
  line = 0;
  root = "";
  protected readonly bytes: Uint8Array;
  protected readonly cursor: ByteCursor;
  protected readonly numbersEnd: number;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.cursor = new ByteCursor(bytes, 0);
    const length = this.cursor.varint();
    this.numbersEnd = this.cursor.at + length;
  }

  number(): number {
    return this.cursor.varint();
  }

  signed(): number {
    const value = this.cursor.varint();
    return (value & 1) === 1 ? -(value + 1) / 2 : value / 2;
  }
}

/** Everything in the order in which it was packed. */
export class SequentialReader extends NumberReader {
  private text: string | undefined;
  private textAt = 0;

  count(): number {
    const value = this.cursor.varint();
    if (value > this.numbersEnd) throw new CorruptionError("stored content counts more than it holds");
    return value;
  }

  string(): string {
    this.text ??= fromUtf8(this.bytes.subarray(this.numbersEnd));
    const from = this.textAt;
    this.textAt += this.cursor.varint();
    return this.text.slice(from, this.textAt);
  }

  end(): void {
    if (this.cursor.at !== this.numbersEnd || (this.text !== undefined && this.textAt !== this.text.length))
      throw new CorruptionError("stored content is longer or shorter than it says");
  }
}

export interface RecordPosition {
  readonly at: number;
  readonly textAt: number;
}

/** Goes to any place in it; strings are passed by, or decoded one by one. */
export class RandomReader extends NumberReader {
  /** In UTF-16 units while strings are passed by, in bytes for `string`: the same where all is ASCII. */
  textAt = 0;
  private readonly isAscii: boolean;

  /** `isAscii`: as many bytes as units, which whoever has passed all strings by can tell. */
  constructor(bytes: Uint8Array, isAscii: boolean) {
    super(bytes);
    this.isAscii = isAscii;
  }

  get at(): number {
    return this.cursor.at;
  }

  get textBytes(): number {
    return this.bytes.length - this.numbersEnd;
  }

  goTo({ at, textAt }: RecordPosition): void {
    this.cursor.at = at;
    this.textAt = textAt;
  }

  /** Passes a string by and says its length in UTF-16 units. */
  skip(): number {
    const units = this.cursor.varint();
    this.textAt += units;
    return units;
  }

  string(): string {
    return this.text(this.cursor.varint());
  }

  /** So many units from where the strings stand; they move on. */
  text(units: number): string {
    const from = this.numbersEnd + this.textAt;
    const end = this.isAscii ? from + units : this.numbersEnd + this.after(units);
    this.textAt = end - this.numbersEnd;
    return this.isAscii ? fromAscii(this.bytes, from, end) : fromUtf8(this.bytes.subarray(from, end));
  }

  /** The byte that so many units come after, counted from where the strings stand. */
  after(units: number): number {
    let at = this.numbersEnd + this.textAt;
    for (let left = units; left > 0; left--) {
      const lead = this.bytes[at]!;
      at += lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
      // Beyond the first plane a sign takes two units.
      if (lead >= 0xf0) left--;
    }
    return at - this.numbersEnd;
  }

  end(): void {
    if (this.cursor.at !== this.numbersEnd)
      throw new CorruptionError("stored content is longer or shorter than it says");
  }
}
