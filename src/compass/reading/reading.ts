/** One view, pinned for one request, with every method of the read path. */
import { globFilter } from "../../grep/glob.ts";
import { type GrepPorts, grep, searchedFiles } from "../../grep/grep.ts";
import { LANGUAGES, languageById } from "../../languages/index.ts";
import { CompassError, errorMessage } from "../../model/errors.ts";
import type { Hash, ProjectId } from "../../model/ids.ts";
import type { ReferencesRequest, UnusedRequest } from "../../model/navigation.ts";
import type {
  LocateAnswer,
  LocateRequest,
  OutlineAnswer,
  PathMatches,
  SearchAnswer,
  SearchRequest,
  SemanticRequest,
  SymbolHit,
} from "../../model/search.ts";
import { findAffectedCode } from "../../navigate/affected-code.ts";
import { references, undefinedInText } from "../../navigate/find-references.ts";
import { buildGraph } from "../../navigate/graph.ts";
import { createNavigation, noNavigation } from "../../navigate/navigation.ts";
import { outline } from "../../navigate/outline.ts";
import { referenceRules } from "../../navigate/reference-rules.ts";
import { related } from "../../navigate/related.ts";
import type { Embedders } from "../../ports/embedder.ts";
import type { FileRow, Snapshot } from "../../ports/snapshot.ts";
import { bare, isHeavy, show } from "../../query/build-results.ts";
import { explain, whyNot } from "../../query/explain.ts";
import { locate } from "../../query/locate.ts";
import { classify } from "../../query/parsed-query.ts";
import type { EmbedQuery } from "../../query/retrievers/meaning.ts";
import { find, type SearchOptions, search } from "../../query/search.ts";
import { hybrid, semantic } from "../../query/semantic.ts";
import { Pattern } from "../../regex/pattern.ts";
import { closest, nearestPaths } from "../../text/edit-distance.ts";
import { sliceLines } from "../../text/lines.ts";
import type { Project, Reading, ViewStatus } from "../compass.ts";
import { withQueryFilters } from "./query-filters.ts";

export interface ReadingSource {
  readonly project: Project;
  readonly storeProject: ProjectId;
  readonly status: ViewStatus;
  readonly snapshot: Snapshot | undefined;
  readonly layer: Reading["layer"];
  readonly hash: Hash;
  /** What a pattern search needs; absent in reader threads, which run none. */
  readonly grep?: Omit<GrepPorts, "snapshot" | "signal">;
  /** Absent: search by words only. */
  readonly embedders?: Embedders;
  readonly signal?: AbortSignal;
}

export function createReading(of: ReadingSource): Reading {
  const { snapshot } = of;
  const ids = { project: of.storeProject, hash: of.hash };
  const base = {
    project: of.project,
    status: of.status,
    generation: snapshot?.info.generation ?? 0,
    layer: of.layer,
  };
  if (snapshot === undefined) return { ...base, ...nothingIndexed(of.status, of.project.root) };
  const options = searchOptions(of, snapshot);
  const navigation = createNavigation(snapshot, ids);
  const resolveFilters = <Ask extends SearchRequest | SemanticRequest>(ask: Ask): Ask =>
    withQueryFilters(withGlobs(withLanguageIds(ask)), {
      root: of.project.root,
      languages: snapshot.info.languages.map(({ language }) => language),
      languageIds,
    });
  return {
    ...base,
    search: async (ask) => search(resolveFilters(ask), snapshot, ids, options),
    find: async (ask, { stateId = snapshot.info.stateId, isPart = false } = {}) => {
      const found = await find(resolveFilters(ask), snapshot, options);
      const isShownHere = (!isPart && isHeavy(found)) || snapshot.info.stateId !== stateId;
      return isShownHere ? { shown: await show(found, snapshot, ids) } : bare(found);
    },
    show: async (found) => show(found, snapshot, ids),
    semantic: async (ask) => semantic(resolveFilters(ask), snapshot, ids, options),
    hybrid: async (ask) => hybrid(resolveFilters(ask), snapshot, ids, options),
    locate: async (ask) => {
      const answer = await locate(withLanguageIds(ask), snapshot, ids);
      if (answer.hits.length > 0 || ask.name === undefined) return answer;
      const inText = await undefinedInText(ask.name, snapshot);
      return inText === undefined ? answer : { ...answer, inText };
    },
    outline: (path, depth, most) => outlineAt({ path, depth, most }, snapshot, of.status.ref),
    source: async (path) => {
      const file = await requireFile(path, snapshot, of.status.ref);
      return { path: file.path, language: file.language, text: await snapshot.text(file) };
    },
    findPaths: async (words, limit) => matchPaths(await snapshot.files(), words, limit),
    explain: async (ask, path, lineStart) => explain(resolveFilters(ask), { path, lineStart }, snapshot, ids, options),
    grep: async (ask) => grep(withLanguageIds(ask), grepPorts(of, snapshot)),
    searchedFiles: async (ask) => searchedFiles(withLanguageIds(ask), grepPorts(of, snapshot)),
    whyNot: async (ask, path, line) => whyNot(resolveFilters(ask), { path, line }, snapshot, options),
    body: (hit) => readBody(hit, snapshot),
    related: (hit, limit) => related(hit, limit, snapshot, ids),
    affectedCode: (ask) => findAffectedCode(ask, snapshot),
    ...withCallersRefName(
      {
        references: (ask: ReferencesRequest) => references(ask, snapshot, ids),
        ...navigation,
        unused: (ask: UnusedRequest) => navigation.unused(withLanguageIds(ask)),
      },
      { view: snapshot.info.ref, ref: of.status.ref },
    ),
  };
}

