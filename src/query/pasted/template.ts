/**
 * Where an error message is made: the constant parts of format strings and template literals that fit the message. A
 * message holds values, a source holds placeholders, so only what is between them can be found verbatim.
 */
import type { TrigramPlan } from "../../model/grep.ts";
import type { FileRow, Snapshot } from "../../ports/snapshot.ts";
import { distinctTrigrams, TRIGRAMS } from "../../text/trigrams.ts";
import { inScope, type QueryScope } from "../candidate.ts";
import { chunkAt } from "../mentions.ts";
import { pathClasses } from "../path-class.ts";

export interface TemplateMatch {
  /** 0..1: how much of the literal the message repeats; a longer one proves more. */
  readonly share: number;
  /** The literal, or the words that were found. */
  readonly literal: string;
}

/** By file path and chunk position. */
export type TemplateMatches = ReadonlyMap<string, ReadonlyMap<number, TemplateMatch>>;

/** Texts that are looked up, files read for each, and files that make a text too common to tell anything. */
const MAX_LOOKUPS = 24;
const MAX_READ = 24;
const MAX_HOLDING = 300;
const MAX_MESSAGES = 3;

export async function findTemplates(
  messages: readonly string[],
  scope: QueryScope,
  at: Snapshot,
): Promise<TemplateMatches> {
  const found = new Map<string, Map<number, TemplateMatch>>();
  const budget = { lookups: MAX_LOOKUPS };
  for (const message of messages.slice(0, MAX_MESSAGES)) {
    for (const piece of constantPieces(message)) {
      if (await findPiece(piece, { message, scope, at, found, budget })) continue;
      for (const part of windows(piece)) await findPiece(part, { message, scope, at, found, budget });
    }
  }
  return found;
}

/** What looks like a value: numbers, quoted text, paths, addresses, and what is in brackets. */
const VALUE = /"[^"]*"|'[^']*'|`[^`]*`|\([^()]*\)|\[[^[\]]*\]|\S*[\d/\\@]\S*/g;
const MIN_CHARS = 8;
const MAX_PIECES = 6;
const MAX_MESSAGE = 500;

/** Runs of constant words, the longest first. `: ` separates what two functions say. */
export function constantPieces(message: string): string[] {
  const pieces = message
    .slice(0, MAX_MESSAGE)
    .replace(VALUE, "\n")
    .split(/\n|[:;,.!?] |[:;,.!?]$/)
    .map((piece) => piece.trim())
    .filter((piece) => piece.length >= MIN_CHARS && piece.includes(" "));
  return [...new Set(pieces)].sort((a, b) => b.length - a.length).slice(0, MAX_PIECES);
}

const WINDOW = 3;

/** A value may be a plain word, which only shows in what the source does not contain. */
function windows(piece: string): string[] {
  const words = piece.split(" ");
  const size = words.length > WINDOW ? WINDOW : 2;
  const found: string[] = [];
  for (let from = 0; from + size <= words.length; from++) found.push(words.slice(from, from + size).join(" "));
  return found.filter((part) => part.length >= MIN_CHARS && part !== piece);
}

interface TemplateSearch {
  readonly message: string;
  readonly scope: QueryScope;
  readonly at: Snapshot;
  readonly found: Map<string, Map<number, TemplateMatch>>;
  readonly budget: { lookups: number };
}

/** Whether a file contains it. */
async function findPiece(piece: string, { message, scope, at, found, budget }: TemplateSearch): Promise<boolean> {
  if (budget.lookups-- <= 0) return false;
  const holding = (await at.holding(planOf(piece))).filter((file) => inScope(file, scope));
  if (holding.length > MAX_HOLDING) return true;
  let isFound = false;
  for (const file of [...holding].sort(plainFirst).slice(0, MAX_READ)) {
    const text = await at.text(file);
    for (let index = text.indexOf(piece), seen = 0; index >= 0 && seen < MAX_PER_FILE; seen++) {
      isFound = true;
      await note(found, { file, text, index, piece, message }, at);
      index = text.indexOf(piece, index + piece.length);
    }
  }
  return isFound;
}

const MAX_PER_FILE = 8;

function plainFirst(a: FileRow, b: FileRow): number {
  return pathClasses(a.path).length - pathClasses(b.path).length || (a.path < b.path ? -1 : 1);
}

const SEEN = new Int32Array(TRIGRAMS >>> 5);
const MAX_TRIGRAMS = 64;

function planOf(piece: string): TrigramPlan {
  const trigrams = new Uint32Array(piece.length);
  const count = distinctTrigrams(piece, SEEN, trigrams);
  return {
    op: "and",
    parts: Array.from(trigrams.subarray(0, Math.min(count, MAX_TRIGRAMS)), (trigram) => ({ op: "has", trigram })),
  };
}

interface PieceInText {
  readonly file: FileRow;
  readonly text: string;
  readonly index: number;
  readonly piece: string;
  readonly message: string;
}

async function note(found: Map<string, Map<number, TemplateMatch>>, it: PieceInText, at: Snapshot): Promise<void> {
  const { file, text, index, piece, message } = it;
  const start = text.lastIndexOf("\n", index - 1) + 1;
  const end = text.indexOf("\n", index);
  const line = text.slice(start, end < 0 ? text.length : end);
  const frame = await at.frame(file);
  const chunk = chunkAt(frame, text.slice(0, start).split("\n").length);
  if (chunk < 0) return;
  const match = line.length > MAX_LINE ? undefined : matchLiteral(line, index - start, message);
  const share = match?.share ?? NOT_LITERAL * wordShare(piece);
  const inFile = found.get(file.path) ?? new Map<number, TemplateMatch>();
  found.set(file.path, inFile);
  if (share > (inFile.get(chunk)?.share ?? 0)) inFile.set(chunk, { share, literal: match?.literal ?? piece });
}

const MAX_LINE = 500;
/** Comments and documents repeat messages, too. */
const NOT_LITERAL = 0.3;
/** With this many words a literal is no accident. */
const ENOUGH_WORDS = 3;

function wordShare(text: string): number {
  return Math.min(1, (text.match(/\p{L}{2,}/gu) ?? []).length / ENOUGH_WORDS);
}

/** printf, Python, Rust, C#, template literals, Ruby, Elixir, PHP and shell, and escaped characters. */
const PLACEHOLDER = /%\(\w+\)\w|%[-+#0-9.* ]*[hlzjtL]*[a-zA-Z@]|[$#]?\{[^{}]*\}|\$\w+|\\\(|\\./;

/** The literal around a position of a line, compared with the message: its constant parts occur in their order. */
export function matchLiteral(line: string, position: number, message: string): TemplateMatch | undefined {
  const literal = literalAround(line, position);
  if (literal === undefined) return undefined;
  let from = 0;
  let [matched, all] = ["", ""];
  for (const part of literal.split(PLACEHOLDER)) {
    const text = part.trim();
    if (text === "") continue;
    all += ` ${text}`;
    const index = message.indexOf(text, from);
    if (index < 0) continue;
    from = index + text.length;
    matched += ` ${text}`;
  }
  const share = all === "" ? 0 : (matched.length / all.length) * wordShare(matched);
  return { share, literal };
}

function literalAround(line: string, position: number): string | undefined {
  for (const quote of ['"', "`", "'"]) {
    const start = line.lastIndexOf(quote, position);
    const end = line.indexOf(quote, position);
    // An odd number of quotes before the position opens a literal there.
    if (start >= 0 && end > 0 && line.slice(0, position).split(quote).length % 2 === 0)
      return line.slice(start + 1, end);
  }
  return undefined;
}
