/** Symbol names of a segment that resemble a name: a scan of all names by their letters, which are kept after the first. */
import { bitCount } from "../model/bit-count.ts";
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
  const letters = Uint16Array.from(utf8(name.toLowerCase())).filter((unit) => !isJoint(unit));
  if (letters.length > LONGEST) return [];
  const found: string[] = [];
  let most = mostEdits(letters.length);
  for (const { segment, files } of parts) {
    const shows = (slot: number) => files[slot] !== undefined && inScope(files[slot]);
    most = eachNearName({ segment, letters, most, shows }, (near) => found.push(near));
  }
  return nearestNames(name, found, limit);
}

interface NearQuery {
  readonly segment: Segment;
  readonly letters: Uint16Array;
  /** Edits at which a name is still near. */
  readonly most: number;
  readonly shows: (file: number) => boolean;
}

/** Calls back with each near name that a shown file defines. Names farther than one edit behind the nearest are not near; returns the edits that are. */
function eachNearName({ segment, letters, most: limit, shows }: NearQuery, visit: (name: string) => void): number {
  const wanted = new Uint32Array(COUNTED);
  countLetters(letters, letters.length, wanted, 0);
  const { names } = segment;
  const { byLength, starts, counts } = lettersOf(segment);
  const other = new Uint16Array(LONGEST);
  let most = limit;
  // The nearest names tend to be as long: once one is found, few others are compared.
  for (let gap = 0; gap <= most; gap++) {
    for (const size of gap === 0 ? [letters.length] : [letters.length - gap, letters.length + gap]) {
      if (size < 0 || size > LONGEST) continue;
      for (let i = starts[size]!; i < starts[size + 1]!; i++) {
        // A replaced letter changes two counts; a letter more or less, of which there are at least `gap`, only one.
        if (differingCounts(wanted, counts, i * COUNTED) > 2 * most - gap) continue;
        const at = byLength[i]!;
        const length = readLetters(names.bytes, names.starts[at]!, names.starts[at + 1]!, other);
        const edits = editDistance(letters, other.subarray(0, length), most);
        if (edits > most || !isShown(segment, at, shows)) continue;
        visit(nameOfKey(names.at(at)));
        most = Math.min(most, edits + 1);
      }
    }
  }
  return most;
}

/** How often a letter occurs in a name counts up to this. */
const COUNTED = 3;

interface NameLetters {
  /** Positions of names that are short enough to be compared, by their number of letters. */
  readonly byLength: Uint32Array;
  /** Where the names of each length begin in `byLength`. */
  readonly starts: Uint32Array;
  /** For each of `byLength`: the letters that occur once, twice, three times or more often, a bit each. */
  readonly counts: Uint32Array;
}

/** Sixteen bytes a name. */
const known = new WeakMap<Segment, NameLetters>();

function lettersOf(segment: Segment): NameLetters {
  const found = known.get(segment);
  if (found !== undefined) return found;
  const { names } = segment;
  const name = new Uint16Array(LONGEST);
  const read = (at: number) => readLetters(names.bytes, names.starts[at]!, names.starts[at + 1]!, name);
  const starts = new Uint32Array(LONGEST + 2);
  const lengths = new Int8Array(names.size);
  for (let at = 0; at < names.size; at++) {
    lengths[at] = read(at);
    if (lengths[at]! >= 0) starts[lengths[at]! + 1]!++;
  }
  for (let length = 0; length <= LONGEST; length++) starts[length + 1]! += starts[length]!;
  const next = starts.slice();
  const byLength = new Uint32Array(starts[LONGEST + 1]!);
  const counts = new Uint32Array(byLength.length * COUNTED);
  for (let at = 0; at < names.size; at++) {
    const length = lengths[at]!;
    if (length < 0) continue;
    const place = next[length]!++;
    byLength[place] = at;
    countLetters(name, read(at), counts, place * COUNTED);
  }
  const letters = { byLength, starts, counts };
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

function countLetters(letters: Uint16Array, length: number, counts: Uint32Array, from: number): void {
  let [once, twice, often] = [0, 0, 0];
  for (let i = 0; i < length; i++) {
    const bit = 1 << (letters[i]! & 31);
    often |= twice & bit;
    twice |= once & bit;
    once |= bit;
  }
  counts[from] = once;
  counts[from + 1] = twice;
  counts[from + 2] = often;
}

function differingCounts(wanted: Uint32Array, counts: Uint32Array, from: number): number {
  let differing = 0;
  for (let i = 0; i < COUNTED; i++) differing += bitCount(wanted[i]! ^ counts[from + i]!);
  return differing;
}

function isShown(segment: Segment, at: number, shows: (file: number) => boolean): boolean {
  let shown = false;
  segment.nameSymbols.each(at, (ordinal) => {
    shown ||= shows(findOwner(segment.fileSymbols, ordinal));
  });
  return shown;
}
