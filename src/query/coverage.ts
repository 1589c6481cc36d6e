/** How much of a question some words cover, and what a file calls itself. */
import type { Pool } from "./candidate.ts";
import { alike, pathWords } from "./query-words.ts";

/**
 * Share of the question's words, each by its weight, that are among these. Asked hundreds of times a question: the loops
 * allocate nothing.
 */
export function coverage({ question, wordWeights }: Pool, names: readonly string[], more = NO_WORDS): number {
  let all = 0;
  let covered = 0;
  for (let i = 0; i < question.words.length; i++) {
    const word = question.words[i]!;
    all += wordWeights[i]!;
    if (isAmong(word, names) || isAmong(word, more)) covered += wordWeights[i]!;
  }
  return all === 0 ? 0 : covered / all;
}

const NO_WORDS: readonly string[] = [];

/** Whether one of them is alike. */
export function isAmong(word: string, others: readonly string[]): boolean {
  for (const other of others) if (alike(word, other)) return true;
  return false;
}

/** Names that say only "the entrance of this directory". */
const ENTRANCES = new Set(["index", "mod", "lib", "__init__", "package-info"]);

export interface WordCoverage {
  readonly name: readonly string[];
  readonly directory: readonly string[];
  /** Whether the file speaks for its directory. */
  readonly entrance: boolean;
  /** Directories above it. */
  readonly depth: number;
}

/** Remembered: a query asks three times about each of 300 candidates. */
export function fileWords(path: string): WordCoverage {
  let known = remembered.get(path);
  if (known === undefined) {
    known = readPath(path);
    if (remembered.size >= REMEMBERED) remembered.clear();
    remembered.set(path, known);
  }
  return known;
}

const REMEMBERED = 50_000;
const remembered = new Map<string, WordCoverage>();

function readPath(path: string): WordCoverage {
  const parts = path.split("/");
  const base = parts.pop() ?? "";
  const dot = base.lastIndexOf(".");
  const stem = dot > 0 ? base.slice(0, dot) : base;
  return {
    name: pathWords(stem),
    directory: pathWords(parts.at(-1) ?? ""),
    entrance: ENTRANCES.has(stem),
    depth: parts.length,
  };
}
