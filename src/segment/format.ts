/**
 * The container of a segment: a head with a table of sections and their checksums, then the sections on 4-byte boundaries.
 * Sections are raw typed arrays that are read on first use without parsing. A reader ignores unknown sections.
 */
import { crc32 } from "node:zlib";
import { CorruptionError } from "./bytes.ts";

/** Position of each section in the table. New sections are appended; an unused number is an empty section. */
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
  trigramBlocks: 14,
  trigramBytes: 15,
  mentionOffsets: 18,
  mentionBytes: 19,
  mentionFileOffsets: 20,
  mentionFileBytes: 21,
  moduleOffsets: 22,
  moduleBytes: 23,
} as const;

export type Sections = Readonly<Record<keyof typeof SECTION, Uint32Array | Uint8Array>>;

/**
 * Sections that are read together: a store keeps each part by itself, so that a query reads only what it needs. A section
 * that is not listed is a part of its own.
 */
const PARTS: readonly { readonly first: number; readonly last: number }[] = [
  // In the order of `PART`.
  { first: SECTION.fileChunks, last: SECTION.chunkLengths },
  { first: SECTION.termOffsets, last: SECTION.postingBytes },
  { first: SECTION.nameOffsets, last: SECTION.nameSymbolBytes },
  { first: SECTION.idHigh, last: SECTION.idSymbols },
  { first: 14, last: 17 },
  { first: SECTION.mentionOffsets, last: SECTION.moduleBytes },
];

/** The kinds of parts, for stores that prefetch what a query needs. */
export const PART = { files: 0, terms: 1, names: 2, ids: 3, trigrams: 4, mentions: 5 } as const;

const MAGIC = 0x47534343; // "CCSG"
const VERSION = 2;
const HEADER_WORDS = 5; // magic, version, crc of the rest of the head, bytes in all, number of sections
const ENTRY_WORDS = 3; // of each section: where it starts, its bytes, the crc up to the next boundary
const CRC_COVERS_FROM = 12;

export function packSections(sections: Sections): Uint8Array {
  const names = (Object.keys(SECTION) as (keyof typeof SECTION)[]).sort((a, b) => SECTION[a] - SECTION[b]);
  const count = 1 + Math.max(...Object.values(SECTION));
  const head = new Uint32Array(HEADER_WORDS + count * ENTRY_WORDS);
  let size = head.byteLength;
  for (const name of names) {
    const bytes = asBytes(sections[name]);
    const filling = new Uint8Array(align(bytes.length) - bytes.length);
    head.set([size, bytes.length, crc32(filling, crc32(bytes))], HEADER_WORDS + SECTION[name] * ENTRY_WORDS);
    size += bytes.length + filling.length;
  }
  head.set([MAGIC, VERSION, 0, size, count]);
  head[2] = crc32(asBytes(head).subarray(CRC_COVERS_FROM));
  const out = new Uint8Array(size);
  out.set(asBytes(head));
  for (const name of names) out.set(asBytes(sections[name]), head[HEADER_WORDS + SECTION[name] * ENTRY_WORDS]);
  return out;
}

/** Loads bytes of a segment from `at` on; a store reads the part that contains them. */
export type LoadBytes = (at: number, length: number) => Uint8Array;

/** Opens a complete segment in memory. */
export function unpackSections(bytes: Uint8Array): SectionReader {
  const reader = readHead(bytes);
  if (reader.byteLength !== bytes.length)
    throw new CorruptionError(`segment has ${bytes.length} bytes instead of ${reader.byteLength}`);
  return reader;
}

/** Verifies the head, which holds all other checksums. `load` defaults to the bytes after the head. Throws `CorruptionError`. */
export function readHead(given: Uint8Array, load?: LoadBytes): SectionReader {
  if (given.length < HEADER_WORDS * 4) throw new CorruptionError("segment is cut off in its header");
  const header = wordsOver(given.subarray(0, HEADER_WORDS * 4));
  if (header[0] !== MAGIC) throw new CorruptionError("segment does not start with its magic number");
  if (header[1] !== VERSION) throw new CorruptionError(`segment has format version ${header[1]}, not ${VERSION}`);
  const length = (HEADER_WORDS + header[4]! * ENTRY_WORDS) * 4;
  if (given.length < length) throw new CorruptionError("segment is cut off in its head");
  if (crc32(given.subarray(CRC_COVERS_FROM, length)) !== header[2])
    throw new CorruptionError("segment fails its checksum");
  return new SectionReader(given.slice(0, length), load ?? ((at, size) => given.subarray(at, at + size)));
}

