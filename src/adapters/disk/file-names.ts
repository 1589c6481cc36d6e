/**
 * File names are bytes; paths in the index are text. Names that are valid UTF-8 stay as they are; in others every
 * invalid byte is spelt `\xNN`, and `diskPath` turns that back, so that such a file can be read and found.
 */
import { Buffer, isUtf8 } from "node:buffer";

export function decodeName(bytes: Buffer): string {
  return isUtf8(bytes) ? bytes.toString("utf8") : escapeInvalid(bytes);
}

/** The bytes of an escaped path; undefined when the path has no escape and is its own spelling. */
export function escapedPathBytes(path: string): Buffer | undefined {
  if (!/\\x[0-9a-f]{2}/.test(path)) return undefined;
  const parts = path.split(/\\x([0-9a-f]{2})/);
  return Buffer.concat(parts.map((part, i) => (i % 2 === 0 ? Buffer.from(part, "utf8") : Buffer.from(part, "hex"))));
}

function escapeInvalid(bytes: Buffer): string {
  let out = "";
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at);
    out += length === 0 ? `\\x${bytes[at]!.toString(16).padStart(2, "0")}` : bytes.toString("utf8", at, at + length);
    at += Math.max(1, length);
  }
  return out;
}

/** Length of the valid UTF-8 sequence at `at`, or 0. */
function sequenceLength(bytes: Buffer, at: number): number {
  for (let length = 1; length <= 4 && at + length <= bytes.length; length++) {
    if (isUtf8(bytes.subarray(at, at + length))) return length;
  }
  return 0;
}
