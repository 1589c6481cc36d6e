/** Symbol names of a segment that resemble a name: a scan of the dictionary, which takes about 20 ms for a million lines. */
import { editDistance, isJoint, mostEdits, nearestNames } from "../text/edit-distance.ts";
import { utf8 } from "./bytes.ts";
import type { Segment } from "./read.ts";
import { findOwner } from "./read.ts";
import { nameOfKey } from "./symbol-keys.ts";
import type { RankedFile, ViewPart } from "./view.ts";

/** The names nearest to one that may be misspelt, nearest first. */
export function nearNames(parts: readonly ViewPart<RankedFile>[], name: string, limit: number): string[] {
  const found: string[] = [];
  for (const { segment, files } of parts)
    eachNearName(
      segment,
      name,
      (slot) => files[slot] !== undefined,
      (near) => found.push(near),
    );
  return nearestNames(name, found, limit);
}

/** Calls back with each name within a few edits that a file passing `shows` defines. */
function eachNearName(
  segment: Segment,
  name: string,
  shows: (file: number) => boolean,
  visit: (name: string) => void,
): void {
  const letters = Uint16Array.from(utf8(name.toLowerCase())).filter((unit) => !isJoint(unit));
  const most = mostEdits(letters.length);
  const wanted = letterSet(letters, letters.length);
  const { names } = segment;
  const other = new Uint16Array(letters.length + most);
  for (let at = 0; at < names.size; at++) {
    const length = readLetters(names.bytes, names.starts[at]!, names.starts[at + 1]!, other);
    if (length < 0 || letters.length - length > most) continue;
    // Each edit adds or removes at most one letter on either side: most names are ruled out here.
    if (bitCount(wanted ^ letterSet(other, length)) > 2 * most) continue;
    if (editDistance(letters, other.subarray(0, length), most) > most) continue;
    if (isShown(segment, at, shows)) visit(nameOfKey(names.at(at)));
  }
}

/** The letters of a folded name, up to the separator; -1 if there are more than fit. Names beyond ASCII differ by bytes. */
function readLetters(bytes: Uint8Array, from: number, to: number, out: Uint16Array): number {
  let length = 0;
  for (let i = from; i < to && bytes[i] !== 0; i++) {
    if (isJoint(bytes[i]!)) continue;
    if (length === out.length) return -1;
    out[length++] = bytes[i]!;
  }
  return length;
}

function letterSet(letters: ArrayLike<number>, length: number): number {
  let set = 0;
  for (let i = 0; i < length; i++) set |= 1 << (letters[i]! & 31);
  return set;
}

function bitCount(bits: number): number {
  let count = 0;
  for (let left = bits; left !== 0; left &= left - 1) count++;
  return count;
}

function isShown(segment: Segment, at: number, shows: (file: number) => boolean): boolean {
  let shown = false;
  segment.nameSymbols.each(at, (ordinal) => {
    shown ||= shows(findOwner(segment.fileSymbols, ordinal));
  });
  return shown;
}
