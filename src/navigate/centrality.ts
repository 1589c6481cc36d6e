/**
 * How central a file or a symbol of a view is: PageRank over imports, the most central file at 1. Worked out from the
 * lists of modules in the segments, without reading facts, and kept until an import changes.
 */
import type { Snapshot } from "../ports/snapshot.ts";
import { type Dialects, World } from "./bind/world.ts";

const DAMPING = 0.85;
/** The order of files no longer changes after about ten rounds on repositories of a million lines. */
const ROUNDS = 15;

/** By path; files that nothing imports are missing. */
export async function fileCentrality(at: Snapshot, dialects: Dialects): Promise<ReadonlyMap<string, number>> {
  return (await World.of(at, dialects)).ranks(pageRank);
}

/**
 * How central a symbol is, from 0 to 1: as its file, times the part of the file's importers that use the symbol's name.
 * Nothing is kept for it but what the segments and the files' centrality hold, so that an edit costs nothing.
 */
export async function symbolCentrality(
  at: Snapshot,
  dialects: Dialects,
  symbol: { readonly path: string; readonly name: string },
): Promise<number> {
  const importers = await (await World.of(at, dialects)).importersOf(symbol.path);
  if (importers.length === 0) return 0;
  const users = new Set((await at.mentions(symbol.name)).map(({ path }) => path));
  const share = importers.filter((path) => users.has(path)).length / importers.length;
  return share * ((await fileCentrality(at, dialects)).get(symbol.path) ?? 0);
}

/** `links`: what each node points to. */
export function pageRank(links: ReadonlyMap<string, readonly string[]>): ReadonlyMap<string, number> {
  const nodes = [...new Set([...links.keys(), ...[...links.values()].flat()])].sort();
  const numbers = new Map(nodes.map((node, i) => [node, i]));
  const targets = nodes.map((node) => (links.get(node) ?? []).map((it) => numbers.get(it)!));
  let ranks = new Float64Array(nodes.length).fill(1 / nodes.length);
  for (let round = 0; round < ROUNDS; round++) ranks = spread(ranks, targets);
  const imported = new Set(targets.flat());
  const most = Math.max(...[...imported].map((i) => ranks[i]!), Number.MIN_VALUE);
  return new Map([...imported].sort((a, b) => a - b).map((i) => [nodes[i]!, ranks[i]! / most]));
}

/** One round: each node gives its rank away to what it points to; what nobody gets is shared by all. */
function spread(ranks: Float64Array<ArrayBuffer>, targets: readonly (readonly number[])[]): Float64Array<ArrayBuffer> {
  const next = new Float64Array(ranks.length);
  let unspent = 0;
  for (const [from, to] of targets.entries()) {
    if (to.length === 0) unspent += ranks[from]!;
    for (const it of to) next[it]! += (DAMPING * ranks[from]!) / to.length;
  }
  const shared = (1 - DAMPING + DAMPING * unspent) / ranks.length;
  return next.map((rank) => rank + shared);
}
