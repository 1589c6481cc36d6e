/** One published state of a view, answered from memory and, for records and texts, from the database. */
import {
  admitted,
  byName,
  compare,
  deadline,
  identified,
  importing,
  mentioning,
  problemsOf,
  symbolPage,
} from "../../engine/view-answers.ts";
import { inTurns } from "../../model/event-loop.ts";
import type { Snapshot } from "../../ports/snapshot.ts";
import { documentFrequency, score } from "../../segment/score.ts";
import { refusing } from "./failures.ts";
import { extractorOfVersion } from "./known-versions.ts";
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
    extractor: async () => {
      const [file] = state.files.values();
      return file && reading(() => extractorOfVersion(source.db, file.id));
    },
    problems: async (limit) => problemsOf(state.files.values()).slice(0, limit),
    record: async (file) => reading(() => source.contents.record(file)),
    frame: async (file) => reading(() => source.contents.frame(file)),
    text: async (file) => reading(() => source.contents.text(file)),
    packed: (wanted) => inTurns(wanted, (file) => reading(() => source.contents.packed(file))),
    holding: async (plan, limits) => {
      limits?.signal?.throwIfAborted();
      if (plan.op === "any") return files();
      return reading(() => parts().flatMap((part) => admitted(part, plan))).sort((a, b) => compare(a.path, b.path));
    },
    skips: async (reasons) => {
      const skipped = [...state.skips].filter(([, reason]) => reasons.includes(reason));
      return skipped.map(([path]) => path).sort(compare);
    },
    facts: (wanted) => inTurns(wanted, (file) => reading(() => source.contents.facts(file))),
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
      return reading(() => symbolPage(parts(), query));
    },
    symbolsById: async (id) => {
      const nameOf = (file: IndexedFile, index: number) => source.contents.frame(file).name(index) ?? "";
      const found = reading(() =>
        parts()
          .flatMap((part) => identified(part, id))
          .map(({ file, index }) => ({ file, index, name: nameOf(file, index) })),
      );
      return found.sort(byName);
    },
    release: () => {
      if (held) onRelease();
      held = false;
    },
  };
}
