/** Looks for a pattern in a tree that is only text: no index, no threads. */
import { hitOf } from "../../src/grep/hit.ts";
import type { GrepAnswer, GrepAsk } from "../../src/model/grep.ts";
import { Pattern } from "../../src/regex/pattern.ts";
import { Tally } from "../../src/regex/tally.ts";

export function grepIn(tree: Readonly<Record<string, string>>, ask: GrepAsk): GrepAnswer {
  const paths = Object.keys(tree)
    .filter((path) => path.startsWith(ask.under ?? ""))
    .sort();
  const pattern = new Pattern(ask.pattern, ask);
  const tally = new Tally(pattern, paths.length, ask);
  for (const [at, path] of paths.entries()) tally.add(at, tree[path]!);
  return {
    hits: tally.places.flatMap(({ text, line }) => {
      const path = paths[text]!;
      return hitOf({ path, language: "rust", text: tree[path]! }, [line], ask, pattern);
    }),
    total: tally.counts.reduce((sum, count) => sum + count, 0),
    files: paths.flatMap((path, at) => (tally.counts[at]! > 0 ? [{ path, lines: tally.counts[at]! }] : [])),
    filesSearched: paths.length,
    filesLeftOut: 0,
    complete: tally.complete,
  };
}
