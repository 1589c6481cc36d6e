/** Ranks the files of a view by the signals of a pasted issue, and the chunks of each file by the evidence in them. */
import type { ScorePart, SearchRequest } from "../../model/search.ts";
import type { Limits, Snapshot } from "../../ports/snapshot.ts";
import type { WeightedTerm } from "../../text/query-terms.ts";
import type { RankingCandidate } from "../candidate.ts";
import { byTotal, type Ranked } from "../rank.ts";
import { byWordsOnly, type EmbedQuery, type QueryVector } from "../retrievers/meaning.ts";
import { collectSignals, type ImportsOf, type IssueSignals } from "./collect-signals.ts";
import { type IssueEvidence, readIssue } from "./evidence.ts";
import { type IssueFile, SIGNALS, type Signal, type SignalValues } from "./signals.ts";

export interface RankedIssue {
  readonly ranked: readonly Ranked[];
  readonly terms: readonly WeightedTerm[];
  readonly matched: number;
  readonly completeness: IssueSignals["completeness"];
  readonly notes: readonly string[];
  explain(it: Ranked): ScorePart[];
}

export interface IssueOptions {
  readonly limits: Limits;
  readonly askMeaning?: EmbedQuery;
  readonly imports?: ImportsOf;
}

/** Files whose chunks are ranked; a page shows ten of them. */
const MAX_FILES = 100;
const MAX_CHUNKS_OF_A_FILE = 8;
/** What each better chunk of the same file costs: about what one file more down the list costs. */
const SATURATION = 0.2;
/** Of the best chunk of a file, so that it never decides between files. */
const CHUNK_EVIDENCE = 0.1;

export async function rankIssue(
  ask: SearchRequest,
  at: Snapshot,
  { limits, askMeaning, imports }: IssueOptions,
): Promise<RankedIssue> {
  const evidence = readIssue(ask.query);
  const { meaning, notes } = await embed(evidence, askMeaning);
  const { files, terms, matched, completeness } = await collectSignals(evidence, {
    ask,
    at,
    limits,
    preliminary: fileScore,
    ...(meaning && { meaning }),
    ...(imports && { imports }),
  });
  const places = new Map<RankingCandidate, { readonly file: IssueFile; readonly share: number }>();
  const ranked: Ranked[] = [];
  for (const file of mostLikely(files)) {
    const score = fileScore(file.signals);
    const [best = 0] = bestChunks(file).map(([, evidence]) => evidence);
    for (const [behind, [chunk, evidence]] of bestChunks(file).entries()) {
      const share = best === 0 ? 0 : evidence / best;
      const candidate = snippet(file, chunk);
      places.set(candidate, { file, share });
      ranked.push({ candidate, total: round(score + chunkPart(share) + saturation(behind)), behind });
    }
  }
  return {
    ranked: ranked.sort(byTotal),
    terms,
    matched,
    completeness,
    notes,
    explain: (it) => explainResult(it, places.get(it.candidate)!),
  };
}

/** The model reads the title and the first sentences; the code would drown them. */
const EMBEDDED = 1_500;

async function embed(
  { title, prose }: IssueEvidence,
  askMeaning: EmbedQuery | undefined,
): Promise<{ meaning?: QueryVector; notes: string[] }> {
  const meaning = await askMeaning?.(`${title}\n${prose.slice(0, EMBEDDED)}`);
  if (meaning === undefined) return { notes: [] };
  return "unavailable" in meaning ? { notes: [byWordsOnly(meaning.unavailable)] } : { meaning, notes: [] };
}

function mostLikely(files: readonly IssueFile[]): IssueFile[] {
  const scores = new Map(files.map((it) => [it, fileScore(it.signals)]));
  return files
    .toSorted((a, b) => scores.get(b)! - scores.get(a)! || (a.file.path < b.file.path ? -1 : 1))
    .slice(0, MAX_FILES);
}

/** A file that was found by its path alone shows its beginning. */
function bestChunks({ chunks }: IssueFile): (readonly [number, number])[] {
  if (chunks.size === 0) return [[0, 0]];
  return [...chunks].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, MAX_CHUNKS_OF_A_FILE);
}

