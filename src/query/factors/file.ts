/** Factors and scalings of a candidate's file and its path. */
import type { Factor, Pool, RankingCandidate, Scaling } from "../candidate.ts";
import { coverage, fileWords, matchedWords } from "../coverage.ts";
import { isBesideMain } from "../main-package.ts";
import { type PathClass, pathClasses } from "../path-class.ts";

const FILE_COHERENCE_WEIGHT = 0.8;

/** A file with many matching chunks is relevant; the bonus goes to its best chunk. */
export const fileCoherence: Factor = {
  name: "file_coherence",
  value(candidate, { question, leaders, coherence }) {
    // For a name query, the file that uses the name most is not the one that defines it.
    if (question.intent === "symbol" || !leaders.has(candidate)) return 0;
    return FILE_COHERENCE_WEIGHT * Math.sqrt(coherence.get(candidate.file.path) ?? 0);
  },
  reason(candidate, { question, leaders, coherence }) {
    if (question.intent === "symbol") return "not used for names";
    if (!leaders.has(candidate)) return "counts for the best chunk of the file";
    return `text matches of its file: ${Math.round(100 * (coherence.get(candidate.file.path) ?? 0))} % of the best file`;
  },
};

const FILE_SIMILARITY_WEIGHT = 0.8;

/** A file whose closest chunks are similar to the query is relevant; the bonus goes to its best chunk. */
export const fileSimilarity: Factor = {
  name: "file_similarity",
  value(candidate, { leaders, fileSimilarity }) {
    if (fileSimilarity.size === 0 || !leaders.has(candidate)) return 0;
    return FILE_SIMILARITY_WEIGHT * Math.sqrt(fileSimilarity.get(candidate.file.path) ?? 0);
  },
  reason(candidate, { leaders, fileSimilarity }) {
    if (fileSimilarity.size === 0) return "not compared by meaning";
    if (!leaders.has(candidate)) return "counts for the best chunk of the file";
    const share = fileSimilarity.get(candidate.file.path) ?? 0;
    return `similarity of its file: ${Math.round(100 * share)} % of the most similar file`;
  },
};

const FILE_NAME_WEIGHT = 0.6;

/** How much of the query the names of the file and its directory cover. */
export const fileName: Factor = {
  name: "file_name",
  ofFile: true,
  value({ file }, pool) {
    // file_focus already counts a name that is part of the file's name (names +0.002 without it here).
    return pool.question.intent === "symbol" ? 0 : FILE_NAME_WEIGHT * fileNameShare(file.path, pool);
  },
  reason({ file }, pool) {
    if (pool.question.intent === "symbol") return "not used for names";
    return `the names of file and directory have ${Math.round(100 * fileNameShare(file.path, pool))} % of the query`;
  },
};

function fileNameShare(path: string, pool: Pool): number {
  const { name, directory } = fileWords(path);
  return coverage(pool, name, directory);
}

const FILE_FOCUS_WEIGHT = 0.7;

/**
 * How much of the file's name the query asks for: `application.swift` is about the application, `application+http+server.swift`
 * about something of it. A file that is its directory's entrance (`mod.rs`) is named by the directory.
 */
export const fileFocus: Factor = {
  name: "file_focus",
  ofFile: true,
  value({ file }, { question }) {
    const own = ownWords(file.path);
    return own.length === 0 ? 0 : (FILE_FOCUS_WEIGHT * countRequested(own, question.words)) / own.length;
  },
  reason({ file }, { question }) {
    const own = ownWords(file.path);
    if (own.length === 0) return "the file has no name of its own";
    return `${countRequested(own, question.words)} of ${own.length} words of the file name are in the query`;
  },
};

function ownWords(path: string): readonly string[] {
  const { name, directory, entrance } = fileWords(path);
  return entrance ? directory : name;
}

function countRequested(own: readonly string[], words: readonly string[]): number {
  let count = 0;
  for (const word of own) if (matchedWords(words, [word]) !== 0) count++;
  return count;
}

const PATH_AFFINITY_CAP = 0.1;

