/** Which of many files with a definition are opened first: judged by path and name alone, because nothing is loaded yet. */
import type { SymbolCandidate } from "../ports/candidates.ts";
import { pathClasses } from "./path-class.ts";
import { alike, pathWords } from "./query-words.ts";

/** Exact case first, then plain source before tests and the like, files named after it, shallow paths; then by path. */
export function inStanding(found: readonly SymbolCandidate[], name: string): SymbolCandidate[] {
  const words = pathWords(name);
  const judged = found.map((it) => ({ it, standing: standingOf(it, name, words) }));
  return judged.sort((a, b) => b.standing - a.standing || comparePlace(a.it, b.it)).map(({ it }) => it);
}

function standingOf(it: SymbolCandidate, name: string, words: readonly string[]): number {
  const { path } = it.file;
  const stem = pathWords(path.slice(path.lastIndexOf("/") + 1).replace(/\.[^.]*$/, ""));
  const named = stem.some((part) => words.some((word) => alike(part, word)));
  const depth = path.split("/").length;
  return (it.name === name ? 8 : 0) - 4 * Math.min(1, sinking(path)) + (named ? 1 : 0) - Math.min(depth, 20) / 20;
}

function sinking(path: string): number {
  return pathClasses(path).filter((name) => name !== "header" && name !== "entry").length;
}

function comparePlace(a: SymbolCandidate, b: SymbolCandidate): number {
  if (a.file.path !== b.file.path) return a.file.path < b.file.path ? -1 : 1;
  return a.index - b.index;
}
