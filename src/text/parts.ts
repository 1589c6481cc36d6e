/** Parts of identifiers as terms, with their stems. A new identifier is mostly made of parts that came before. */
import { stem } from "./stem.ts";

const MAX_TERM = 64;
/** Longer parts are seldom words, and do not come again. */
const LONGEST_REMEMBERED = 24;
/** Places for remembered parts; a power of two. Half a million lines have 25,000, most of them once; every thread has these. */
const REMEMBERED = 8_192;

export interface IdentifierPart {
  readonly text: string;
  readonly root: string;
}

const seenParts: IdentifierPart[] = new Array(REMEMBERED).fill({ text: "", root: "" });

/** Of `word[start … end]`. */
export function partAt(word: string, start: number, end: number): IdentifierPart {
  if (end - start > LONGEST_REMEMBERED) return createPart(word.slice(start, end));
  let hash = 0;
  for (let i = start; i < end; i++) {
    const unit = word.charCodeAt(i);
    if (unit > 127) return createPart(word.slice(start, end));
    hash = (Math.imul(hash, 31) + lower(unit)) | 0;
  }
  const place = (hash ^ (hash >>> 15)) & (REMEMBERED - 1);
  const seen = seenParts[place]!;
  if (seen.text.length === end - start && equalsIgnoringCase(word, start, seen.text)) return seen;
  const part = createPart(word.slice(start, end));
  seenParts[place] = part;
  return part;
}

function createPart(raw: string): IdentifierPart {
  const text = fold(raw);
  return { text, root: stem(text) };
}

export function fold(word: string): string {
  return word.slice(0, MAX_TERM).toLowerCase();
}

/** In whatever case. */
function equalsIgnoringCase(word: string, start: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (lower(word.charCodeAt(start + i)) !== text.charCodeAt(i)) return false;
  return true;
}

function lower(unit: number): number {
  return unit >= 0x41 && unit <= 0x5a ? unit | 0x20 : unit;
}
