/** What speaks for each file of a view, given the evidence of an issue. One number per kind of evidence and file, 0..1. */
import type { SearchRequest } from "../../model/search.ts";
import type { ChunkCandidate, LexicalPage } from "../../ports/candidates.ts";
import type { Limits } from "../../ports/limits.ts";
import type { Snapshot } from "../../ports/snapshot.ts";
import type { FileRow } from "../../ports/view.ts";
import { splitIdentifier, stem } from "../../text/identifiers.ts";
import { isStopWord, type WeightedTerm } from "../../text/query-terms.ts";
import { compileScope, inScope } from "../candidate.ts";
import { fileWords } from "../coverage.ts";
import { chunkAt } from "../mentions.ts";
import { pathClasses } from "../path-class.ts";
import type { Meaning } from "../retrievers/meaning.ts";
import type { IssueEvidence } from "./evidence.ts";
import { issueTerms, type WeightedText } from "./terms.ts";

export const SIGNALS = [
  "title_text",
  "title_text_sum",
  "text",
  "text_sum",
  "code_text",
  "code_text_sum",
  "definitions",
  "qualified_definitions",
  "module",
  "quoted_path",
  "stack_frame",
  "title_in_path",
  "path_in_title",
  "path_in_text",
  "similarity",
  "imported_by_likely",
  "imports_likely",
  "test",
  "doc",
  "example",
  "data",
  "entry",
  "generated",
  "size",
  "depth",
] as const;
export type Signal = (typeof SIGNALS)[number];
export type SignalValues = Record<Signal, number>;

/** A file that an issue may be about. */
export interface IssueFile {
  readonly file: FileRow;
  readonly signals: SignalValues;
  /** By chunk: how much of the evidence is in it. */
  readonly chunks: Map<number, number>;
}

/** Files of the view that each file imports, by path. */
export type ImportsOf = () => Promise<ReadonlyMap<string, readonly string[]>>;

