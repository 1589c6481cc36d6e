/** Files by their path: exact, suffix, name, stem, directory, part. */
import type { SearchRequest } from "../../model/search.ts";
import type { FileRow, Snapshot } from "../../ports/snapshot.ts";
import { inScope, type RankingCandidate } from "../candidate.ts";

const MAX_FILES = 100;

export async function retrievePaths(text: string, ask: SearchRequest, at: Snapshot): Promise<RankingCandidate[]> {
  const requested = normalise(text);
  if (requested === "") return [];
  const folded = requested.toLowerCase();
  const found: RankingCandidate[] = [];
  for (const file of await at.files()) {
    const match = inScope(file, ask) ? matchPath(file.path, requested, folded) : undefined;
    if (match !== undefined) found.push(pathCandidate(file, match));
  }
  return found.toSorted(byStrength).slice(0, MAX_FILES);
}

/** Files in scope, for a query that has no text besides its filters. */
export async function listFiles(ask: SearchRequest, at: Snapshot): Promise<RankingCandidate[]> {
  const files = (await at.files()).filter((file) => inScope(file, ask));
  const listed = files.map((file) => pathCandidate(file, { strength: LISTED, how: "passes the filters" }));
  return listed.toSorted(byStrength).slice(0, MAX_FILES);
}

const LISTED = 0.5;

/** `.\src\a.rs:42` → `src/a.rs`. */
function normalise(text: string): string {
  const slashed = text.trim().replaceAll("\\", "/");
  return slashed.replace(/(?::\d+)+$/, "").replace(/^(?:\.{0,2}\/)+/, "");
}

interface PathMatch {
  readonly strength: number;
  readonly how: string;
}

const CASE_COST = 0.03;

function matchPath(path: string, requested: string, folded: string): PathMatch | undefined {
  const lower = path.toLowerCase();
  // Most paths are no match: neither in the other.
  if (!lower.includes(folded) && (path.length > requested.length || !folded.endsWith(lower))) return undefined;
  const exact = grade(path, requested);
  if (exact !== undefined && exact.strength >= STEM) return exact;
  const loose = grade(lower, folded);
  if (loose === undefined) return exact;
  if (exact !== undefined && exact.strength >= loose.strength - CASE_COST) return exact;
  return { strength: loose.strength - CASE_COST, how: `${loose.how}, in another case` };
}

const STEM = 0.75;

function grade(path: string, requested: string): PathMatch | undefined {
  if (path === requested) return { strength: 1, how: "exactly this path" };
  if (path.endsWith(`/${requested}`)) return { strength: 0.92, how: "the path ends so" };
  if (requested.endsWith(`/${path}`)) return { strength: 0.9, how: "the end of the given path" };
  if (fileStem(path) === requested || fileStem(path).endsWith(`/${requested}`))
    return { strength: STEM, how: "the path ends so but for its extension" };
  const folder = requested.endsWith("/") ? requested : `${requested}/`;
  if (path.startsWith(folder)) return { strength: 0.6, how: "in this directory" };
  if (path.includes(`/${folder}`)) return { strength: 0.55, how: "in a directory of this name" };
  if (requested.length > 2 && path.includes(requested)) return { strength: 0.4, how: "the path contains it" };
  return undefined;
}

function fileStem(path: string): string {
  const dot = path.lastIndexOf(".");
  return dot > path.lastIndexOf("/") + 1 ? path.slice(0, dot) : path;
}

function pathCandidate(file: FileRow, { strength, how }: PathMatch): RankingCandidate {
  return { type: "file", retriever: "path", file, at: 0, strength, how, bm25: 0 };
}

/** Files of one strength: the shallower and shorter path first. */
function byStrength(a: RankingCandidate, b: RankingCandidate): number {
  return b.strength - a.strength || a.file.path.length - b.file.path.length || (a.file.path < b.file.path ? -1 : 1);
}