function searchOptions({ signal, embedders }: ReadingSource, snapshot: Snapshot): SearchOptions {
  return {
    ...(signal && { signal }),
    ...(embedders && { askMeaning: embedQuery(embedders, signal) }),
    imports: () => buildGraph(snapshot, referenceRules).imports(),
  };
}

function grepPorts({ grep: ports, signal }: ReadingSource, snapshot: Snapshot): GrepPorts {
  if (ports === undefined) throw new CompassError("internal_error", { reason: "patterns are not looked for here" });
  return { ...ports, snapshot, ...(signal !== undefined && { signal }) };
}

async function outlineAt(
  { path, depth, most }: { path: string; depth: "top" | "all"; most: number | undefined },
  snapshot: Snapshot,
  ref: string,
): Promise<OutlineAnswer> {
  return outline(await requireFile(path, snapshot, ref), snapshot, { depth, most });
}

async function requireFile(path: string, snapshot: Snapshot, ref: string): Promise<FileRow> {
  const file = await snapshot.file(path);
  if (file !== undefined) return file;
  const skipped = await snapshot.skipped(path);
  const near = skipped === undefined ? nearestPaths(path, await snapshot.files()) : [];
  throw new CompassError("file_not_found", {
    path,
    ref,
    ...(skipped !== undefined && { skipped_reason: skipped }),
    ...(near.length > 0 && { did_you_mean: near }),
  });
}

function matchPaths(files: readonly FileRow[], words: string, limit: number): PathMatches {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const named: string[] = [];
  const others: string[] = [];
  for (const { path } of files) {
    const text = path.toLowerCase();
    if (!wanted.every((word) => text.includes(word))) continue;
    const name = text.slice(text.lastIndexOf("/") + 1);
    (wanted.some((word) => name.includes(word)) ? named : others).push(path);
  }
  const paths = [...named.toSorted((a, b) => a.length - b.length), ...others].slice(0, limit);
  return { paths, total: named.length + others.length };
}

async function readBody(hit: SymbolHit, snapshot: Snapshot): Promise<string> {
  const file = await snapshot.file(hit.path);
  if (file === undefined) return "";
  return sliceLines(await snapshot.text(file), hit.symbol.span.lineStart, hit.symbol.span.lineEnd);
}

const NOTHING_MEANT = { hits: [], total: 0, notes: [], completeness: "partial" } as const;

