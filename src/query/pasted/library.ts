/** Paths inside installed libraries. They name a file of the repository only if the repository is that library. */
import type { PastedFrame } from "./frame.ts";

export interface LibraryPath {
  /** As its package manager calls it; absent where the path itself begins with the package. */
  readonly name?: string;
  /** Path inside the library. */
  readonly path: string;
}

interface Layout {
  readonly pattern: RegExp;
  readonly formats?: readonly PastedFrame["format"][];
}

/** The last match counts: libraries bring libraries. `.*` is greedy and each pattern is linear. */
const LAYOUTS: readonly Layout[] = [
  { pattern: /^.*(?:^|\/)node_modules\/(?<name>@[^/]+\/[^/]+|[^/@.][^/]*)\/(?<path>.+)$/ },
  { pattern: /^.*(?:^|\/)(?:site|dist)-packages\/(?<path>.+)$/ },
  { pattern: /^.*(?:^|\/)lib(?:64)?\/python\d(?:\.\d+)?\/(?<path>.+)$/ },
  { pattern: /^.*(?:^|\/)pkg\/mod\/(?<name>[^@]+)@[^/]+\/(?<path>.+)$/ },
  { pattern: /^.*\/(?<name>go)\/src\/(?<path>[a-z\d]+\/.+)$/, formats: ["go"] },
  { pattern: /^.*(?:^|\/)registry\/src\/[^/]+\/(?<name>[\w-]+?)-\d[^/]*\/(?<path>.+)$/ },
  { pattern: /^.*(?:^|\/)git\/checkouts\/(?<name>[\w-]+)-[\da-f]{8,}\/[^/]+\/(?<path>.+)$/ },
  { pattern: /^.*(?:^|\/)(?<name>rust)(?:c\/[^/]+|lib\/src\/rust)\/(?<path>library\/.+)$/ },
  { pattern: /^.*(?:^|\/)gems\/(?<name>[\w.-]+?)-(?:\d[^/]*|[\da-f]{7,})\/(?<path>.+)$/ },
  { pattern: /^.*\/lib\/(?<name>ruby)\/\d[^/]*\/(?<path>.+)$/ },
  { pattern: /^.*(?:^|\/)vendor\/(?<name>[^/]+\/[^/]+)\/(?<path>.+)$/, formats: ["php"] },
  { pattern: /^.*(?:^|\/)deps\/(?<name>[a-z]\w*)\/(?<path>(?:lib|src)\/.+)$/, formats: ["elixir"] },
  { pattern: /^\/(?<name>usr)\/(?:include|lib|share)\/(?<path>.+)$/ },
];

export function libraryPath({ path, format, library }: PastedFrame): LibraryPath | undefined {
  for (const { pattern, formats } of LAYOUTS) {
    if (formats !== undefined && !formats.includes(format)) continue;
    const found = pattern.exec(path)?.groups;
    if (found?.path !== undefined) return { ...(found.name !== undefined && { name: found.name }), path: found.path };
  }
  // The Elixir and Erlang applications of the runtime.
  return library === undefined ? undefined : { name: library, path };
}
