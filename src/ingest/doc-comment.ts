/**
 * The doc comment of a definition, found by looking at the lines above it. The grammar could tell comments for the
 * same time, but then they would have to be matched with definitions again; the text has them in place.
 */
import type { Language } from "../languages/define.ts";
import type { RawDefinition } from "../ports/grammars.ts";

const MAX_DOC = 400;
/** A comment longer than this has its first 400 characters elsewhere; the lines nearest to the code are kept. */
const MAX_LINES = 60;
/** How a block comment begins, by how it ends. */
const OPENERS: Readonly<Record<string, string>> = { "*/": "/*", "-}": "{-", "]]": "--[[" };
/** Attributes may stand between a comment and what it speaks of. */
const ATTRIBUTE = /^(?:#!?\[.*\]|@[\w.]+(?:\(.*\))?|\[.*\])$/;

type DocLanguage = Pick<Language, "docMarkers">;

export function extractDoc(language: DocLanguage, text: string, it: RawDefinition): string | undefined {
  const lines = it.doc !== undefined ? it.doc.split("\n") : linesAbove(language, text, it.start);
  if (lines.length === 0) return undefined;
  const words = lines.map((line) => withoutMarkers(language, line)).filter((line) => /[\p{L}\p{N}]/u.test(line));
  return words.join("\n").slice(0, MAX_DOC).trim() || undefined;
}

/** The comment lines that end just above the line of `start`, in reading order. */
function linesAbove(language: DocLanguage, text: string, start: number): string[] {
  let lineStart = text.lastIndexOf("\n", start - 1) + 1;
  if (start === 0 || text.slice(lineStart, start).trim() !== "") return [];
  const found: string[] = [];
  let opener: string | undefined;
  while (lineStart > 0 && found.length < MAX_LINES) {
    const previous = text.lastIndexOf("\n", lineStart - 2) + 1;
    const line = text.slice(previous, lineStart - 1).trim();
    lineStart = previous;
    if (opener !== undefined) {
      found.push(line);
      if (line.startsWith(opener)) opener = undefined;
      continue;
    }
    if (found.length === 0 && ATTRIBUTE.test(line) && !/[{;]$/.test(line)) continue;
    if (line.startsWith("{-#")) break; // a pragma of Haskell
    const closer = language.docMarkers.find((marker) => marker in OPENERS && line.endsWith(marker));
    if (closer ? line.includes(OPENERS[closer]!, 1) : !isLineComment(language, line)) break;
    found.push(line);
    if (closer && !line.startsWith(OPENERS[closer]!)) opener = OPENERS[closer];
  }
  // A block whose beginning was not found is not a comment of its own lines.
  return opener !== undefined && found.length < MAX_LINES ? [] : found.reverse();
}

function isLineComment(language: DocLanguage, line: string): boolean {
  return line !== "" && language.docMarkers.some((marker) => line.startsWith(marker) && isLineMarker(marker));
}

// `//`, `#`, `--` begin a comment line by themselves; `*`, `/**`, `*/` quotes and tags do not.
function isLineMarker(marker: string): boolean {
  return !marker.startsWith("*") && !marker.startsWith("/*") && !(marker in OPENERS) && !/["'<]/.test(marker);
}

function withoutMarkers(language: DocLanguage, line: string): string {
  let words = line.trim();
  for (const marker of language.docMarkers)
    if (words.startsWith(marker)) words = words.slice(marker.length).trimStart();
  const back = language.docMarkers.find((marker) => !isLineMarker(marker) && marker !== "*" && words.endsWith(marker));
  if (back) words = words.slice(0, -back.length);
  return words.trim();
}
