/** The chunk of each file that answers a question: the definition that is named after it, not the chunk that repeats its words. */
import type { FileFrame } from "../model/code.ts";
import type { Snapshot } from "../ports/snapshot.ts";
import type { Pool, RankingCandidate } from "./candidate.ts";
import { coverage, matchedWords } from "./coverage.ts";
import { pathClasses } from "./path-class.ts";
import { pathWords } from "./query-words.ts";
import { answersFirst, liftNamed, type Ranked } from "./rank.ts";
import { symbolsIn } from "./snippet-symbol.ts";

/** Files whose chunks are compared: two pages, whatever the caller's limit is. */
const MAX_FILES = 20;
/** What a definition named after the whole question is worth, compared with the best text. */
const NAME_WEIGHT = 0.8;
const SIMILARITY_WEIGHT = 0.3;
/** Defines what the sentence names: above every worth. */
const DEFINES = 10;
/** In a changelog, a section of the version that the question names: above every other text, its own release first. */
const OF_VERSION = 5;
const OF_RELEASE = 6;
/** Further definitions of a file that the whole question names: more would hide other files. */
const MAX_NAMED = 2;

export async function answerLines(ranked: Ranked[], pool: Pool, at: Snapshot): Promise<Ranked[]> {
  if (pool.question.intent !== "natural_language" || pool.relevance < 1) return ranked;
  const files = new Map<string, RankingCandidate[]>();
  for (const { candidate } of ranked) {
    if (candidate.type !== "snippet" || candidate.retriever === "pasted") continue;
    const known = files.get(candidate.file.path);
    if (known !== undefined) known.push(candidate);
    else if (files.size < MAX_FILES) files.set(candidate.file.path, [candidate]);
  }
  const version = requestedVersion(pool);
  const several = [...files.values()].filter((chunks) => chunks.length > 1);
  const frames = await Promise.all(several.map(([first]) => at.frame(first!.file)));
  const answers = new Map<string, readonly RankingCandidate[]>();
  const named = new Set<RankingCandidate>();
  for (const [i, chunks] of several.entries()) {
    const path = chunks[0]!.file.path;
    const asked = pathClasses(path).includes("changelog") ? version : undefined;
    const judged = judgeChunks(chunks, frames[i]!, pool, asked);
    answers.set(
      path,
      judged.map(({ chunk }) => chunk),
    );
    const further = judged.slice(1).filter(({ isNamed }) => isNamed);
    for (const { chunk } of further.slice(0, MAX_NAMED)) named.add(chunk);
  }
  return liftNamed(answersFirst(ranked, answers), named);
}

interface JudgedChunk {
  readonly chunk: RankingCandidate;
  readonly worth: number;
  /** One of its definitions is named after the whole question. */
  readonly isNamed: boolean;
}

/** The chunks by how well they answer; those that do equally well stay in their order. */
function judgeChunks(
  chunks: readonly RankingCandidate[],
  frame: FileFrame,
  pool: Pool,
  version?: RequestedVersion,
): JudgedChunk[] {
  const judged = chunks.map((chunk): JudgedChunk => {
    const names = definitionNames(frame, chunk.at);
    const words = names.flatMap(({ own, owner }) => [...own, ...owner]);
    const ofVersion = version === undefined ? 0 : versionWorth(frame, chunk.at, version);
    const worth = chunk.literal === "defines" ? DEFINES : worthOf(chunk, words, pool) + ofVersion;
    return { chunk, worth, isNamed: names.some((it) => isNamedAfter(pool, it)) };
  });
  return judged.sort((a, b) => b.worth - a.worth);
}

function worthOf(it: RankingCandidate, words: readonly string[], pool: Pool): number {
  return (
    it.strength +
    NAME_WEIGHT * coverage(pool, words) +
    (pool.mentions.get(it.file.path)?.get(it.at)?.weight ?? 0) +
    SIMILARITY_WEIGHT * (pool.similarity.get(it) ?? 0)
  );
}

interface RequestedVersion {
  readonly release: RegExp;
  readonly series: RegExp;
}

/** The last version that a question about changes names: `3.1` is the release 3.1.0, and the series of 3.1.4. */
function requestedVersion({ question }: Pool): RequestedVersion | undefined {
  if (!question.requestedClasses.has("changelog")) return undefined;
  const version = [...question.text.matchAll(/(?<![\w.])v?(\d+(?:\.\d+)*)(?!\w|\.\d)/g)].at(-1)?.[1];
  if (version === undefined) return undefined;
  const begin = `(?<![\\d.])${version.replaceAll(".", "\\.")}`;
  return { release: new RegExp(`${begin}(?:\\.0)*(?![.-]?\\w)`), series: new RegExp(`${begin}(?!\\d)`) };
}

function versionWorth(frame: FileFrame, chunk: number, { release, series }: RequestedVersion): number {
  const headings: string[] = [];
  for (let at = frame.chunk(chunk)?.symbol; at !== undefined; at = frame.parent(at))
    headings.push(frame.name(at) ?? "");
  if (headings.some((it) => release.test(it))) return OF_RELEASE;
  return headings.some((it) => series.test(it)) ? OF_VERSION : 0;
}

interface NameWords {
  readonly own: readonly string[];
  readonly owner: readonly string[];
}

/** The words of each definition that begins in the chunk, and those of its owner. */
function definitionNames(frame: FileFrame, chunk: number): NameWords[] {
  const lines = frame.chunk(chunk);
  if (lines === undefined) return [];
  return symbolsIn(frame, lines).map((index) => {
    const parent = frame.parent(index);
    const owner = parent === undefined ? "" : (frame.name(parent) ?? "");
    return { own: pathWords(frame.name(index) ?? ""), owner: pathWords(owner) };
  });
}

/** A member of what the question names is no answer by that alone. */
function isNamedAfter(pool: Pool, { own, owner }: NameWords): boolean {
  return matchedWords(pool.question.words, own) !== 0 && coverage(pool, own, owner) === 1;
}
