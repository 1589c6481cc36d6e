/**
 * Reads SCIP documents out of a stream of bytes, after the public schema (scip.proto, version 0). One document is in memory
 * at a time, every length is checked, and what other programs may add is skipped.
 */

/** The file is no SCIP index, or a damaged one; the message says where. */
export class ScipError extends Error {}

export type PositionEncoding = "utf8" | "utf16" | "utf32";

export interface ScipMetadata {
  /** Name and version of the program that wrote the index. */
  readonly tool: string;
  /** A file URL. */
  readonly projectRoot: string;
}

export interface DecodedOccurrence {
  /** All 0-based; the end is exclusive and may be on another line. */
  readonly line: number;
  readonly start: number;
  readonly endLine: number;
  readonly end: number;
  readonly symbol: string;
  readonly isDefinition: boolean;
}

export interface DecodedDocument {
  readonly path: string;
  /** Absent: the program does not say. */
  readonly encoding?: PositionEncoding;
  /** The content that it was written about, where the index holds it. */
  readonly text?: string;
  readonly occurrences: readonly DecodedOccurrence[];
}

/** Only a generated file of millions of lines is larger. */
const MAX_MESSAGE_BYTES = 256 << 20;
const MAX_SYMBOL_BYTES = 64 << 10;
const MAX_POSITION = 2 ** 31 - 1;

/** The metadata comes first. Throws `ScipError`. */
export async function* readScip(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ readonly metadata: ScipMetadata } | { readonly document: DecodedDocument }> {
  const stream = new ByteStream(bytes);
  for (let isFirst = true; !(await stream.isAtEnd()); isFirst = false) {
    const at = stream.offset;
    const { field, wire } = tagOf(await stream.varint());
    if (isFirst && (field !== 1 || wire !== LENGTH))
      throw new ScipError("it does not begin with the metadata of an index");
    if (field > 2 || wire !== LENGTH) {
      await stream.skip(wire);
      continue;
    }
    const length = await stream.varint();
    if (length > MAX_MESSAGE_BYTES) throw new ScipError(`a document of ${length} bytes is too large, at byte ${at}`);
    const message = new Message(await stream.take(length), at);
    yield field === 1 ? { metadata: decodeMetadata(message) } : { document: decodeDocument(message) };
  }
  if (stream.offset === 0) throw new ScipError("it is empty");
}

const [VARINT, FIXED64, LENGTH, FIXED32] = [0, 1, 2, 5];

function tagOf(tag: number): { readonly field: number; readonly wire: number } {
  const field = Math.floor(tag / 8);
  if (field === 0 || tag > 0xffffffff) throw new ScipError("it is not a SCIP index");
  return { field, wire: tag % 8 };
}

function decodeMetadata(message: Message): ScipMetadata {
  let tool = "an unnamed program";
  let projectRoot = "";
  for (const field of message.fields())
    if (field === 2) tool = decodeTool(message.message());
    else if (field === 3) projectRoot = message.text();
    else message.skip();
  return { tool, projectRoot };
}

function decodeTool(message: Message): string {
  let [name, version] = ["", ""];
  for (const field of message.fields())
    if (field === 1) name = message.text();
    else if (field === 2) version = message.text();
    else message.skip();
  return (
    `${name} ${version}`
      .trim()
      .replace(/\p{Cc}/gu, " ")
      .slice(0, 100) || "an unnamed program"
  );
}

const ENCODINGS: readonly (PositionEncoding | undefined)[] = [undefined, "utf8", "utf16", "utf32"];

function decodeDocument(message: Message): DecodedDocument {
  let path = "";
  let text: string | undefined;
  let encoding: PositionEncoding | undefined;
  const occurrences: DecodedOccurrence[] = [];
  for (const field of message.fields())
    if (field === 1) path = message.text();
    else if (field === 2) {
      const occurrence = decodeOccurrence(message.message());
      if (occurrence !== undefined) occurrences.push(occurrence);
    } else if (field === 5) text = message.text();
    else if (field === 6) encoding = ENCODINGS[message.number()];
    else message.skip();
  if (path === "") throw new ScipError(`a document has no path, at byte ${message.offset}`);
  return { path, ...(encoding && { encoding }), ...(text && { text }), occurrences };
}

const DEFINITION = 1;
/** `typed_range`, which newer programs write instead of `range`. */
const [SINGLE_LINE, MULTI_LINE] = [8, 9];

/** Undefined: it marks up text and names no symbol. */
function decodeOccurrence(message: Message): DecodedOccurrence | undefined {
  let range: readonly number[] = [];
  let symbol = "";
  let roles = 0;
  for (const field of message.fields())
    if (field === 1) range = [...range, ...message.numbers()];
    else if (field === 2) symbol = message.text(MAX_SYMBOL_BYTES);
    else if (field === 3) roles = message.number();
    else if (field === SINGLE_LINE) range = decodeTypedRange(message.message(), 3);
    else if (field === MULTI_LINE) range = decodeTypedRange(message.message(), 4);
    else message.skip();
  if (symbol === "") return undefined;
  if (range.length !== 3 && range.length !== 4)
    throw new ScipError(`an occurrence has a range of ${range.length} numbers, at byte ${message.offset}`);
  const [line, start, third, fourth] = range as [number, number, number, number | undefined];
  const [endLine, end] = fourth === undefined ? [line, third] : [third, fourth];
  return { line, start, endLine, end, symbol, isDefinition: roles % 2 === DEFINITION };
}