export interface IssueSources {
  readonly ask: SearchRequest;
  readonly at: Snapshot;
  readonly limits: Limits;
  readonly meaning?: Meaning;
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

const TERMS = { title: 24, all: 56, code: 40 } as const;
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
  const search = async (of: keyof typeof texts) => {
    const terms = await issueTerms(texts[of], TERMS[of], at);
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
  await addDefinitions(files, evidence, sources);
  await addPlaces(files, evidence, at);
  addPathWords(files, rows, evidence);
  if (sources.meaning) await addSimilarity(files, sources, sources.meaning);
  files.normalise();
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

/** Divided by the best file's value; the others are absolute. */
const RELATIVE = [
  "title_text",
  "title_text_sum",
  "text",
  "text_sum",
  "code_text",
  "code_text_sum",
  "definitions",
  "qualified_definitions",
  "title_in_path",
  "path_in_text",
] as const satisfies readonly Signal[];

const BEST_CHUNKS = 3;

class CandidateFiles {
  readonly rows: ReadonlyMap<string, FileRow>;
  readonly #files = new Map<string, IssueFile>();

  constructor(rows: readonly FileRow[]) {
    this.rows = new Map(rows.map((file) => [file.path, file]));
  }

  /** Adds the file if it is new. */
  at(file: FileRow): IssueFile {
    let known = this.#files.get(file.path);
    if (known === undefined) {
      known = {
        file,
        signals: Object.fromEntries(SIGNALS.map((name) => [name, 0])) as SignalValues,
        chunks: new Map(),
      };
      this.#files.set(file.path, known);
    }
    return known;
  }

  known(path: string): IssueFile | undefined {
    return this.#files.get(path);
  }

  list(): IssueFile[] {
    return [...this.#files.values()];
  }

  addText(chunks: readonly ChunkCandidate[], [best, sum]: readonly [Signal, Signal], weight: number): void {
    const top = chunks[0]?.score ?? 1;
    const counts = new Map<string, number>();
    for (const { file, chunk, score } of chunks) {
      const { signals, chunks: held } = this.at(file);
      const count = counts.get(file.path) ?? 0;
      counts.set(file.path, count + 1);
      if (count === 0) signals[best] = score;
      if (count < BEST_CHUNKS) signals[sum] += score;
      held.set(chunk, (held.get(chunk) ?? 0) + (weight * score) / top);
    }
  }

  /** Tests and docs often repeat the words of an issue; they do not set the scale. */
  normalise(): void {
    for (const name of RELATIVE) {
      let most = 0;
      for (const { file, signals } of this.#files.values()) {
        if (isPlainSource(file.path)) most = Math.max(most, signals[name]);
      }
      for (const { signals } of this.#files.values()) {
        signals[name] = most === 0 ? 0 : Math.min(1.2, signals[name] / most);
      }
    }
  }

  classify(): void {
    for (const { file, signals } of this.#files.values()) {
      for (const name of pathClasses(file.path)) {
        if (name === "test" || name === "doc" || name === "data" || name === "entry") signals[name] = 1;
        else if (name === "generated" || name === "vendored") signals.generated = 1;
        else if (name === "example") signals.example = 1;
      }
      signals.size = Math.min(1, Math.log2(1 + (file.chunks ?? 1)) / 8);
      signals.depth = Math.min(1, fileWords(file.path).depth / 8);
    }
  }
}

const ASIDE = new Set(["test", "doc", "example", "data", "generated", "vendored"]);

export function isPlainSource(path: string): boolean {
  return !pathClasses(path).some((name) => ASIDE.has(name));
}

/** A name with more definitions than this is a word like `run`. */
const MAX_DEFINITIONS = 32;
const QUALIFIED_DEFINITIONS = 200;
const MAX_LOOKUPS = 96;
const MAX_QUALIFIED = 48;
const DEFINITION_IN_CHUNK = 0.5;

async function addDefinitions(
  files: CandidateFiles,
  { names, dotted }: IssueEvidence,
  { at }: IssueSources,
): Promise<void> {
  for (const [name, weight] of [...names].slice(0, MAX_LOOKUPS)) {
    const page = await at.symbols({ name, match: "exact", limit: MAX_DEFINITIONS, atMost: MAX_DEFINITIONS });
    const perFile = new Set<string>();
    for (const { file, index } of page.candidates) {
      if (!files.rows.has(file.path) || perFile.has(file.path)) continue;
      perFile.add(file.path);
      const gain = weight / Math.sqrt(page.matched);
      const held = files.at(file);
      held.signals.definitions += gain;
      if (isPlainSource(file.path)) await creditChunk(held, index, gain * DEFINITION_IN_CHUNK, at);
    }
  }
  for (const name of dotted.slice(0, MAX_QUALIFIED)) {
    const parts = name.split(".");
    const last = parts.at(-1)!;
    const owner = parts.at(-2)!;
    const page = await at.symbols({
      name: last,
      match: "exact",
      limit: QUALIFIED_DEFINITIONS,
      atMost: QUALIFIED_DEFINITIONS,
    });
    const found: { file: FileRow; index: number }[] = [];
    for (const { file, index } of page.candidates) {
      if (!files.rows.has(file.path)) continue;
      const frame = await at.frame(file);
      const parent = frame.parent(index);
      const isOwned = parent === undefined ? moduleEndsWith(file.path, owner) : frame.name(parent) === owner;
      if (isOwned) found.push({ file, index });
    }
    for (const { file, index } of found) {
      const held = files.at(file);
      held.signals.qualified_definitions += 1 / found.length;
      await creditChunk(held, index, DEFINITION_IN_CHUNK / found.length, at);
    }
  }
}

async function creditChunk(held: IssueFile, index: number, gain: number, at: Snapshot): Promise<void> {
  const frame = await at.frame(held.file);
  const chunk = chunkAt(frame, frame.line(index));
  if (chunk >= 0) held.chunks.set(chunk, (held.chunks.get(chunk) ?? 0) + gain);
}

/** `a/b/c.py` and `a/b/c/__init__.py` are the module c. */
function moduleEndsWith(path: string, name: string): boolean {
  return modulePath(path).endsWith(`/${name}`) || modulePath(path) === name;
}

function modulePath(path: string): string {
  return path.replace(/\.[^./]+$/, "").replace(/\/(?:__init__|index|mod|lib)$/, "");
}

/** The innermost frame of the repository counts full, each one further out less. */
const OUTER_FRAME = 0.8;
const LATER_PATH = 0.9;
const CHUNK_OF_FRAME = 0.8;

async function addPlaces(files: CandidateFiles, { frames, paths, dotted }: IssueEvidence, at: Snapshot): Promise<void> {
  const bySuffix = suffixes([...files.rows.keys()]);
  let share = 1;
  for (const { path, line, name } of frames.toReversed()) {
    const file = longestSuffix(path, bySuffix, files.rows);
    if (file === undefined) continue;
    const held = files.at(file);
    held.signals.stack_frame = Math.max(held.signals.stack_frame, share);
    const frame = await at.frame(file);
    const chunk = chunkOfFrame(frame, line, name);
    if (chunk >= 0) held.chunks.set(chunk, (held.chunks.get(chunk) ?? 0) + CHUNK_OF_FRAME * share);
    share *= OUTER_FRAME;
  }
  let weight = 1;
  for (const path of paths) {
    const file = longestSuffix(path, bySuffix, files.rows);
    if (file === undefined) continue;
    const { signals } = files.at(file);
    signals.quoted_path = Math.max(signals.quoted_path, weight);
    weight *= LATER_PATH;
  }
  const modules = new Map<string, FileRow[]>();
  for (const file of files.rows.values()) {
    const last = modulePath(file.path).split("/").at(-1)!;
    const known = modules.get(last);
    if (known) known.push(file);
    else modules.set(last, [file]);
  }
  for (const name of dotted) addModule(files, name.split("."), modules);
}

/** The trace may come from another version: the named function is closer than the line. */
function chunkOfFrame(frame: Awaited<ReturnType<Snapshot["frame"]>>, line: number, name: string | undefined): number {
  let best = -1;
  if (name !== undefined) {
    for (let i = 0; i < frame.symbolCount; i++) {
      if (frame.name(i) === name && (best < 0 || Math.abs(frame.line(i) - line) < Math.abs(frame.line(best) - line)))
        best = i;
    }
  }
  if (best >= 0 && (line < frame.line(best) || line > frame.lastLine(best))) return chunkAt(frame, frame.line(best));
  return chunkAt(frame, Math.min(line, frame.lineCount));
}

/** `a.b.c.D.e`: the longest run of leading parts that is a file of two parts or more. */
function addModule(
  files: CandidateFiles,
  parts: readonly string[],
  modules: ReadonlyMap<string, readonly FileRow[]>,
): void {
  for (let length = parts.length; length > 0; length--) {
    const path = parts.slice(0, length).join("/");
    const found = (modules.get(parts[length - 1]!) ?? []).filter((file) => {
      const module = modulePath(file.path);
      return module === path || module.endsWith(`/${path}`);
    });
    if (found.length === 0 || (length === 1 && found.length > 2)) continue;
    const weight = (length > 1 ? 1 : 0.4) / found.length;
    for (const file of found) {
      const { signals } = files.at(file);
      signals.module = Math.max(signals.module, weight);
    }
    return;
  }
}

function suffixes(paths: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const byName = new Map<string, string[]>();
  for (const path of paths) {
    const name = path.slice(path.lastIndexOf("/") + 1);
    const known = byName.get(name);
    if (known) known.push(path);
    else byName.set(name, [path]);
  }
  return byName;
}

/** The file with most trailing directories in common; undefined if several have as many, or a name alone is ambiguous. */
function longestSuffix(
  path: string,
  byName: ReadonlyMap<string, readonly string[]>,
  rows: ReadonlyMap<string, FileRow>,
): FileRow | undefined {
  const parts = path.split("/");
  const rivals = byName.get(parts.at(-1)!) ?? [];
  let best: string | undefined;
  let most = 0;
  let isTied = false;
  for (const rival of rivals) {
    const common = commonEnd(parts, rival.split("/"));
    if (common > most) [best, most, isTied] = [rival, common, false];
    else if (common === most) isTied = true;
  }
  if (best === undefined || isTied) return undefined;
  // `site-packages/other/utils.py` is no file of the repository's `utils.py`.
  const isForeign = parts.length > 2 && most === 1;
  return isForeign && best.includes("/") ? undefined : rows.get(best);
}

function commonEnd(a: readonly string[], b: readonly string[]): number {
  let count = 0;
  while (count < a.length && count < b.length && a[a.length - 1 - count] === b[b.length - 1 - count]) count++;
  return count;
}

const WORDS = /[\p{L}\p{M}\p{N}_]+/gu;
const WORDS_OF = { title: 1, prose: 0.25, code: 0.15 } as const;

/** Words of the issue in the names of files and directories; a word of few paths tells more. */
function addPathWords(files: CandidateFiles, rows: readonly FileRow[], { title, prose, code }: IssueEvidence): void {
  const inTitle = wordSet(title);
  const weights = new Map<string, number>();
  for (const word of wordSet(code)) weights.set(word, WORDS_OF.code);
  for (const word of wordSet(prose)) weights.set(word, WORDS_OF.prose);
  for (const word of inTitle) weights.set(word, WORDS_OF.title);
  const frequency = new Map<string, number>();
  for (const { path } of rows) {
    const { name, directory } = fileWords(path);
    for (const word of new Set([...name, ...directory])) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  }
  const rarity = (word: string) => Math.log(1 + rows.length / (frequency.get(word) ?? rows.length));
  for (const file of rows) {
    const { name, directory, entrance } = fileWords(file.path);
    const own = entrance ? directory : name;
    if (own.length === 0) continue;
    let fromTitle = 0;
    let fromText = 0;
    let titled = 0;
    for (const word of own) {
      const weight = weights.get(word) ?? 0;
      fromText += weight * rarity(word);
      if (!inTitle.has(word)) continue;
      titled++;
      fromTitle += rarity(word);
    }
    for (const word of entrance ? [] : directory) {
      fromText += 0.5 * (weights.get(word) ?? 0) * rarity(word);
      if (inTitle.has(word)) fromTitle += 0.5 * rarity(word);
    }
    if (fromText === 0) continue;
    // Most files share some frequent word; they are candidates for other reasons or not at all.
    const isNamed = titled === own.length || own.every((word) => weights.has(word));
    const held = isNamed && isPlainSource(file.path) ? files.at(file) : files.known(file.path);
    if (held === undefined) continue;
    held.signals.title_in_path = fromTitle;
    held.signals.path_in_text = fromText;
    held.signals.path_in_title = titled / own.length;
  }
}

function wordSet(text: string): Set<string> {
  const found = new Set<string>();
  for (const [word] of text.matchAll(WORDS)) {
    if (isStopWord(word.toLowerCase())) continue;
    for (const part of splitIdentifier(word)) if (part.length > 1) found.add(stem(part.toLowerCase()));
  }
  return found;
}

const SIMILAR_CHUNKS = 40;
const SIMILAR_IN_CHUNK = 0.4;

async function addSimilarity(
  files: CandidateFiles,
  { ask, at, limits }: IssueSources,
  meaning: Meaning,
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
  for (const { file, chunk, likeness } of page.candidates)
    if (!seen.has(file.path)) add(files.at(file), chunk, likeness);
  const sorted = [...height.values()].sort((a, b) => a - b);
  const usual = sorted[sorted.length >> 1] ?? 0;
  const best = sorted.at(-1) ?? 0;
  for (const [{ signals }, cosine] of height) {
    signals.similarity = best > usual ? Math.max(0, (cosine - usual) / (best - usual)) : 0;
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