/** Splits a segment for a store: the head and the non-empty parts. */
export function cutIntoParts(bytes: Uint8Array): { readonly head: Uint8Array; readonly parts: readonly CutPart[] } {
  const reader = unpackSections(bytes);
  const parts = reader.stretches().map(({ kind, start, end }) => ({ kind, start, bytes: bytes.subarray(start, end) }));
  return { head: reader.head, parts };
}

export interface StoredPart {
  /** Offset in the segment. */
  readonly start: number;
  readonly bytes: Uint8Array;
}

export interface CutPart extends StoredPart {
  /** One of `PART`, or a number of its own. */
  readonly kind: number;
}

/** The sections of a segment, loaded and verified on first use. */
export class SectionReader {
  readonly head: Uint8Array;
  readonly byteLength: number;
  /** Identifies the content of the whole segment. */
  readonly checksum: number;
  private readonly table: Uint32Array;
  private readonly load: LoadBytes;
  private readonly loaded = new Map<number, Uint8Array>();

  constructor(head: Uint8Array, load: LoadBytes) {
    const words = wordsOver(head);
    this.head = head;
    this.checksum = words[2]!;
    this.byteLength = words[3]!;
    this.table = words.subarray(HEADER_WORDS);
    this.load = load;
  }

  words(name: keyof typeof SECTION): Uint32Array {
    return wordsOver(this.section(SECTION[name]));
  }

  octets(name: keyof typeof SECTION): Uint8Array {
    return this.section(SECTION[name]);
  }

  /** Throws `CorruptionError` unless every byte is as it was written. */
  check(): void {
    for (let section = 0; section < this.table.length / ENTRY_WORDS; section++) this.section(section);
  }

  /** Offsets of the parts. */
  stretches(): { readonly kind: number; readonly start: number; readonly end: number }[] {
    const stretches = new Map<number, { kind: number; start: number; end: number }>();
    for (let section = 0; section < this.table.length / ENTRY_WORDS; section++) {
      const { start, length } = this.entry(section);
      if (length === 0) continue;
      const part = PARTS.findIndex(({ first, last }) => first <= section && section <= last);
      const kind = part < 0 ? PARTS.length + section : part;
      const before = stretches.get(kind);
      stretches.set(kind, { kind, start: before?.start ?? start, end: start + align(length) });
    }
    return [...stretches.values()];
  }

  private section(section: number): Uint8Array {
    const known = this.loaded.get(section);
    if (known !== undefined) return known;
    const { start, length, sum } = this.entry(section);
    const filled = length === 0 ? new Uint8Array(0) : this.load(start, align(length));
    if (filled.length !== align(length) || crc32(filled) !== sum)
      throw new CorruptionError(`section ${section} of a segment fails its checksum`);
    const bytes = filled.subarray(0, length);
    this.loaded.set(section, bytes);
    return bytes;
  }

  /** A section that is not in the table is empty. */
  private entry(section: number): { readonly start: number; readonly length: number; readonly sum: number } {
    const [start = 0, length = 0, sum = 0] = this.table.subarray(section * ENTRY_WORDS, (section + 1) * ENTRY_WORDS);
    return { start, length, sum };
  }
}

/** A Uint32Array needs a 4-byte boundary; other bytes are copied. */
function wordsOver(bytes: Uint8Array): Uint32Array {
  const placed = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  return new Uint32Array(placed.buffer, placed.byteOffset, placed.length >>> 2);
}

function asBytes(array: Uint32Array | Uint8Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

function align(size: number): number {
  return (size + 3) & ~3;
}
