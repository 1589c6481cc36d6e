/** Numbers as variable-length integers, and all strings behind them as one text. */
import { ByteCursor, ByteWriter, fromUtf8 } from "./bytes.ts";
import { CorruptionError } from "./corruption.ts";

/** Numbers as they come; lengths of strings among them, the strings themselves apart. */
export class Packing {
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

export class Unpacking {
  start = 0;
  line = 0;
  root = "";
  private readonly cursor: ByteCursor;
  private readonly numbersEnd: number;
  private readonly bytes: Uint8Array;
  private text: string | undefined;
  private textAt = 0;

  constructor(bytes: Uint8Array) {
    this.cursor = new ByteCursor(bytes, 0);
    const length = this.cursor.varint();
    this.numbersEnd = this.cursor.at + length;
    this.bytes = bytes;
  }

  number(): number {
    return this.cursor.varint();
  }

  signed(): number {
    const value = this.cursor.varint();
    return (value & 1) === 1 ? -(value + 1) / 2 : value / 2;
  }

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

  /** Passes a string by; it is not decoded. */
  skip(): void {
    this.cursor.varint();
  }

  end(): void {
    if (this.cursor.at !== this.numbersEnd || (this.text !== undefined && this.textAt !== this.text.length))
      throw new CorruptionError("stored content is longer or shorter than it says");
  }
}
