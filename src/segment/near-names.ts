/** Symbol names of a segment that resemble a name: a scan of all names by their letters, which are kept after the first. */
import { editDistance, isJoint, LONGEST, mostEdits, nearestNames } from "../text/edit-distance.ts";
import { utf8 } from "./bytes.ts";
import type { Segment } from "./read.ts";
import { findOwner } from "./read.ts";
import { nameOfKey } from "./symbol-keys.ts";
import type { RankedFile, ViewPart } from "./view.ts";

/** The names nearest to one that may be misspelt, nearest first. */
export function nearNames<F extends RankedFile>(
  parts: readonly ViewPart<F>[],
  name: string,
  limit: number,
  inScope: (file: F) => boolean = () => true,
): string[] {
  const found: string[] = [];
  for (const { segment, files } of parts)
    eachNearName(
      segment,
      name,
      (slot) => files[slot] !== undefined && inScope(files[slot]),
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
  if (letters.length > LONGEST) return;
  const most = mostEdits(letters.length);
  const wanted = letterSet(letters, letters.length);
  const { names } = segment;
  const { sets, lengths } = lettersOf(segment);
  const other = new Uint16Array(LONGEST);
  for (let at = 0; at < sets.length; at++) {
    if (Math.abs(lengths[at]! - letters.length) > most) continue;
    // Each edit adds or removes at most one letter on either side: most names are ruled out here.
    if (bitCount(wanted ^ sets[at]!) > 2 * most) continue;
    const length = readLetters(names.bytes, names.starts[at]!, names.starts[at + 1]!, other);
    if (editDistance(letters, other.subarray(0, length), most) > most) continue;
    if (isShown(segment, at, shows)) visit(nameOfKey(names.at(at)));
  }
}

interface NameLetters {
  /** One bit for each letter of a name. */
  readonly sets: Int32Array;
  /** Names that are too long to be compared have 255. */
  readonly lengths: Uint8Array;
}

/** Five bytes a name. */
const known = new WeakMap<Segment, NameLetters>();

function lettersOf(segment: Segment): NameLetters {
  const found = known.get(segment);
  if (found !== undefined) return found;
  const { names } = segment;
  const letters = { sets: new Int32Array(names.size), lengths: new Uint8Array(names.size) };
  const name = new Uint16Array(LONGEST);
  for (let at = 0; at < names.size; at++) {
    const length = readLetters(names.bytes, names.starts[at]!, names.starts[at + 1]!, name);
    letters.lengths[at] = length < 0 ? 255 : length;
    letters.sets[at] = letterSet(name, Math.max(0, length));
  }
  known.set(segment, letters);
  return letters;
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
