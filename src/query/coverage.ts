/** How much of a query some words cover, and the words of a file's name. */
import type { Pool } from "./candidate.ts";
import { alike, pathWords } from "./query-words.ts";

/**
 * The weighted share of the query's words that are among these. Called hundreds of times per query, so the loops are
 * plain.
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

/** Whether one of them matches the word. */
export function isAmong(word: string, others: readonly string[]): boolean {
  for (const other of others) if (alike(word, other)) return true;
  return false;
}

/** File names that represent their directory. */
const ENTRANCES = new Set(["index", "mod", "lib", "__init__", "package-info"]);

export interface WordCoverage {
  readonly name: readonly string[];
  readonly directory: readonly string[];
  /** Whether the file represents its directory. */
  readonly entrance: boolean;
  /** Directories above it. */
  readonly depth: number;
}

/** Cached: a query needs it three times for each of 300 candidates. */
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
