/** Everything the views show, sorted by name. */
import type { ViewEntry } from "../../../src/ports/snapshot.ts";
import type { StoreDump, ViewDump } from "../../../src/ports/store.ts";
import { compare } from "./bm25.ts";
import type { Version } from "./content.ts";
import { type Entry, infoOf, type Published } from "./snapshot.ts";

export function dumpOf(versions: ReadonlyMap<string, Version>, views: readonly Published[]): StoreDump {
  const shown = new Set(views.flatMap(({ entries }) => [...entries.values()].flatMap(versionIn)));
  const files = [...versions.values()]
    .filter((version) => shown.has(version))
    .map(({ stored: { vectors: _, ...file } }) => file)
    .sort(
      (a, b) => compare(a.path, b.path) || compare(a.contentHash, b.contentHash) || compare(a.extractor, b.extractor),
    );
  return {
    views: views.map(viewDump).sort((a, b) => compare(a.info.ref, b.info.ref)),
    files: async function* () {
      yield* files;
    },
    release: () => {},
  };
}

function viewDump(view: Published): ViewDump {
  const entries = [...view.entries].map(([path, entry]): ViewEntry => {
    if ("skip" in entry) return { path, skip: entry.skip };
    const { contentHash, extractor } = entry.version.stored;
    return { path, version: { path, contentHash, extractor } };
  });
  return { info: infoOf(view), entries: entries.sort((a, b) => compare(a.path, b.path)) };
}

function versionIn(entry: Entry): Version[] {
  return "version" in entry ? [entry.version] : [];
}
