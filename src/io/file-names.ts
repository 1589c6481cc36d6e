/** File names are bytes; paths in the index are text. */
import { Buffer, isUtf8 } from "node:buffer";
import { sep } from "node:path";

/** A path of the system with `/` between its names, as every root and every path of the index has it. */
export function withSlashes(path: string, separator: string = sep): string {
  if (separator !== "\\") return path;
  // The prefix lifts a limit of length for programs that ask for it; Node adds it where it is needed.
  return path
    .replace(/^\\\\\?\\UNC\\/i, "\\\\")
    .replace(/^\\\\\?\\/, "")
    .replaceAll("\\", "/");
}

/**
 * Decodes the bytes of a file name. Valid UTF-8 stays as it is; every invalid byte becomes `\\xNN`, so that such a file
 * still has a path as text.
 */
export function decodeFileName(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (isUtf8(buffer)) return buffer.toString("utf8");
  let name = "";
  for (let at = 0; at < buffer.length; ) {
    const length = [1, 2, 3, 4].find((n) => at + n <= buffer.length && isUtf8(buffer.subarray(at, at + n))) ?? 0;
    name += length === 0 ? `\\x${buffer[at]!.toString(16).padStart(2, "0")}` : buffer.toString("utf8", at, at + length);
    at += Math.max(1, length);
  }
  return name;
}

/** The bytes of a path that `decodeFileName` escaped; undefined when the path has no escape. */
export function escapedPathBytes(path: string): Buffer | undefined {
  if (!/\\x[0-9a-f]{2}/.test(path)) return undefined;
  const parts = path.split(/\\x([0-9a-f]{2})/);
  return Buffer.concat(parts.map((part, i) => (i % 2 === 0 ? Buffer.from(part, "utf8") : Buffer.from(part, "hex"))));
}
