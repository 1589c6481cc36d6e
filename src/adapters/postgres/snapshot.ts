/** One published state of a view, answered from memory and, for what is not there yet, from the database. */
import {
  admitted,
  byName,
  byPath,
  compare,
  deadline,
  identified,
  importing,
  mentioning,
  problemsOf,
  symbolPage,
} from "../../engine/view-answers.ts";
import type { Limits } from "../../ports/limits.ts";
import type { Snapshot } from "../../ports/snapshot.ts";
import type { FileRow } from "../../ports/view.ts";
import { PART } from "../../segment/format.ts";
import { documentFrequency, score } from "../../segment/score.ts";
import type { Db } from "./db.ts";
import { refusing } from "./failures.ts";
import type { OpenView, PartKind } from "./segments.ts";
import type { Source } from "./source.ts";
import { unembeddedIn } from "./vectors.ts";
import type { IndexedFile, ViewState } from "./view-state.ts";

export interface SnapshotOptions {
  readonly db: Db;
  readonly source: Source;
  readonly state: ViewState;
  readonly monotonic: () => number;
  readonly onRelease: () => void;
}

/** Files whose records whoever asked opens next. */
const RECORDS_AHEAD = 64;

export function snapshotOf({ db, source, state, monotonic, onRelease }: SnapshotOptions): Snapshot {
  const { repo } = state;
  const { contents, vectors } = source.readOf(state.uid);
  const reading = <T>(read: () => Promise<T>) => refusing("reading the index", db.address, read);
  const answered = <T>(kinds: readonly PartKind[], limits: Limits | undefined, read: (view: OpenView) => T) => {
    limits?.signal?.throwIfAborted();
    return reading(() => source.answered(state, kinds, limits, read));
  };
  const ahead = <P extends { readonly candidates: readonly { readonly file: FileRow }[] }>(page: P): P => {
    contents.recordsSoon(repo, new Set(page.candidates.slice(0, RECORDS_AHEAD).map(({ file }) => file)));
    return page;
  };
  let sorted: readonly IndexedFile[] | undefined;
  let held = true;
  const files = () => {
    sorted ??= [...state.files.values()].sort(byPath);
    return sorted;
  };
  return {
    info: state.info,
    files: async () => files(),
    file: async (path) => state.files.get(path),
    stamps: (tree) => reading(() => source.stamps(state, tree)),
    skipped: async (path) => state.skips.get(path),
    extractor: async () => state.files.values().next().value?.extractor,
    problems: async (limit) => problemsOf(state.files.values()).slice(0, limit),
    record: (file) => reading(() => contents.record(repo, file)),
    frame: (file) => reading(() => contents.frame(repo, file)),
    text: (file) => reading(() => contents.text(repo, file)),
    packed: (wanted) => reading(() => contents.packed(repo, wanted)),
    holding: async (plan, limits) => {
      limits?.signal?.throwIfAborted();
      if (plan.op === "any") return files();
      const found = await answered([PART.trigrams], limits, ({ text }) =>
        text.parts.flatMap((part) => admitted(part, plan)),
      );
      return found.sort(byPath);
    },
    skips: async (reasons) => {
      const skipped = [...state.skips].filter(([, reason]) => reasons.includes(reason));
      return skipped.map(([path]) => path).sort(compare);
    },
    facts: (wanted) => reading(() => contents.facts(repo, wanted)),
    mentions: async (name, limits) => {
      const found = await answered([PART.mentions], limits, ({ text }) =>
        text.parts.flatMap((part) => mentioning(part, name)),
      );
      return found.sort(byPath);
    },
    modules: async () => {
      const found = await answered([PART.mentions], undefined, ({ text }) => text.parts.flatMap(importing));
      return found.sort((a, b) => compare(a.file.path, b.file.path));
    },
    lexical: async (query, limits) => {
      const stop = deadline(limits, monotonic);
      const page = await answered([PART.terms], limits, ({ text }) => score(text, query, stop));
      return ahead(page);
    },
    dense: async (query, limits) => {
      limits?.signal?.throwIfAborted();
      return reading(() => vectors.dense(state, query, limits));
    },
    unembedded: async (model, limit) =>
      reading(async () => (await unembeddedIn(db, state, model, files())).slice(0, limit)),
    termStats: async (terms) =>
      answered([PART.terms], undefined, ({ text }) => ({
        chunkCount: text.chunkCount,
        averageLength: text.averageLength,
        documentFrequency: new Map(terms.map((term) => [term, documentFrequency(text, term)])),
      })),
    symbols: async (query, limits) =>
      ahead(await answered([PART.names], limits, ({ text }) => symbolPage(text.parts, query))),
    symbolsById: async (id) => {
      const found = await answered([PART.ids], undefined, ({ text }) =>
        text.parts.flatMap((part) => identified(part, id)),
      );
      const all = found.map(async ({ file, index }) => {
        const frame = await reading(() => contents.frame(repo, file));
        return { file, index, name: frame.name(index) ?? "" };
      });
      return (await Promise.all(all)).sort(byName);
    },
    release: () => {
      if (held) onRelease();
      held = false;
    },
  };
}
