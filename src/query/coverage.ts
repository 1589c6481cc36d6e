/** How much of a query some words cover, and the words of a file's name. */
import type { Pool } from "./candidate.ts";
import { alike, pathWords } from "./query-words.ts";

/** The weighted share of the query's words that are among these. Called hundreds of times per query. */
export function coverage({ question, wordWeights }: Pool, names: readonly string[], more = NO_WORDS): number {
  const { words } = question;
  const found = matchedWords(words, names) | matchedWords(words, more);
  let all = 0;
  let covered = 0;
  for (let i = 0; i < words.length; i++) {
    all += wordWeights[i]!;
    if (((found >>> i) & 1) === 1) covered += wordWeights[i]!;
  }
  return all === 0 ? 0 : covered / all;
}

const NO_WORDS: readonly string[] = [];

/** A bit for each of the query's words, of which there are at most 32, that one of the names matches. */
export function matchedWords(words: readonly string[], names: readonly string[]): number {
  let known = matches.get(words);
  if (known === undefined) {
    known = new Map();
    matches.set(words, known);
  }
  let found = 0;
  for (const name of names) {
    let bits = known.get(name);
    if (bits === undefined) {
      bits = 0;
      for (let i = 0; i < words.length; i++) if (alike(words[i]!, name)) bits |= 1 << i;
      known.set(name, bits);
    }
    found |= bits;
  }
  return found;
}

/** By the words of a query: the files and definitions that it finds share most of theirs. */
const matches = new WeakMap<readonly string[], Map<string, number>>();

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
