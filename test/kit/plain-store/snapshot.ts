/** One published state; answers by scanning everything. */
import { type Coverage, isParseFailure, PARSE_GAVE_UP, type SkipReason } from "../../../src/model/code.ts";
import { importedModules, mentionedNames } from "../../../src/model/edges.ts";
import type { Generation, ProjectId } from "../../../src/model/ids.ts";
import type { SymbolCandidate, SymbolQuery } from "../../../src/ports/candidates.ts";
import type { Limits, Snapshot, Stamped, ViewInfo } from "../../../src/ports/snapshot.ts";
import { versionKeyText } from "../../../src/ports/versions.ts";
import { recordFrame } from "../../../src/segment/frame.ts";
import { nearestNames } from "../../../src/text/edit-distance.ts";
import { compare, rank, statsOf } from "./bm25.ts";
import type { Version } from "./content.ts";
import { rankByMeaning } from "./dense.ts";

export type Entry = { readonly version: Version } | { readonly skip: SkipReason };

export interface Published {
  readonly stateId: string;
  readonly ref: string;
  readonly generation: Generation;
  readonly commit?: string;
  readonly publishedAt: number;
  readonly uncounted: Readonly<Partial<Record<SkipReason, number>>>;
  readonly entries: ReadonlyMap<string, Entry>;
}

/** The current stamps of a work tree's files: stamps are not published. */
type KnownStamps = (tree: ProjectId) => ReadonlyMap<string, Stamped>;

export function snapshotOf(state: Published, stampsOf: KnownStamps, monotonic: () => number): Snapshot {
  const versions = versionsIn(state);
  const found = (name: (version: Version) => readonly SymbolCandidate[]) => versions.flatMap(name).sort(byName);
  const versionOf = (path: string) => versions.find((version) => version.row.path === path);
  return {
    info: infoOf(state),
    files: async () => versions.map((version) => version.row),
    file: async (path) => versionOf(path)?.row,
    stamps: async (tree) => stampsIn(state, stampsOf(tree)),
    skipped: async (path) => skipOf(state.entries.get(path)),
    extractor: async () => versions[0]?.stored.extractor,
    problems: async (limit) => versions.flatMap(problemOf).slice(0, limit),
    record: async (file) => versionOf(file.path)!.record,
    frame: async (file) => recordFrame(versionOf(file.path)!.record),
    text: async (file) => versionOf(file.path)!.text,
    packed: async (files) => files.map((file) => versionOf(file.path)!.stored.text),
    holding: async (plan, limits) => {
      limits?.signal?.throwIfAborted();
      return versions.filter((version) => version.admits(plan)).map((version) => version.row);
    },
    skips: async (reasons) => [...state.entries.keys()].filter((path) => isSkipped(state, path, reasons)).sort(compare),
    facts: async (files) => files.map((file) => versionOf(file.path)!.facts),
    mentions: async (name) =>
      versions.filter(({ facts }) => mentionedNames(facts).has(name)).map((version) => version.row),
    modules: async () =>
      versions.flatMap(({ row, facts }) => {
        const modules = importedModules(facts);
        return modules.length === 0 ? [] : [{ file: row, modules }];
      }),
    compiled: async () => new Map(),
    lexical: async (query, limits) => rank(versions, query, deadline(limits, monotonic)),
    dense: async (query, limits) => {
      limits?.signal?.throwIfAborted();
      return rankByMeaning(versions, query);
    },
    unembedded: async (model, limit) =>
      versions
        .filter(({ chunks, vectors }) => chunks.length > 0 && !vectors.has(model))
        .map(({ row }) => row)
        .slice(0, limit),
    termStats: async (terms) => statsOf(versions, terms),
    symbols: async (query, limits) => {
      limits?.signal?.throwIfAborted();
      const all = found((version) => named(version, query));
      const { limit, atMost = all.length } = query;
      if (all.length > atMost) return { candidates: [], matched: atMost + 1 };
      return { candidates: all.slice(0, limit), matched: all.length };
    },
    nearNames: async (name, limit, inScope = () => true) => {
      const shown = versions.filter(({ row }) => inScope(row));
      const names = shown.flatMap(({ record }) => record.symbols.map((symbol) => symbol.name));
      return nearestNames(name, names, limit);
    },
    symbolsById: async (id) => found((version) => version.withId(id).map((index) => candidate(version, index))),
    release: () => {},
  };
}

