/** Paths as git writes them: bytes parted by NUL. Spelt as the walker spells names that are not UTF-8: `\xNN`. */
import { type Buffer, isUtf8 } from "node:buffer";

/** The parts of an answer made with `-z`. */
export function splitNul(output: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf(0, at);
    const to = end < 0 ? output.length : end;
    parts.push(output.subarray(at, to));
    at = to + 1;
  }
  return parts;
}

export function decodePath(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString("utf8");
  let path = "";
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at);
    path += length === 0 ? `\\x${bytes[at]!.toString(16).padStart(2, "0")}` : bytes.toString("utf8", at, at + length);
    at += Math.max(1, length);
  }
  return path;
}

/** Length of the valid UTF-8 sequence at `at`, or 0. */
function sequenceLength(bytes: Buffer, at: number): number {
  for (let length = 1; length <= 4 && at + length <= bytes.length; length++) {
    if (isUtf8(bytes.subarray(at, at + length))) return length;
  }
  return 0;
}