/** Numbers that are 0 are not written. */
function decodeTypedRange(message: Message, count: number): number[] {
  const numbers = Array.from({ length: count }, () => 0);
  for (const field of message.fields())
    if (field <= count) numbers[field - 1] = message.number();
    else message.skip();
  return numbers;
}

const decoder = new TextDecoder("utf-8", { fatal: true });

/** One message in memory, read from front to back. */
class Message {
  readonly offset: number;
  readonly #bytes: Uint8Array;
  #at = 0;
  #wire = 0;

  constructor(bytes: Uint8Array, offset: number) {
    this.#bytes = bytes;
    this.offset = offset;
  }

  /** Each field's number; the caller reads or skips its value before the next. */
  *fields(): Generator<number> {
    while (this.#at < this.#bytes.length) {
      const { field, wire } = tagOf(this.#varint());
      this.#wire = wire;
      yield field;
    }
  }

  number(): number {
    this.#require(VARINT);
    return this.#position();
  }

  /** A repeated number, one at a time or packed. */
  numbers(): number[] {
    if (this.#wire === VARINT) return [this.#position()];
    const end = this.#end();
    const numbers: number[] = [];
    while (this.#at < end) numbers.push(this.#position());
    if (this.#at !== end || numbers.length > 4) throw this.#damaged();
    return numbers;
  }

  text(maxBytes = Number.POSITIVE_INFINITY): string {
    const bytes = this.#slice();
    if (bytes.length > maxBytes)
      throw new ScipError(`a name of ${bytes.length} bytes is too long, at byte ${this.offset}`);
    try {
      return decoder.decode(bytes);
    } catch {
      throw this.#damaged();
    }
  }

  message(): Message {
    const from = this.offset + this.#at;
    return new Message(this.#slice(), from);
  }

  skip(): void {
    if (this.#wire === VARINT) this.#varint();
    else if (this.#wire === LENGTH) this.#slice();
    else if (this.#wire === FIXED32 || this.#wire === FIXED64) this.#move(this.#wire === FIXED32 ? 4 : 8);
    else throw this.#damaged();
  }

  #slice(): Uint8Array {
    const end = this.#end();
    const bytes = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return bytes;
  }

  #end(): number {
    this.#require(LENGTH);
    const length = this.#varint();
    if (length > this.#bytes.length - this.#at) throw this.#damaged();
    return this.#at + length;
  }

  #move(by: number): void {
    this.#at += by;
    if (this.#at > this.#bytes.length) throw this.#damaged();
  }

  /** Lines, columns and enumerations are not negative. */
  #position(): number {
    const number = this.#varint();
    if (number > MAX_POSITION) throw this.#damaged();
    return number;
  }

  #varint(): number {
    let value = 0;
    for (let scale = 1, i = 0; i < MAX_VARINT_BYTES; scale *= 0x80, i++) {
      const byte = this.#bytes[this.#at++];
      if (byte === undefined) throw this.#damaged();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
    throw this.#damaged();
  }

  #require(wire: number): void {
    if (this.#wire !== wire) throw this.#damaged();
  }

  #damaged(): ScipError {
    return new ScipError(`the message at byte ${this.offset} is damaged`);
  }
}

const MAX_VARINT_BYTES = 10;

/** Bytes in the order of the file. What a length promises is only allocated as it arrives. */
class ByteStream {
  offset = 0;
  readonly #chunks: AsyncIterator<Uint8Array>;
  #chunk: Uint8Array = new Uint8Array(0);
  #at = 0;

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#chunks = bytes[Symbol.asyncIterator]();
  }

  async isAtEnd(): Promise<boolean> {
    while (this.#at >= this.#chunk.length) {
      const { done, value } = await this.#chunks.next();
      if (done) return true;
      this.#chunk = value;
      this.#at = 0;
    }
    return false;
  }

  async varint(): Promise<number> {
    let value = 0;
    for (let scale = 1, i = 0; i < MAX_VARINT_BYTES; scale *= 0x80, i++) {
      const [byte] = await this.take(1);
      value += (byte! & 0x7f) * scale;
      if (byte! < 0x80) return value;
    }
    throw new ScipError(`the number at byte ${this.offset} is damaged`);
  }

  async take(length: number): Promise<Uint8Array> {
    const parts: Uint8Array[] = [];
    for await (const part of this.#parts(length)) parts.push(part);
    if (parts.length === 1) return parts[0]!;
    const joined = new Uint8Array(length);
    let at = 0;
    for (const part of parts) {
      joined.set(part, at);
      at += part.length;
    }
    return joined;
  }

  async skip(wire: number): Promise<void> {
    if (wire === VARINT) await this.varint();
    else if (wire === FIXED32 || wire === FIXED64) await this.#drop(wire === FIXED32 ? 4 : 8);
    else if (wire === LENGTH) await this.#drop(await this.varint());
    else throw new ScipError(`the message at byte ${this.offset} is damaged`);
  }

  async #drop(length: number): Promise<void> {
    for await (const _ of this.#parts(length));
  }

  async *#parts(length: number): AsyncGenerator<Uint8Array> {
    for (let left = length; left > 0; ) {
      if (await this.isAtEnd()) throw new ScipError(`it ends at byte ${this.offset}, inside a message`);
      const part = this.#chunk.subarray(this.#at, this.#at + left);
      this.#at += part.length;
      this.offset += part.length;
      left -= part.length;
      yield part;
    }
  }
}
