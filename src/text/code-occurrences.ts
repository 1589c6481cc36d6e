/**
 * Occurrences of a name in code: not in comments, and in strings only where code is inserted or the name is all of the string.
 * It knows the usual notations, no grammar: what it mistakes for code is reported, never the other way round.
 */

interface Notation {
  readonly id: string;
  /** What comments begin and end with. */
  readonly docMarkers: readonly string[];
}

interface Occurrence {
  readonly offset: number;
  /** 1-based. */
  readonly line: number;
}

export function occurrencesInCode(text: string, name: string, notation: Notation): Occurrence[] {
  const word = `(?<![\\p{L}\\p{N}_])${escapePattern(name)}(?![\\p{L}\\p{N}_])`;
  const inside = new RegExp(word, "gu");
  const found: Occurrence[] = [];
  let line = 1;
  let counted = 0;
  const note = (offset: number) => {
    for (; counted < offset; counted++) if (text[counted] === "\n") line++;
    found.push({ offset, line });
  };
  for (const { 0: part, index, groups } of text.matchAll(new RegExp(`${skipped(notation)}|(?<word>${word})`, "gmu"))) {
    if (groups!.word !== undefined) note(index);
    else if (groups!.string === undefined) continue;
    else if (part.slice(1, -1) === name) note(index + 1);
    else if (INSERTION.test(part)) for (const { index: at } of part.matchAll(inside)) note(index + at);
  }
  return found;
}

/** `"${x}"`, `"#{x}"`, `"\(x)"`, `"{x}"`, `"$x"`. */
const INSERTION = /\{|\\\(|\$[\p{L}_]/u;

const patterns = new Map<string, string>();

/** Comments and strings. */
function skipped({ id, docMarkers }: Notation): string {
  const known = patterns.get(id);
  if (known !== undefined) return known;
  const has = (marker: string) => docMarkers.includes(marker);
  const comments = [
    ...(has("/*") ? ["/\\*[\\s\\S]*?\\*/"] : []),
    ...(has("--[[") ? ["--\\[\\[[\\s\\S]*?\\]\\]"] : []),
    ...(has("{-") ? ["\\{-[\\s\\S]*?-\\}"] : []),
    ...(has("//") ? ["//.*"] : []),
    ...(has("--") ? ["--.*"] : []),
    ...(has("#") ? ["^=begin\\b[\\s\\S]*?^=end", "(?<![^\\s;])#(?!\\[).*"] : []),
  ];
  const strings = [
    '"""[\\s\\S]*?"""',
    "'''[\\s\\S]*?'''",
    '"(?:\\\\.|[^"\\\\\\n])*"',
    ...(QUOTED.has(id) ? ["'(?:\\\\.|[^'\\\\\\n])*'"] : ["'(?:\\\\.|[^'\\\\\\n])'"]),
    ...(TICKED.has(id) ? ["`(?:\\\\.|[^`\\\\])*`"] : []),
  ];
  const pattern = `${comments.map((it) => `${it}|`).join("")}(?<string>${strings.join("|")})`;
  patterns.set(id, pattern);
  return pattern;
}

/** Languages with strings in single quotes; elsewhere these hold one character. */
const QUOTED: ReadonlySet<string> = new Set(
  "typescript tsx javascript flow vue svelte astro html python ruby php lua bash dart elixir".split(" "),
);
/** Languages with strings in backticks. */
const TICKED: ReadonlySet<string> = new Set("typescript tsx javascript flow vue svelte astro html go".split(" "));

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}
