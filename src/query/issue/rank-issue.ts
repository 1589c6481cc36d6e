/** Ranks the files of a view by the signals of a pasted issue, and the chunks of each file by the evidence in them. */
import type { ScorePart, SearchRequest } from "../../model/search.ts";
import type { Limits } from "../../ports/limits.ts";
import type { Snapshot } from "../../ports/snapshot.ts";
import type { WeightedTerm } from "../../text/query-terms.ts";
import type { RankingCandidate } from "../candidate.ts";
import { byTotal, type Ranked } from "../rank.ts";
import { byWordsOnly, type EmbedQuery, type Meaning } from "../retrievers/meaning.ts";
import { collectSignals, type ImportsOf, type IssueSignals } from "./collect-signals.ts";
import { type IssueEvidence, readIssue } from "./evidence.ts";
import { explainFile, fileScore } from "./file-score.ts";
import type { IssueFile } from "./signals.ts";

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
): Promise<{ meaning?: Meaning; notes: string[] }> {
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