/** The file's directory is named like the query. */
export const pathAffinity: Factor = {
  name: "path_affinity",
  cap: PATH_AFFINITY_CAP,
  ofFile: true,
  value({ file }, pool) {
    return PATH_AFFINITY_CAP * coverage(pool, fileWords(file.path).directory);
  },
  reason(candidate, pool) {
    return pathAffinity.value(candidate, pool) > 0 ? "its directory is asked for" : "no path bias applied";
  },
};

/** What is left of the sum (whole checkouts: +0.003 against 0.4 to 0.8; lower shares lose on roots). */
const PATH_CLASS_SHARES: Readonly<Record<PathClass, number>> = {
  test: 0.33,
  example: 0.45,
  vendored: 0.45,
  generated: 0.45,
  compat: 0.45,
  doc: 0.45,
  changelog: 0.33,
  data: 0.55,
  entry: 0.45,
  declaration: 0.65,
  header: 0.77,
};

/** Tests, examples, vendored, generated and outdated code, prose and data rank lower unless the query requests them. */
export const pathClass: Scaling = {
  name: "path_class",
  scale(candidate, pool) {
    let share = risesBy(candidate, pool) * (1 - BESIDE_MAIN * leadOfMain(candidate, pool));
    for (const name of sinking(candidate, pool)) share *= PATH_CLASS_SHARES[name];
    return share;
  },
  reason(candidate, pool) {
    if (candidate.type === "file") return "the query names the path";
    if (risesBy(candidate, pool) > 1) return "a changelog, and the query is about a version";
    const names: string[] = [...sinking(candidate, pool)];
    const beside = leadOfMain(candidate, pool) > 0 ? [`outside of the main package (${pool.mainPackage!.root})`] : [];
    if (names.length > 0) names[names.length - 1] += " files count less";
    return [...names, ...beside].join(", ") || "plain source";
  },
};

/** What a file outside of the main package loses, times the lead of that package. */
const BESIDE_MAIN = 0.45;

/** A question about a version is answered by the changelog, which repeats none of its words often. */
const REQUESTED_CHANGELOG = 1.6;

function risesBy({ file, type }: RankingCandidate, { question }: Pool): number {
  const isRequested = type !== "file" && question.requestedClasses.has("changelog");
  return isRequested && pathClasses(file.path).includes("changelog") ? REQUESTED_CHANGELOG : 1;
}

/** How far the main package is ahead of the others, if the file is in one of those. */
function leadOfMain({ file, type }: RankingCandidate, { mainPackage, question }: Pool): number {
  if (mainPackage === undefined || type === "file") return 0;
  return isBesideMain(file.path, mainPackage, question.words) ? mainPackage.lead : 0;
}

function sinking({ file, type, opened }: RankingCandidate, { question, files }: Pool): readonly PathClass[] {
  if (type === "file") return [];
  const byPath = sinkingClasses(file.path, question.requestedClasses);
  const isGenerated = opened?.frame.generated && !question.requestedClasses.has("generated");
  const names = isGenerated && !byPath.includes("generated") ? [...byPath, "generated" as const] : byPath;
  if (!names.includes("header") || files.has(sourceOfHeader(file.path))) return names;
  return names.filter((name) => name !== "header");
}

/** The share without looking at the pool. */
export function pathShare(path: string, requested: ReadonlySet<PathClass>): number {
  return sinkingClasses(path, requested).reduce(
    (share, name) => share * (name === "header" ? 1 : PATH_CLASS_SHARES[name]),
    1,
  );
}

function sinkingClasses(path: string, requested: ReadonlySet<PathClass>): readonly PathClass[] {
  const classes = pathClasses(path);
  return requested.size === 0 || classes.length === 0 ? classes : classes.filter((name) => !requested.has(name));
}

/** A C header sinks only where its source was found, too. */
function sourceOfHeader(header: string): string {
  return `${header.slice(0, -1)}c`;
}

const PER_LEVEL = 0.94;
const MAX_LEVELS = 12;

/** Files deep in the tree are details. */
export const pathDepth: Scaling = {
  name: "path_depth",
  scale(candidate) {
    return PER_LEVEL ** directoryLevels(candidate);
  },
  reason(candidate) {
    return `${directoryLevels(candidate)} directories deep`;
  },
};

function directoryLevels({ file, type }: RankingCandidate): number {
  return type === "file" ? 0 : Math.min(MAX_LEVELS, fileWords(file.path).depth);
}
