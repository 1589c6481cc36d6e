import { expect, test } from "vitest";
import type { ContentHash, FileId } from "../model/ids.ts";
import { isHeavy, type SearchFindings } from "./build-results.ts";

/** Results in files with so many symbols each; the same path is the same file. */
function foundIn(...files: readonly (readonly [path: string, symbols: number])[]): SearchFindings {
  const places = files.map(([path, symbols]) => ({
    candidate: {
      type: "snippet" as const,
      at: 0,
      bm25: 1,
      file: { id: 1 as FileId, path, language: "c", contentHash: "" as ContentHash, symbols, chunks: symbols },
    },
    total: 1,
    parts: [],
    byName: false,
  }));
  const told = { totalCandidates: 1, suppressedDuplicates: 0, completeness: "complete", notes: [] } as const;
  return { stateId: "1", intent: "symbol", terms: [], places, ...told };
}

test.each([
  ["ten files as they are", Array.from({ length: 10 }, (_, i) => [`${i}.c`, 60] as const), false],
  ["ten results of one long file", Array.from({ length: 10 }, () => ["long.c", 2_000] as const), false],
  ["ten long files", Array.from({ length: 10 }, (_, i) => [`${i}.c`, 2_000] as const), true],
  ["one file with a symbol on every line", [["all.c", 20_000] as const], true],
  ["nothing", [], false],
])("%s", (_, files, heavy) => {
  expect(isHeavy(foundIn(...files))).toBe(heavy);
});
