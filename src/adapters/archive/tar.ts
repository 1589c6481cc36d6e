/**
 * The ustar header of a regular file: no links, directories, extensions, owners or dates. What tar libraries were
 * attacked through cannot be expressed.
 */
import { Buffer } from "node:buffer";

export const BLOCK = 512;
/** Size of the zstd window: 8 MB hold all versions of one path and its neighbours. */
export const WINDOW_LOG = 23;

/** Offset and length of each field. */
const FIELD = {
  name: [0, 100],
  mode: [100, 8],
  uid: [108, 8],
  gid: [116, 8],
  size: [124, 12],
  mtime: [136, 12],
  checksum: [148, 8],
  type: [156, 1],
  magic: [257, 8],
} as const;

const MAGIC = "ustar\x0000";
const REGULAR = "0";
/** Eleven octal digits. */
const MOST_BYTES = 8 ** 11 - 1;

export function createHeader(name: string, size: number): Buffer {
  if (Buffer.byteLength(name) > FIELD.name[1] || size > MOST_BYTES) throw new Error(`${name} does not fit a header`);
  const block = Buffer.alloc(BLOCK);
  const put = (field: keyof typeof FIELD, text: string) => block.write(text, FIELD[field][0], "latin1");
  put("name", name);
  put("mode", `${octal(0o644, 7)}\0`);
  put("uid", `${octal(0, 7)}\0`);
  put("gid", `${octal(0, 7)}\0`);
  put("size", `${octal(size, 11)}\0`);
  put("mtime", `${octal(0, 11)}\0`);
  put("type", REGULAR);
  put("magic", MAGIC);
  put("checksum", `${octal(checksum(block), 6)}\0 `);
  return block;
}

/** Undefined for the block of zeros that ends an archive. Throws unless it is exactly a header of ours. */
export function readHeader(block: Buffer): { readonly name: string; readonly size: number } | undefined {
  if (block.every((byte) => byte === 0)) return undefined;
  const [nameAt, nameLength] = FIELD.name;
  const end = block.indexOf(0, nameAt);
  const name = block.toString("latin1", nameAt, Math.min(end < 0 ? nameLength : end, nameLength));
  const size = sizeIn(block);
  // Only headers that we would have written ourselves are accepted.
  if (size === undefined || !/^[a-z.]+$/.test(name) || !createHeader(name, size).equals(block)) {
    throw new Error("it has a member that is no plain file as `codecompass state export` writes it");
  }
  return { name, size };
}

function sizeIn(block: Buffer): number | undefined {
  const text = block.toString("latin1", FIELD.size[0], FIELD.size[0] + FIELD.size[1] - 1);
  return /^[0-7]{11}$/.test(text) ? Number.parseInt(text, 8) : undefined;
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, "0");
}

/** The sum of all bytes, with blanks in place of the checksum. */
function checksum(block: Buffer): number {
  const [from, length] = FIELD.checksum;
  return block.reduce((sum, byte, at) => sum + (at >= from && at < from + length ? 32 : byte), 0);
}

/** Zeros up to the next block. */
export function paddingLength(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK;
}
