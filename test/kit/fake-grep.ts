/** Searches a tree given as text: no index, no threads. */
import { hitsIn } from "../../src/grep/hit.ts";
import type { GrepAnswer, GrepRequest } from "../../src/model/grep.ts";
import { LineCounter, Pattern } from "../../src/regex/pattern.ts";

export async function fakeGrep(tree: Readonly<Record<string, string>>, ask: GrepRequest): Promise<GrepAnswer> {
  const paths = Object.keys(tree)
    .filter((path) => path.startsWith(ask.under ?? ""))
    .sort();
  const pattern = new Pattern(ask.pattern, ask);
  const tally = new LineCounter(pattern, paths.length, ask);
  for (const [at, path] of paths.entries()) tally.add(at, tree[path]!);
  const hits = tally.places.map(({ text, line }) => {
    const path = paths[text]!;
    return hitsIn({ path, language: "rust", text: tree[path]! }, [line], ask, pattern);
  });
  return {
    hits: (await Promise.all(hits)).flat(),
    total: tally.counts.reduce((sum, count) => sum + count, 0),
    files: paths.flatMap((path, at) => (tally.counts[at]! > 0 ? [{ path, lines: tally.counts[at]! }] : [])),
    filesSearched: paths.length,
    notSearched: [],
    complete: tally.complete,
  };
}
