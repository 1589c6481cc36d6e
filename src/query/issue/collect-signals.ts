/** Collects the signals of each file of a view, given the evidence of an issue. */
import type { SearchRequest } from "../../model/search.ts";
import type { LexicalPage } from "../../ports/candidates.ts";
import type { Limits, Snapshot } from "../../ports/snapshot.ts";
import { fold } from "../../text/identifiers.ts";
import { isStopWord, type WeightedTerm } from "../../text/query-terms.ts";
import { analyse, MAX_IDENTIFIER } from "../../text/terms.ts";
import { compileScope, inScope } from "../candidate.ts";
import { fileWords } from "../coverage.ts";
import { pathClasses } from "../path-class.ts";
import type { QueryVector } from "../retrievers/meaning.ts";
import { CandidateFiles, isPlainSource } from "./candidate-files.ts";
import { addDefinitions } from "./definitions.ts";
import type { IssueEvidence } from "./evidence.ts";
import { addPlaces } from "./named-files.ts";
import { addPathWords } from "./path-words.ts";
import type { IssueFile, SignalValues } from "./signals.ts";

/** Files of the view that each file imports, by path. */
export type ImportsOf = () => Promise<ReadonlyMap<string, readonly string[]>>;

export interface IssueSources {
  readonly ask: SearchRequest;
  readonly at: Snapshot;
  readonly limits: Limits;
  readonly meaning?: QueryVector;
  readonly imports?: ImportsOf;
  /** The score by which files are likely enough to lend some of it to their neighbours. */
  readonly preliminary: (signals: SignalValues) => number;
}

export interface IssueSignals {
  readonly files: readonly IssueFile[];
  readonly terms: readonly WeightedTerm[];
  readonly matched: number;
  readonly completeness: LexicalPage["completeness"];
}

const TERMS = { title: 20, all: 44, code: 32 } as const;
const CHUNKS = 250;

export async function collectSignals(evidence: IssueEvidence, sources: IssueSources): Promise<IssueSignals> {
  const { ask, at, limits } = sources;
  const rows = (await at.files()).filter((file) => inScope(file, ask));
  const files = new CandidateFiles(rows);
  const names = [...evidence.names].map(([name, weight]) => ({ text: name, weight }));
  const texts = {
    title: [{ text: evidence.title, weight: 2 }],
    all: [
      { text: evidence.title, weight: 2 },
      { text: evidence.prose, weight: 0.6 },
      { text: evidence.code, weight: 0.15 },
    ],
    code: [...names, { text: evidence.code, weight: 0.3 }],
  } satisfies Record<string, WeightedText[]>;
  const issueTerms = new IssueTerms(at);
  const search = async (of: keyof typeof texts) => {
    const terms = await issueTerms.of(texts[of], TERMS[of]);
    const page =
      terms.length === 0 ? NOTHING : await at.lexical({ terms, limit: CHUNKS, ...compileScope(ask) }, limits);
    return { terms, page };
  };
  const title = await search("title");
  const all = await search("all");
  const code = await search("code");
  files.addText(title.page.candidates, ["title_text", "title_text_sum"], 0.3);
  files.addText(all.page.candidates, ["text", "text_sum"], 0.5);
  files.addText(code.page.candidates, ["code_text", "code_text_sum"], 0.3);
  await addDefinitions(files, evidence, at);
  await addPlaces(files, evidence, at);
  addPathWords(files, rows, evidence);
  if (sources.meaning) await addSimilarity(files, sources, sources.meaning);
  files.normalise();
  addTested(files);
  await addNeighbours(files, sources);
  files.classify();
  return {
    files: files.list(),
    terms: all.terms,
    matched: all.page.matched,
    completeness: all.page.completeness,
  };
}

const NOTHING: LexicalPage = { candidates: [], matched: 0, completeness: "complete" };

const SIMILAR_CHUNKS = 40;
const SIMILAR_IN_CHUNK = 0.4;

async function addSimilarity(
  files: CandidateFiles,
  { ask, at, limits }: IssueSources,
  meaning: QueryVector,
): Promise<void> {
  const { model, vector, least = 0 } = meaning;
  const known = files.list().filter(({ file }) => isPlainSource(file.path));
  const query = {
    model,
    vector,
    limit: SIMILAR_CHUNKS,
    least,
    ...compileScope(ask),
    also: known.map(({ file }) => file),
  };
  const page = await at.dense(query, limits);
  const height = new Map<IssueFile, number>();
  const add = (held: IssueFile, chunk: number, cosine: number) => {
    height.set(held, Math.max(cosine, height.get(held) ?? -1));
    if (cosine > 0) held.chunks.set(chunk, (held.chunks.get(chunk) ?? 0) + SIMILAR_IN_CHUNK * cosine);
  };
  for (const [i, held] of known.entries())
    for (const [chunk, cosine] of page.also[i]?.entries() ?? []) add(held, chunk, cosine);
  const seen = new Set(known.map(({ file }) => file.path));
  for (const { file, chunk, similarity } of page.candidates)
    if (!seen.has(file.path)) add(files.at(file), chunk, similarity);
  const sorted = [...height.values()].sort((a, b) => a - b);
  const usual = sorted[sorted.length >> 1] ?? 0;
  const best = sorted.at(-1) ?? 0;
  for (const [{ signals }, cosine] of height) {
    signals.similarity = best > usual ? Math.max(0, (cosine - usual) / (best - usual)) : 0;
  }
}

