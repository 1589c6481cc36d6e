/**
 * The container of a segment: a header, a table of sections, sections on 4-byte boundaries, one CRC over all of it.
 *
 * Sections are raw typed arrays, so opening one parses nothing. A reader ignores sections it does not know.
 */
import { crc32 } from "node:zlib";
import { CorruptionError } from "./corruption.ts";

/** Position of each section in the table. New ones are added at the end; a number that nobody has is an empty section. */
export const SECTION = {
  fileChunks: 0,
  fileSymbols: 1,
  chunkLengths: 2,
  termOffsets: 3,
  termBytes: 4,
  postingOffsets: 5,
  postingBytes: 6,
  nameOffsets: 7,
  nameBytes: 8,
  nameSymbolOffsets: 9,
  nameSymbolBytes: 10,
  idHigh: 11,
  idLow: 12,
  idSymbols: 13,
  mentionOffsets: 18,
  mentionBytes: 19,
  mentionFileOffsets: 20,
  mentionFileBytes: 21,
  moduleOffsets: 22,
  moduleBytes: 23,
} as const;

export type Sections = Readonly<Record<keyof typeof SECTION, Uint32Array | Uint8Array>>;

const MAGIC = 0x47534343; // "CCSG"
const VERSION = 1;
const HEADER_WORDS = 5; // magic, version, crc, bytes in all, number of sections
const CRC_COVERS_FROM = 12;

export function packSections(sections: Sections): Uint8Array {
  const names = Object.keys(SECTION) as (keyof typeof SECTION)[];
  const count = 1 + Math.max(...Object.values(SECTION));
  let size = (HEADER_WORDS + count * 2) * 4;
  const header = new Uint32Array(HEADER_WORDS + count * 2);
  for (const name of names) {
    header[HEADER_WORDS + SECTION[name] * 2] = size;
    header[HEADER_WORDS + SECTION[name] * 2 + 1] = sections[name].byteLength;
    size = align(size + sections[name].byteLength);
  }
  header.set([MAGIC, VERSION, 0, size, count]);
  const out = new Uint8Array(size);
  out.set(asBytes(header));
  for (const name of names) out.set(asBytes(sections[name]), header[HEADER_WORDS + SECTION[name] * 2]);
  new DataView(out.buffer).setUint32(8, crc32(out.subarray(CRC_COVERS_FROM)), true);
  return out;
}

/** Checks magic, version, length and CRC; returns how to get at a section. Throws `CorruptionError`. */
export function unpackSections(given: Uint8Array): SectionReader {
  const bytes = given.byteOffset % 4 === 0 ? given : given.slice();
  if (bytes.length < HEADER_WORDS * 4) throw new CorruptionError("segment is cut off in its header");
  const header = new Uint32Array(bytes.buffer, bytes.byteOffset, HEADER_WORDS);
  if (header[0] !== MAGIC) throw new CorruptionError("segment does not start with its magic number");
  if (header[1] !== VERSION) throw new CorruptionError(`segment has format version ${header[1]}, not ${VERSION}`);
  if (header[3] !== bytes.length)
    throw new CorruptionError(`segment has ${bytes.length} bytes instead of ${header[3]}`);
  if (crc32(bytes.subarray(CRC_COVERS_FROM)) !== header[2]) throw new CorruptionError("segment fails its checksum");
  return new SectionReader(bytes, header[4]!);
}

/** Views into a checked segment. */
export class SectionReader {
  private readonly bytes: Uint8Array;
  private readonly table: Uint32Array;

  constructor(bytes: Uint8Array, count: number) {
    this.bytes = bytes;
    this.table = new Uint32Array(bytes.buffer, bytes.byteOffset + HEADER_WORDS * 4, count * 2);
  }

  words(name: keyof typeof SECTION): Uint32Array {
    const at = SECTION[name] * 2;
    if (at >= this.table.length) return new Uint32Array(0);
    return new Uint32Array(this.bytes.buffer, this.bytes.byteOffset + this.table[at]!, this.table[at + 1]! / 4);
  }

  octets(name: keyof typeof SECTION): Uint8Array {
    const at = SECTION[name] * 2;
    if (at >= this.table.length) return new Uint8Array(0);
    return new Uint8Array(this.bytes.buffer, this.bytes.byteOffset + this.table[at]!, this.table[at + 1]!);
  }
}

function asBytes(array: Uint32Array | Uint8Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

function align(size: number): number {
  return (size + 3) & ~3;
}