/** Answers of a view that does not exist yet: empty and partial. A named file or symbol is refused, for it may exist. */
export function nothingIndexed(
  { indexing }: ViewStatus,
  workspace: string,
): Omit<Reading, "project" | "status" | "generation" | "layer"> {
  const refuse = async (): Promise<never> => {
    throw new CompassError("index_not_ready", { workspace, indexing_status: indexing });
  };
  return {
    search: async (ask: SearchRequest): Promise<SearchAnswer> => ({
      intent: classify(ask.query),
      hits: [],
      totalCandidates: 0,
      suppressedDuplicates: 0,
      joins: { hits: 0, misses: 0 },
      completeness: "partial",
      notes: [],
    }),
    semantic: async () => ({ ...NOTHING_MEANT, mode: "semantic" }),
    hybrid: async () => ({ ...NOTHING_MEANT, mode: "hybrid" }),
    locate: async (_: LocateRequest): Promise<LocateAnswer> => ({ hits: [], totalCandidates: 0 }),
    outline: refuse,
    source: refuse,
    findPaths: async () => ({ paths: [], total: 0 }),
    explain: refuse,
    grep: async ({ pattern, ...options }) => {
      // An invalid pattern is refused even where there is nothing to search.
      new Pattern(pattern, options);
      return { hits: [], total: 0, files: [], filesSearched: 0, notSearched: [], complete: true };
    },
    searchedFiles: async () => [],
    whyNot: async () => ({ verdict: "not_indexed" }),
    body: async () => "",
    related: async () => [],
    ...noNavigation(refuse),
    affectedCode: async () => ({ callers: [], totalCallers: 0, tests: [] }),
    references: refuse,
  };
}

/** The same question with language ids for words; a word that means nothing is refused, not answered with nothing. */
export function withLanguageIds<Ask extends { readonly languages?: readonly string[] }>(ask: Ask): Ask {
  if (ask.languages === undefined) return ask;
  return { ...ask, languages: ask.languages.flatMap(languageIds) };
}

function languageIds(word: string): readonly string[] {
  const id = languageById(word)?.id;
  if (id !== undefined) return [id, ...LANGUAGES.filter((it) => it.filterWith === id).map((it) => it.id)];
  const known = LANGUAGES.map((language) => language.id);
  const near = closest(word, known);
  const meant = near === undefined ? "" : `there is no language ${word} (did you mean ${near}?); `;
  throw new CompassError("invalid_input", {
    parameter: "language",
    reason: `${meant}language must be one of ${known.join(", ")}, or a text format such as markdown`,
  });
}

interface GlobFilters {
  readonly globs?: readonly string[];
  readonly keeps?: (path: string) => boolean;
}

/** The same question with its globs read; one that is no glob is refused. */
export function withGlobs<Ask extends GlobFilters>(ask: Ask): Ask {
  return ask.globs === undefined || ask.globs.length === 0 ? ask : { ...ask, keeps: globFilter(ask.globs) };
}

export function embedQuery(embedders: Embedders, signal: AbortSignal | undefined): EmbedQuery {
  return async (text) => {
    const answer = await embedders.open();
    if ("unavailable" in answer) return answer;
    const { model, query } = answer.embedder;
    try {
      const vector = await query(text, signal);
      return vector && { model: model.fingerprint, vector, ...(model.cut !== undefined && { least: model.cut }) };
    } catch (error) {
      signal?.throwIfAborted();
      return { unavailable: errorMessage(error) };
    }
  };
}

export interface RefNames {
  readonly view: string;
  readonly ref: string;
}

// biome-ignore lint/suspicious/noExplicitAny: arguments and results of all methods pass through
type AsyncMethods = Readonly<Record<string, (...args: any[]) => Promise<unknown>>>;

/** The same methods; their errors name the ref as the caller does, not as the store calls its view. */
export function withCallersRefName<T extends { readonly [K in keyof T]: AsyncMethods[string] }>(
  methods: T,
  names: RefNames,
): T {
  if (names.view === names.ref) return methods;
  const renamed = Object.entries(methods as AsyncMethods).map(([name, method]) => {
    return [name, (...args: unknown[]) => method(...args).catch((error: unknown) => throwWithRef(error, names))];
  });
  return Object.fromEntries(renamed) as T;
}

function throwWithRef(error: unknown, { view, ref }: RefNames): never {
  if (!(error instanceof CompassError) || error.data.ref !== view) throw error;
  throw new CompassError(error.code, { ...error.data, ref }, { cause: error });
}