export function infoOf(state: Published): ViewInfo {
  const versions = versionsIn(state);
  const sum = (of: (version: Version) => number) => versions.reduce((total, version) => total + of(version), 0);
  const languages = new Map<string, number>();
  for (const { row } of versions) languages.set(row.language, (languages.get(row.language) ?? 0) + 1);
  return {
    stateId: state.stateId,
    ref: state.ref,
    generation: state.generation,
    ...(state.commit !== undefined && { commit: state.commit }),
    publishedAt: state.publishedAt,
    coverage: coverageOf(state, versions),
    fileCount: versions.length,
    symbolCount: sum((version) => version.stored.symbolCount),
    chunkCount: sum((version) => version.stored.chunkCount),
    languages: [...languages].sort(([a], [b]) => compare(a, b)).map(([language, files]) => ({ language, files })),
  };
}

function coverageOf(state: Published, versions: readonly Version[]): Coverage {
  const reasons: Record<string, number> = {};
  const add = (reason: string, count: number) => {
    if (count > 0) reasons[reason] = (reasons[reason] ?? 0) + count;
  };
  for (const [reason, count] of Object.entries(state.uncounted)) add(reason, count);
  for (const entry of state.entries.values()) if ("skip" in entry) add(entry.skip, 1);
  add(PARSE_GAVE_UP, versions.filter(({ stored }) => isParseFailure(stored.problem)).length);
  const filesSkipped = Object.values(reasons).reduce((sum, count) => sum + count, 0);
  return { filesIndexed: versions.length, filesSkipped, skippedReasons: reasons };
}

function versionsIn(state: Published): Version[] {
  const versions = [...state.entries.values()].flatMap((entry) => ("version" in entry ? [entry.version] : []));
  return versions.sort((a, b) => compare(a.row.path, b.row.path));
}

function stampsIn(state: Published, known: ReadonlyMap<string, Stamped>): ReadonlyMap<string, string> {
  const stamps = new Map<string, string>();
  for (const [path, entry] of state.entries) {
    const it = known.get(path);
    if ("version" in entry) stamps.set(path, it !== undefined && isOf(it, entry.version) ? it.stamp : "");
    else if (it !== undefined && "skip" in it && it.skip === entry.skip) stamps.set(path, it.stamp);
  }
  return stamps;
}

function isOf(stamped: Stamped, { stored }: Version): boolean {
  return "version" in stamped && versionKeyText(stamped.version) === versionKeyText(stored);
}

function isSkipped(state: Published, path: string, reasons: readonly SkipReason[]): boolean {
  const reason = skipOf(state.entries.get(path));
  return reason !== undefined && reasons.includes(reason);
}

function skipOf(entry: Entry | undefined): SkipReason | undefined {
  return entry && "skip" in entry ? entry.skip : undefined;
}

function problemOf({ stored }: Version): { path: string; problem: string }[] {
  return stored.problem === undefined ? [] : [{ path: stored.path, problem: stored.problem }];
}

function named(version: Version, query: SymbolQuery): SymbolCandidate[] {
  const wanted = query.name.toLowerCase();
  const matches = {
    exact: (name: string) => name === query.name,
    folded: (name: string) => name.toLowerCase() === wanted,
    prefix: (name: string) => name.toLowerCase().startsWith(wanted),
  }[query.match];
  return version.record.symbols.flatMap(({ name }, index) =>
    name !== "" && matches(name) ? [candidate(version, index)] : [],
  );
}

function candidate(version: Version, index: number): SymbolCandidate {
  return { file: version.row, index, name: version.record.symbols[index]!.name };
}

function byName(a: SymbolCandidate, b: SymbolCandidate): number {
  const folded = compare(a.name.toLowerCase(), b.name.toLowerCase());
  return folded || compare(a.name, b.name) || compare(a.file.path, b.file.path) || a.index - b.index;
}

function deadline(limits: Limits | undefined, monotonic: () => number): () => boolean {
  limits?.signal?.throwIfAborted();
  const end = limits?.deadlineMs === undefined ? Number.POSITIVE_INFINITY : monotonic() + limits.deadlineMs;
  return () => limits?.signal?.aborted === true || monotonic() >= end;
}
