/**
 * Lines of code that hold a symbol's name although binding has read neither a use nor a definition there. An answer without
 * uses is complete only if there are none.
 */
import { languageById, moduleSystemOf } from "../languages/index.ts";
import type { FileRecord } from "../model/code.ts";
import { isLongTurn, nextTurn } from "../model/event-loop.ts";
import type { TextMatch } from "../model/search.ts";
import type { Snapshot } from "../ports/snapshot.ts";
import { literalPlan } from "../text/trigrams.ts";
import type { UnreadLine } from "./references.ts";
import { explainedLines } from "./unused-text.ts";

const MAX_MATCHES = 100;
/** Files that are read for one answer. */
const MAX_FILES = 1_000;

export async function unreadLines(
  { symbols, language }: FileRecord,
  index: number,
  doubts: readonly UnreadLine[],
  at: Snapshot,
): Promise<readonly TextMatch[]> {
  const name = symbols[index]!.name.replace(/^#/, "");
  const system = moduleSystemOf(language);
  const doubted = Map.groupBy(doubts, ({ path }) => path);
  const found: TextMatch[] = [];
  const files = (await at.holding(literalPlan(name))).filter(
    (file) => moduleSystemOf(file.language) === system || doubted.has(file.path),
  );
  for (const file of files.slice(0, MAX_FILES)) {
    const text = await at.text(file);
    const occurrences = text.includes(name) ? occurrencesInCode(text, name, languageById(file.language)!) : [];
    if (isLongTurn()) await nextTurn();
    if (occurrences.length === 0) continue;
    const known = new Set(doubted.get(file.path)?.map(({ line }) => line));
    const explained = await explainedLines(file, at);
    const seen = new Set<number>();
    for (const { offset, line } of occurrences) {
      if (seen.has(line) || (!known.has(line) && explained(name, offset, text))) continue;
      seen.add(line);
      found.push({ path: file.path, line, context: lineAround(text, offset).trim() });
    }
    if (found.length >= MAX_MATCHES) break;
  }
  return found.slice(0, MAX_MATCHES);
}

function lineAround(text: string, offset: number): string {
  const end = text.indexOf("\n", offset);
  return text.slice(text.lastIndexOf("\n", offset - 1) + 1, end < 0 ? text.length : end);
}

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