/** `test_skipping.py` and `SkippingTest.java` test a file called `skipping`. */
function addTested(files: CandidateFiles): void {
  const shares = new Map<string, number>();
  for (const { file, signals } of files.list()) {
    if (!pathClasses(file.path).includes("test")) continue;
    const subject = fileWords(file.path).name.filter((word) => word !== "test" && word !== "spec");
    const share = (signals.text_sum + signals.code_text_sum + signals.title_text_sum) / 3.6;
    const key = subject.join(" ");
    if (key !== "" && share > (shares.get(key) ?? 0)) shares.set(key, share);
  }
  for (const file of files.rows.values()) {
    const { name, directory, entrance } = fileWords(file.path);
    const share = shares.get((entrance ? directory : name).join(" "));
    if (share !== undefined && isPlainSource(file.path)) files.at(file).signals.tested_by_likely = share;
  }
}

const LIKELY_FILES = 12;
/** What imports hundreds of files, or is imported by them, is no neighbour. */
const MAX_IMPORTS = 60;

async function addNeighbours(files: CandidateFiles, { imports, preliminary }: IssueSources): Promise<void> {
  const graph = await imports?.();
  if (graph === undefined) return;
  const likely = files
    .list()
    .map((held) => ({ held, score: preliminary(held.signals) }))
    .sort((a, b) => b.score - a.score || (a.held.file.path < b.held.file.path ? -1 : 1))
    .slice(0, LIKELY_FILES);
  const top = likely[0]?.score ?? 0;
  if (top <= 0) return;
  for (const { held, score } of likely) {
    const share = Math.max(0, score / top);
    const targets = graph.get(held.file.path) ?? [];
    if (targets.length > MAX_IMPORTS) continue;
    for (const path of targets) {
      const row = files.rows.get(path);
      if (row === undefined) continue;
      const { signals } = files.at(row);
      signals.imported_by_likely = Math.min(1, signals.imported_by_likely + share / Math.sqrt(1 + targets.length));
    }
  }
  const shares = new Map(likely.map(({ held, score }) => [held.file.path, Math.max(0, score / top)]));
  for (const { file, signals } of files.list()) {
    const targets = graph.get(file.path) ?? [];
    for (const path of targets) {
      signals.imports_likely = Math.min(
        1,
        signals.imports_likely + (shares.get(path) ?? 0) / Math.sqrt(1 + targets.length),
      );
    }
  }
}

/** The weighted terms of a long text: of thousands of words, the few that tell most. */
interface WeightedText {
  readonly text: string;
  readonly weight: number;
}

/** Terms whose frequency is looked up, the heaviest and longest first: short words are rarely telling. */
const MAX_KNOWN = 128;
/** A term in a larger share of the chunks costs more to score than all rare terms together, and tells nothing. */
const FREQUENT = 0.12;
/** Repeating a word says little more than saying it twice. */
const SATURATION = 1.2;
const PART_WEIGHT = 0.7;
const WORD = /[\p{L}\p{M}\p{N}_]+/gu;

/** Looks up each term once, whichever text it is in. */
class IssueTerms {
  readonly #at: Snapshot;
  readonly #frequency = new Map<string, number>();

  constructor(at: Snapshot) {
    this.#at = at;
  }

  async of(texts: readonly WeightedText[], limit: number): Promise<WeightedTerm[]> {
    const known = [...countTerms(texts)].sort(byWeight).slice(0, MAX_KNOWN);
    const missing = known.flatMap(([term]) => (this.#frequency.has(term) ? [] : [term]));
    const { chunkCount, documentFrequency } = await this.#at.termStats(missing);
    for (const term of missing) this.#frequency.set(term, documentFrequency.get(term) ?? 0);
    const found = known.flatMap(([term, weight]) => {
      const frequency = this.#frequency.get(term)!;
      return frequency === 0 ? [] : [{ term, weight, frequency, gain: weight * Math.log(1 + chunkCount / frequency) }];
    });
    const rare = found.filter(({ frequency }) => frequency <= FREQUENT * chunkCount);
    return (rare.length >= FEW ? rare : found)
      .sort((a, b) => b.gain - a.gain || (a.term < b.term ? -1 : 1))
      .slice(0, limit)
      .map(({ term, weight }) => ({ term, weight }));
  }
}

/** With fewer rare terms than this, frequent ones have to do. */
const FEW = 4;

function byWeight([a, x]: readonly [string, number], [b, y]: readonly [string, number]): number {
  return y - x || b.length - a.length || (a < b ? -1 : 1);
}

function countTerms(texts: readonly WeightedText[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { text, weight } of texts) {
    for (const [word] of text.matchAll(WORD)) {
      if (word.length < 2 || isStopWord(word.toLowerCase())) continue;
      const whole = fold(word);
      for (const term of analyse(word.slice(0, MAX_IDENTIFIER))) {
        sums.set(term, (sums.get(term) ?? 0) + weight * (term === whole ? 1 : PART_WEIGHT));
      }
    }
  }
  for (const [term, sum] of sums) sums.set(term, (sum * (1 + SATURATION)) / (sum + SATURATION));
  return sums;
}