function snippet({ file }: IssueFile, chunk: number): RankingCandidate {
  return { type: "snippet", retriever: "text", file, at: chunk, strength: 0, bm25: 0 };
}

function chunkPart(share: number): number {
  return round(CHUNK_EVIDENCE * share);
}

function saturation(behind: number): number {
  return round(-SATURATION * behind);
}

function explainResult(
  { behind }: Ranked,
  { file, share }: { readonly file: IssueFile; readonly share: number },
): ScorePart[] {
  return [
    ...explainFile(file.signals),
    {
      factor: "chunk_evidence",
      value: chunkPart(share),
      cap: CHUNK_EVIDENCE,
      reason: `${Math.round(100 * share)} % of the evidence in the file's best chunk`,
    },
    {
      factor: "saturation",
      value: saturation(behind),
      reason: behind === 0 ? "the file's first result" : `${behind} better results of this file`,
    },
  ];
}

function round(value: number): number {
  return Math.round(value * 1e6) / 1e6 + 0;
}

/** How likely a file is the one to change: a weighted sum of its signals. Learned from commit messages and the files they changed: model-training/localise/train.py. */
const SIGNAL_WEIGHTS: Readonly<Record<Signal, number>> = {
  title_text: 0.25,
  title_text_sum: -0.38,
  text: 0.59,
  text_sum: 0.91,
  code_text: 0.92,
  code_text_sum: 0.74,
  definitions: 1.2,
  qualified_definitions: 0.96,
  module: 1.04,
  quoted_path: 2.65,
  stack_frame: 1.17,
  title_in_path: 0.08,
  path_in_title: 0.53,
  path_in_text: 0.88,
  similarity: 2.27,
  imported_by_likely: 0.55,
  imports_likely: 1.01,
  tested_by_likely: 0.93,
  test: -3.74,
  doc: -3.86,
  example: -1.4,
  data: -2.02,
  entry: 0.04,
  generated: -0.65,
  size: 0.67,
  depth: 0.69,
};

/** Keeps totals in the range of other searches: 1 is a good answer. */
const SCALE = 0.4;

export function fileScore(signals: SignalValues): number {
  let total = 0;
  for (const name of SIGNALS) total += contribution(name, signals);
  return round(total);
}

/** The contributions of all signals that the file has; they add up to its score. */
function explainFile(signals: SignalValues): ScorePart[] {
  return SIGNALS.filter((name) => signals[name] !== 0).map((name) => ({
    factor: name,
    value: contribution(name, signals),
    reason: `${SIGNAL_REASONS[name]}: ${Math.round(100 * signals[name])} %`,
  }));
}

function contribution(name: Signal, signals: SignalValues): number {
  return round(SCALE * SIGNAL_WEIGHTS[name] * signals[name]);
}

const SIGNAL_REASONS: Readonly<Record<Signal, string>> = {
  title_text: "text score of the title, best chunk, of the best source file's",
  title_text_sum: "text score of the title, best three chunks, of the best source file's",
  text: "text score of the whole issue, best chunk, of the best source file's",
  text_sum: "text score of the whole issue, best three chunks, of the best source file's",
  code_text: "text score of names and code, best chunk, of the best source file's",
  code_text_sum: "text score of names and code, best three chunks, of the best source file's",
  definitions: "defines names of the issue, rare ones weighing more, of the best source file",
  qualified_definitions: "defines dotted names of the issue, of the best source file",
  module: "is a module that the issue names",
  quoted_path: "is a path that the issue quotes",
  stack_frame: "is in the stack trace, the innermost frame weighing most",
  title_in_path: "words of the title in its path, of the best source file",
  path_in_title: "share of its name's words that the title has",
  path_in_text: "words of the issue in its path, of the best source file",
  similarity: "similarity of its closest chunk, from the median file to the closest",
  imported_by_likely: "is imported by likely files",
  imports_likely: "imports likely files",
  tested_by_likely: "is named like a test that holds the words of the issue",
  test: "is a test",
  doc: "is documentation",
  example: "is an example",
  data: "is data or configuration",
  entry: "is a package's entry file",
  generated: "is generated, vendored or a declaration",
  size: "its number of chunks, logarithmic",
  depth: "its directories",
};
