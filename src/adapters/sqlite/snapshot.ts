/** One published state of a view, answered from memory and, for records and texts, from the database. */
import type { TrigramPlan } from "../../model/trigram-plan.ts";
import type { FileRow, Limits, Snapshot, SymbolCandidate, SymbolQuery } from "../../ports/store.ts";
import { filesMentioning } from "../../segment/mentions.ts";
import { type NamedSymbol, symbolsNamed, symbolsWithId } from "../../segment/read.ts";
import { documentFrequency, score } from "../../segment/score.ts";
import type { ViewPart } from "../../segment/view.ts";
import { refusing } from "./failures.ts";
import type { IndexedFile } from "./rows.ts";
import type { Source } from "./source.ts";
import { unembeddedIn } from "./vectors.ts";
import type { ViewState } from "./view-state.ts";

export interface SnapshotOptions {
  readonly source: Source;
  readonly state: ViewState;
  readonly monotonic: () => number;
  readonly onRelease: () => void;
}

export function snapshotOf({ source, state, monotonic, onRelease }: SnapshotOptions): Snapshot {
  const reading = <T>(read: () => T) => refusing("reading the index", () => source.onPresentSegments(state, read));
  const parts = () => source.text(state).parts;
  let sorted: readonly IndexedFile[] | undefined;
  let held = true;
  const files = () => {
    sorted ??= [...state.files.values()].sort((a, b) => compare(a.path, b.path));
    return sorted;
  };
  return {
    info: state.info,
    files: async () => files(),
    file: async (path) => state.files.get(path),
    stamps: async (tree) => reading(() => source.stamps(state, tree)),
    skipped: async (path) => state.skips.get(path),
    problems: async (limit) => [...state.files.values()].flatMap(problemOf).sort(byPath).slice(0, limit),
    record: async (file) => reading(() => source.record(file)),
    text: async (file) => reading(() => source.content(file)),
    packed: async (wanted) => reading(() => wanted.map((file) => source.packed(file))),
    holding: async (plan, limits) => {
      limits?.signal?.throwIfAborted();
      if (plan.op === "any") return files();
      return reading(() => parts().flatMap((part) => admitted(part, plan))).sort((a, b) => compare(a.path, b.path));
    },
    skips: async (reasons) => {
      const skipped = [...state.skips].filter(([, reason]) => reasons.includes(reason));
      return skipped.map(([path]) => path).sort(compare);
    },
    facts: async (wanted) => reading(() => wanted.map((file) => source.facts(file))),
    mentions: async (name, limits) => {
      limits?.signal?.throwIfAborted();
      const found = reading(() => parts().flatMap((part) => mentioning(part, name)));
      return found.sort((a, b) => compare(a.path, b.path));
    },
    modules: async () => reading(() => parts().flatMap(importing)).sort((a, b) => compare(a.file.path, b.file.path)),
    lexical: async (query, limits) => {
      const stop = deadline(limits, monotonic);
      return reading(() => score(source.text(state), query, stop));
    },
    dense: async (query, limits) => {
      limits?.signal?.throwIfAborted();
      return reading(() => source.vectors.dense(state, query));
    },
    unembedded: async (model, limit) => reading(() => unembeddedIn(source.db, model, files())).slice(0, limit),
    termStats: async (terms) =>
      reading(() => {
        const text = source.text(state);
        const frequencies = terms.map((term): [string, number] => [term, documentFrequency(text, term)]);
        return {
          chunkCount: text.chunkCount,
          averageLength: text.averageLength,
          documentFrequency: new Map(frequencies),
        };
      }),
    symbols: async (query, limits) => {
      limits?.signal?.throwIfAborted();
      const all = reading(() => parts().flatMap((part) => named(part, query))).sort(byName);
      return { candidates: all.slice(0, query.limit), matched: all.length };
    },
    symbolsById: async (id) => reading(() => parts().flatMap((part) => identified(part, id, source))).sort(byName),
    release: () => {
      if (held) onRelease();
      held = false;
    },
  };
}

function admitted({ segment, files }: ViewPart<IndexedFile>, plan: TrigramPlan): IndexedFile[] {
  const flags = segment.trigrams.candidates(plan);
  return files.filter((file, slot): file is IndexedFile => file !== undefined && flags[slot] === 1);
}

function named(part: ViewPart<IndexedFile>, query: SymbolQuery): SymbolCandidate[] {
  return symbolsNamed(part.segment, query.name, query.match).flatMap((symbol) => candidate(part, symbol));
}

function identified(part: ViewPart<IndexedFile>, id: string, source: Source): SymbolCandidate[] {
  return symbolsWithId(part.segment, id).flatMap((place) => {
    const file = part.files[place.file];
    return file ? candidate(part, { ...place, name: source.record(file).symbols[place.index]?.name ?? "" }) : [];
  });
}

function mentioning(part: ViewPart<IndexedFile>, name: string): IndexedFile[] {
  return filesMentioning(part.segment.mentions, name).flatMap((slot) => part.files[slot] ?? []);
}

function importing({ segment, files }: ViewPart<IndexedFile>): { file: FileRow; modules: readonly string[] }[] {
  return files.flatMap((file, slot) => {
    const modules = file === undefined ? [] : segment.mentions.modulesOf(slot);
    return modules.length === 0 ? [] : [{ file: file!, modules }];
  });
}

function candidate(part: ViewPart<IndexedFile>, symbol: NamedSymbol): SymbolCandidate[] {
  const file: FileRow | undefined = part.files[symbol.file];
  return file ? [{ file, index: symbol.index, name: symbol.name }] : [];
}

function problemOf({ path, problem }: IndexedFile): { path: string; problem: string }[] {
  return problem === undefined ? [] : [{ path, problem }];
}

function byPath(a: { readonly path: string }, b: { readonly path: string }): number {
  return compare(a.path, b.path);
}

function byName(a: SymbolCandidate, b: SymbolCandidate): number {
  const folded = compare(a.name.toLowerCase(), b.name.toLowerCase());
  return folded || compare(a.name, b.name) || compare(a.file.path, b.file.path) || a.index - b.index;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function deadline(limits: Limits | undefined, monotonic: () => number): () => boolean {
  limits?.signal?.throwIfAborted();
  const end = limits?.deadlineMs === undefined ? Number.POSITIVE_INFINITY : monotonic() + limits.deadlineMs;
  return () => limits?.signal?.aborted === true || monotonic() >= end;
}
