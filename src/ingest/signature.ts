/** The head of a definition: from its first word up to its body, on one line. */
import type { Kind } from "../model/kinds.ts";
import type { RawDefinition } from "../ports/grammars.ts";

const MAX_SIGNATURE = 300;
/** White space and attributes are taken out of this much, which leaves 300 characters of any head people write. */
const LOOK_AT = 2_000;
/** Kinds whose "body" is a value: its first line tells enough. */
const VALUES: ReadonlySet<Kind> = new Set(["const", "var", "field", "property", "variant"]);

export function extractSignature(text: string, it: RawDefinition, kind: Kind): string {
  const whole = definitionHead(text, it);
  const head = it.bodyStart === undefined && VALUES.has(kind) ? firstLine(whole) : whole;
  const trimmed = onOneLine(head).slice(0, MAX_SIGNATURE).trim();
  return ENDINGS.includes(trimmed.slice(-1)) ? trimmed.replace(/(?:\s*(?:=>|[{:;,=\\]))+$/, "") : trimmed;
}

/** What the last sign is where something is taken away; looking for that tries every blank of the head. */
const ENDINGS = ">{:;,=\\";

function definitionHead(text: string, it: RawDefinition): string {
  const body = it.bodyStart ?? it.end;
  const head = withoutAttributes(text.slice(it.start, Math.min(body, it.start + LOOK_AT)), it.nameStart - it.start);
  // `typedef struct { … } name`: the name stands behind the body.
  return body < it.nameStart ? `${head}${text.slice(it.nameStart, it.nameEnd)}` : head;
}

/** `f(\n  a,\n  b,\n)` reads `f(a, b)`. */
function onOneLine(head: string): string {
  const joined = head.includes("\n") ? head.replace(/([([])\s*\n\s*/g, "$1").replace(/,?\s*\n\s*([)\]])/g, "$1") : head;
  return WIDE.test(joined) ? joined.replace(/\s+/g, " ") : joined;
}

/** White space that is no single blank. */
const WIDE = /[^\S ]| {2}/;

function firstLine(head: string): string {
  const end = head.indexOf("\n");
  return end < 0 ? head : head.slice(0, end);
}

/** Drops `@decorator(…)`, `#[attribute]`, `[Attribute]` and `[[attribute]]` from the front, but never the name. */
function withoutAttributes(head: string, name: number): string {
  let at = 0;
  for (;;) {
    const end = attributeEnd(head, at);
    if (end === at || end > name) return at === 0 ? head : head.slice(at);
    at = end;
  }
}

// Java's `@interface` and Elixir's `@type t`, `@callback f` define something themselves.
const ANNOTATION = /@(?!interface\b|(?:type|typep|opaque|callback|macrocallback|behaviour) \w)[\w$.:]+\s*/y;
const BRACKET = /#?\[/y;
const SPACE = /\s*/y;

function attributeEnd(head: string, at: number): number {
  const first = head.charCodeAt(at);
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

/** Just after the bracket that closes the one at `at`; what stands in quotes does not count. */
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
