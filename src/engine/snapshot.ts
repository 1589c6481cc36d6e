/** One published state of a view, answered from memory and, for what is not there yet, from the backend. */
import { COMPILER_VIEW } from "../model/compiler-edges.ts";
import type { FileRow, Limits, Snapshot } from "../ports/snapshot.ts";
import { PART } from "../segment/format.ts";
import { nearNames } from "../segment/near-names.ts";
import { documentFrequency, score } from "../segment/score.ts";
import type { ContentReader } from "./content-reader.ts";
import type { OpenView, PartKind } from "./segments.ts";
import { keyOf } from "./vectors.ts";
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
} from "./view-answers.ts";
import type { IndexedFile, ViewGeneration, ViewState } from "./view-state.ts";

export interface SnapshotOptions {
  readonly reader: ContentReader;
  readonly pinned: ViewGeneration;
  /** What the view shows. */
  readonly load: () => Promise<ViewState>;
  readonly monotonic: () => number;
  /** Turns what reading throws into the refusal that the caller understands. */
  readonly reading: <T>(read: () => Promise<T>) => Promise<T>;
}

const NO_FILES: ReadonlyMap<string, FileRow> = new Map();

/** Kept with the state: the snapshots of many queries show one. */
const sorted = new WeakMap<ViewState, readonly IndexedFile[]>();

function sortedFiles(state: ViewState): readonly IndexedFile[] {
  const known = sorted.get(state);
  if (known !== undefined) return known;
  const files = [...state.files.values()].sort(byPath);
  sorted.set(state, files);
  return files;
}

export function snapshotOf({ reader, pinned, load, monotonic, reading }: SnapshotOptions): Snapshot {
  const { content, contents, vectors } = reader;
  const answer = <T>(kinds: readonly PartKind[], limits: Limits | undefined, read: (view: OpenView) => T) => {
    limits?.signal?.throwIfAborted();
    return reading(async () => reader.answer(await load(), kinds, limits, read));
  };
  const loaded = () => reading(load);
  let isHeld = true;
  reader.pin(pinned);
  const files = async () => sortedFiles(await loaded());
  return {
    info: pinned.info,
    files,
    file: async (path) => (await loaded()).files.get(path),
    stamps: (tree) => reading(async () => reader.stamps(await load(), tree)),
    skipped: async (path) => (await loaded()).skips.get(path),
    extractor: async () => {
      const [file] = (await loaded()).files.values();
      if (file === undefined) return undefined;
      const [row] = await reading(() => content.rows("versions", { ids: [file.id] }));
      return row?.extractor;
    },
    problems: async (limit) => problemsOf((await loaded()).files.values()).slice(0, limit),
    record: (file) => reading(() => contents.record(file)),
    frame: (file) => reading(() => contents.frame(file)),
    text: (file) => reading(() => contents.text(file)),
    packed: (wanted) => reading(() => contents.packed(wanted)),
    holding: async (plan, limits) => {
      limits?.signal?.throwIfAborted();
      if (plan.op === "any") return files();
      const found = await answer([PART.trigrams], limits, ({ text }) =>
        text.parts.flatMap((part) => admitted(part, plan)),
      );
      return found.sort(byPath);
    },
    skips: async (reasons) => {
      const skipped = [...(await loaded()).skips].filter(([, reason]) => reasons.includes(reason));
      return skipped.map(([path]) => path).sort(compare);
    },
    facts: (wanted) => reading(() => contents.facts(wanted)),
    compiled: () =>
      reading(async () => {
        const [row] = await content.rows("views", { refs: [COMPILER_VIEW] });
        return row === undefined ? NO_FILES : (await reader.state(row)).files;
      }),
    mentions: async (name, limits) => {
      const found = await answer([PART.mentions], limits, ({ text }) =>
        text.parts.flatMap((part) => mentioning(part, name)),
      );
      return found.sort(byPath);
    },
    modules: async () => {
      const found = await answer([PART.mentions], undefined, ({ text }) => text.parts.flatMap(importing));
      return found.sort((a, b) => compare(a.file.path, b.file.path));
    },
    lexical: async (query, limits) => {
      const stop = deadline(limits, monotonic);
      return answer([PART.terms], limits, ({ text }) => score(text, query, stop));
    },
    dense: async (query, limits) => {
      limits?.signal?.throwIfAborted();
      return reading(async () => vectors.nearest(await load(), query, limits));
    },
    unembedded: async (model, limit) => {
      const rows = await reading(() => content.rows("versionIds", { model: keyOf(model) }));
      const embedded = new Set(rows.map(({ id }) => id));
      return (await files()).filter((file) => file.chunks > 0 && !embedded.has(file.id)).slice(0, limit);
    },
    termStats: async (terms) =>
      answer([PART.terms], undefined, ({ text }) => ({
        chunkCount: text.chunkCount,
        averageLength: text.averageLength,
        documentFrequency: new Map(terms.map((term) => [term, documentFrequency(text, term)])),
      })),
    symbols: async (query, limits) => answer([PART.names], limits, ({ text }) => symbolPage(text.parts, query)),
    nearNames: (name, limit, inScope) =>
      answer([PART.names], undefined, ({ text }) => nearNames(text.parts, name, limit, inScope)),
    symbolsById: async (id) => {
      const found = await answer([PART.ids], undefined, ({ text }) =>
        text.parts.flatMap((part) => identified(part, id)),
      );
      const all = found.map(async ({ file, index }) => {
        const frame = await reading(() => contents.frame(file));
        return { file, index, name: frame.name(index) ?? "" };
      });
      return (await Promise.all(all)).sort(byName);
    },
    release: () => {
      if (isHeld) reader.unpin(pinned);
      isHeld = false;
    },
  };
}
