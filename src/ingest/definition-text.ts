/** The signature of a definition (its head on one line) and its doc comment. */

import type { Language } from "../languages/define.ts";
import type { Kind } from "../model/kinds.ts";
import type { RawDefinition } from "../ports/grammars.ts";

const MAX_SIGNATURE = 300;
/** Characters that are read; without white space and attributes, this leaves 300 characters of any real head. */
const LOOK_AT = 2_000;
/** Kinds whose value may be long: the first line is enough. */
const VALUES: ReadonlySet<Kind> = new Set(["const", "var", "field", "property", "variant"]);

export function extractSignature(language: DocLanguage, text: string, it: RawDefinition, kind: Kind): string {
  const whole = withoutLineComments(language, definitionHead(text, it));
  const head = it.bodyStart === undefined && VALUES.has(kind) ? firstLine(whole) : whole;
  const trimmed = onOneLine(head).slice(0, MAX_SIGNATURE).trim();
  return ENDINGS.includes(trimmed.slice(-1)) ? trimmed.replace(/(?:\s*(?:=>|[{:;,=\\]))+$/, "") : trimmed;
}

/** Last characters that may be trimmed; checked first, because the expression is slow. */
const ENDINGS = ">{:;,=\\";

function definitionHead(text: string, it: RawDefinition): string {
  const body = it.bodyStart ?? it.end;
  const head = withoutAttributes(text.slice(it.start, Math.min(body, it.start + LOOK_AT)), it.nameStart - it.start);
  // `typedef struct { … } name`: the name follows the body.
  return body < it.nameStart ? `${head}${text.slice(it.nameStart, it.nameEnd)}` : head;
}

const LINE_COMMENTS = { "#": /(?:^|\s)#(?!\[).*$/, "//": /(?:^|\s)\/\/.*$/ } as const;

/** A head of several lines may have comments between its parameters, or above the first line of its body. */
function withoutLineComments({ docMarkers }: DocLanguage, head: string): string {
  if (!head.includes("\n")) return head;
  let kept = head;
  for (const marker of ["#", "//"] as const) {
    if (!kept.includes(marker) || !docMarkers.includes(marker)) continue;
    kept = kept
      .split("\n")
      .map((line) => withoutComment(line, LINE_COMMENTS[marker]))
      .join("\n");
  }
  return kept;
}

function withoutComment(line: string, comment: RegExp): string {
  const at = line.search(comment);
  if (at < 0) return line;
  const quotes = line.slice(0, at).match(/["'`]/g)?.length ?? 0;
  return quotes % 2 === 1 ? line : line.slice(0, at);
}

/** `f(\n  a,\n  b,\n)` becomes `f(a, b)`. */
function onOneLine(head: string): string {
  const joined = head.includes("\n") ? head.replace(/([([])\s*\n\s*/g, "$1").replace(/,?\s*\n\s*([)\]])/g, "$1") : head;
  return WIDE.test(joined) ? joined.replace(/\s+/g, " ") : joined;
}

/** White space other than a single blank. */
const WIDE = /[^\S ]| {2}/;

function firstLine(head: string): string {
  const end = head.indexOf("\n");
  return end < 0 ? head : head.slice(0, end);
}

/** Drops leading `@decorator(…)`, `#[attribute]`, `[Attribute]` and `[[attribute]]` with their comments, but never the name. */
function withoutAttributes(head: string, name: number): string {
  let at = 0;
  for (;;) {
    const end = attributeEnd(head, at);
    if (end === at || end > name) return at === 0 ? head : head.slice(at);
    at = end;
  }
}

/** Where the definition begins after its decorators, annotations and attributes. */
export function attributesEnd(text: string, start: number, nameStart: number): number {
  const head = text.slice(start, Math.min(nameStart, start + LOOK_AT));
  return start + head.length - withoutAttributes(head, head.length).length;
}

// `@interface` in Java and Objective-C, `@type t`, `@callback f` in Elixir are definitions themselves.
const ANNOTATION =
  /@(?!(?:interface|implementation|protocol|import)\b|property [(A-Z]|(?:type|typep|opaque|callback|macrocallback|behaviour) \w)[\w$.:]+\s*/y;
const BRACKET = /#?\[/y;
/** What may follow an attribute. */
const COMMENT = /(?:\/\/|#(?!!?\[))[^\n]*\n|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\//y;
const SPACE = /\s*/y;

function attributeEnd(head: string, at: number): number {
  const first = head.charCodeAt(at);
  if (at > 0) {
    COMMENT.lastIndex = at;
    if (COMMENT.test(head)) return skipSpace(head, COMMENT.lastIndex);
  }
  if (first === 0x40 /* @ */) {
    ANNOTATION.lastIndex = at;
    if (!ANNOTATION.test(head)) return at;
    const end = ANNOTATION.lastIndex;
    return skipSpace(head, head[end] === "(" ? closing(head, end) : end);
  }
  if (first !== 0x23 /* # */ && first !== 0x5b /* [ */) return at;
  BRACKET.lastIndex = at;
  return BRACKET.test(head) ? skipSpace(head, closing(head, BRACKET.lastIndex - 1)) : at;
}

/** The offset after the bracket that closes the one at `at`; quoted text is ignored. */
function closing(head: string, at: number): number {
  let depth = 0;
  for (let i = at; i < head.length; i++) {
    const char = head[i]!;
    if (char === '"' || char === "'") i = Math.max(i, head.indexOf(char, i + 1));
    else if (char === "(" || char === "[") depth++;
    else if (char === ")" || char === "]") {
      if (--depth === 0) return i + 1;
    }
  }
  return head.length;
}

function skipSpace(head: string, at: number): number {
  SPACE.lastIndex = at;
  SPACE.test(head);
  return SPACE.lastIndex;
}

const MAX_DOC = 400;
/** Of a longer comment, only the lines nearest to the code are used. */
const MAX_LINES = 60;
/** Start of a block comment, by its end. */
const OPENERS: Readonly<Record<string, string>> = { "*/": "/*", "-}": "{-", "]]": "--[[" };
/** Attributes may be between a comment and its definition. */
const ATTRIBUTE = /^(?:#!?\[.*\]|@[\w.]+(?:\(.*\))?|\[.*\])$/;

type DocLanguage = Pick<Language, "docMarkers">;

export function extractDoc(language: DocLanguage, text: string, it: RawDefinition): string | undefined {
  const lines = it.doc !== undefined ? it.doc.split("\n") : linesAbove(language, text, it.start);
  if (lines.length === 0) return undefined;
  const words = lines.map((line) => withoutMarkers(language, line)).filter((line) => /[\p{L}\p{N}]/u.test(line));
  return words.join("\n").slice(0, MAX_DOC).trim() || undefined;
}

/**
 * The comment lines directly above `start`, in reading order. They are found in the text: matching the grammar's comments
 * with definitions would take longer.
 */
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
    if (line.startsWith("{-#")) break; // a Haskell pragma
    const closer = language.docMarkers.find((marker) => marker in OPENERS && line.endsWith(marker));
    if (closer ? line.includes(OPENERS[closer]!, 1) : !isLineComment(language, line)) break;
    found.push(line);
    if (closer && !line.startsWith(OPENERS[closer]!)) opener = OPENERS[closer];
  }
  // Without its start, the block is not a comment.
  return opener !== undefined && found.length < MAX_LINES ? [] : found.reverse();
}

function isLineComment(language: DocLanguage, line: string): boolean {
  return line !== "" && language.docMarkers.some((marker) => line.startsWith(marker) && isLineMarker(marker));
}

// `//`, `#`, `--` start a line comment; `*`, `/**`, `*/`, quotes and tags do not.
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
