/** How many letters two names differ by: insertions, deletions, replacements and swaps of neighbours, ignoring case and underscores. */

/** Names of more than this are data. */
export const LONGEST = 64;

/** The letters of a name that are compared. */
export function nameLetters(name: string): Uint16Array {
  const letters = new Uint16Array(Math.min(LONGEST, name.length));
  let length = 0;
  const folded = name.toLowerCase();
  for (let i = 0; i < folded.length && length < letters.length; i++) {
    const unit = folded.charCodeAt(i);
    if (!isJoint(unit)) letters[length++] = unit;
  }
  return letters.subarray(0, length);
}

/** `_`, `-` and `$` join the words of a name in some languages. */
export function isJoint(unit: number): boolean {
  return unit === 0x5f || unit === 0x2d || unit === 0x24;
}

/** Edits at which a name of this many letters is still a likely slip. */
export function mostEdits(letters: number): number {
  return letters < 4 ? 1 : letters < 8 ? 2 : 3;
}

const ROWS = [new Uint8Array(LONGEST + 1), new Uint8Array(LONGEST + 1), new Uint8Array(LONGEST + 1)] as const;

/** Edits between two words (optimal string alignment); `most + 1` if there are more than `most`. */
export function editDistance(a: ArrayLike<number>, b: ArrayLike<number>, most: number): number {
  let [height, width] = [a.length, b.length];
  if (Math.abs(height - width) > most || height > LONGEST || width > LONGEST) return most + 1;
  // Letters that both begin or end with change nothing.
  while (height > 0 && width > 0 && a[height - 1] === b[width - 1]) {
    height--;
    width--;
  }
  let same = 0;
  while (same < height && same < width && a[same] === b[same]) same++;
  return alignedDistance({ letters: a, from: same, to: height }, { letters: b, from: same, to: width }, most);
}

interface Letters {
  readonly letters: ArrayLike<number>;
  readonly from: number;
  readonly to: number;
}

/** Only cells at most `most` beside the diagonal are computed: the others are farther. */
function alignedDistance({ letters: a, from: x, to }: Letters, other: Letters, most: number): number {
  const { letters: b, from: y } = other;
  const [height, width] = [to - x, other.to - y];
  let [beforeLast, last, row] = ROWS;
  for (let j = 0; j <= Math.min(width, most); j++) last[j] = j;
  for (let i = 1; i <= height; i++) {
    const from = Math.max(1, i - most);
    const end = Math.min(width, i + most);
    row[from - 1] = from === 1 ? i : most + 1;
    if (end === i + most) last[end] = most + 1;
    let least = row[from - 1]!;
    for (let j = from; j <= end; j++) {
      const change = a[x + i - 1] === b[y + j - 1] ? 0 : 1;
      let edits = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + change);
      if (i > 1 && j > 1 && a[x + i - 1] === b[y + j - 2] && a[x + i - 2] === b[y + j - 1])
        edits = Math.min(edits, beforeLast[j - 2]! + 1);
      row[j] = edits;
      if (edits < least) least = edits;
    }
    if (least > most) return most + 1;
    [beforeLast, last, row] = [last, row, beforeLast];
  }
  return Math.min(last[width]!, most + 1);
}

/** The word that a misspelt one is nearest to; undefined if no word is similar. */
export function closest(word: string, known: readonly string[]): string | undefined {
  const units = (text: string) => Array.from(text.toLowerCase(), (character) => character.charCodeAt(0));
  const letters = units(word);
  let best: string | undefined;
  let least = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of known) {
    const distance = editDistance(letters, units(candidate), least);
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
}

/** The names nearest to the one given, each once; those farther than one edit behind the nearest are left out. */
export function nearestNames(name: string, names: Iterable<string>, limit: number): string[] {
  const letters = nameLetters(name);
  const most = mostEdits(letters.length);
  const found = [...new Set(names)]
    .map((it) => ({ name: it, edits: editDistance(letters, nameLetters(it), most) }))
    .filter(({ edits }) => edits <= most)
    .sort(
      (a, b) => a.edits - b.edits || sharedStart(b.name, name) - sharedStart(a.name, name) || order(a.name, b.name),
    );
  const nearest = found[0]?.edits ?? 0;
  return found
    .filter(({ edits }) => edits <= nearest + 1)
    .slice(0, limit)
    .map((it) => it.name);
}

function sharedStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const MAX_PATHS = 5;

/** Paths that one which does not exist may mean: the same file elsewhere, or a name that is spelt alike. */
export function nearestPaths(path: string, files: Iterable<{ readonly path: string }>): string[] {
  const wanted = splitPath(path);
  const letters = nameLetters(wanted.base);
  const most = mostEdits(letters.length);
  const found: { path: string; edits: number }[] = [];
  for (const file of files) {
    const { base, directory } = splitPath(file.path);
    const edits = editDistance(letters, nameLetters(base), most);
    if (edits <= most) found.push({ path: file.path, edits: directory === wanted.directory ? edits - 0.5 : edits });
  }
  found.sort((a, b) => a.edits - b.edits || a.path.length - b.path.length || order(a.path, b.path));
  return found.slice(0, MAX_PATHS).map((it) => it.path);
}

function splitPath(path: string): { base: string; directory: string } {
  const cut = path.lastIndexOf("/");
  return { base: path.slice(cut + 1), directory: path.slice(0, Math.max(0, cut)) };
}
