/** Where an identifier falls apart: `parseHTTPRequest2_go` → parse, HTTP, Request, 2, go. ASCII fast, any script right. */

const LOWER = 1;
const UPPER = 2;
const DIGIT = 3;
const JOINT = 4;

const ASCII_CLASS = new Uint8Array(128);
for (let c = 97; c <= 122; c++) ASCII_CLASS[c] = LOWER;
for (let c = 65; c <= 90; c++) ASCII_CLASS[c] = UPPER;
for (let c = 48; c <= 57; c++) ASCII_CLASS[c] = DIGIT;
ASCII_CLASS[95] = JOINT;

/** The parts of one identifier in their own case, underscores dropped. */
export function splitIdentifier(word: string): string[] {
  const parts: string[] = [];
  const end = cutIdentifier(word);
  for (let i = 0; i < end; i += 2) parts.push(word.slice(CUTS[i], CUTS[i + 1]));
  return parts;
}

/** Where the parts that were found last begin and end, by turns. */
export const CUTS: number[] = [];

/** Writes where the parts are into `CUTS`; returns twice their number. */
export function cutIdentifier(word: string): number {
  let found = 0;
  let start = 0;
  let before = 0;
  for (let i = 0; i <= word.length; i++) {
    const here = i < word.length ? unitClass(word, i) : JOINT;
    if (i > start && cuts(before, here)) {
      CUTS[found++] = start;
      CUTS[found++] = i;
      start = i;
    } else if (before === UPPER && here === LOWER && i - start > 1) {
      // The last capital of a run starts the next word: HTTPServer → HTTP, Server.
      CUTS[found++] = start;
      CUTS[found++] = i - 1;
      start = i - 1;
    }
    if (here === JOINT) start = i + 1;
    before = here;
  }
  return found;
}

/** Whether the unit can be part of an identifier; letters, digits and marks of every script, and `_`. */
export function isWordUnit(unit: number): boolean {
  return unit < 128 ? ASCII_CLASS[unit] !== 0 : wideClass(unit) !== 0;
}

function cuts(before: number, here: number): boolean {
  if (here === JOINT) return before !== JOINT;
  if (here === UPPER) return before !== UPPER;
  if (here === DIGIT || before === DIGIT) return before !== here;
  return false;
}

function unitClass(word: string, at: number): number {
  const unit = word.charCodeAt(at);
  return unit < 128 ? ASCII_CLASS[unit]! : wideClass(unit);
}

let wide: Uint8Array | undefined;

/** Class of a unit above ASCII; surrogates count as letters and are told apart by whoever reads code points. */
function wideClass(unit: number): number {
  wide ??= wideTable();
  return wide[unit]!;
}

/** Built when the first unit above ASCII is met: some 20 ms that most processes never pay. */
function wideTable(): Uint8Array {
  const table = new Uint8Array(65536);
  const word = /[\p{L}\p{M}\p{Nd}]/u;
  for (let unit = 128; unit < 65536; unit++) {
    if (unit >= 0xd800 && unit <= 0xdfff) table[unit] = LOWER;
    else {
      const text = String.fromCharCode(unit);
      if (word.test(text)) table[unit] = text.toLowerCase() === text ? LOWER : UPPER;
    }
  }
  return table;
}
