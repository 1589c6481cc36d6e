/** What a change can break: users and implementers of the changed symbols, their users in turn, and related tests. */
import { nameLine } from "../model/code.ts";
import type { ConnectionEdge, Edge, SymbolLocation } from "../model/edges.ts";
import { type IdSource, symbolHit } from "../model/ids.ts";
import type { AffectedSymbol, ChangedSymbol, ImpactAnswer, ImpactRequest } from "../model/navigation.ts";
import type { Snapshot } from "../ports/snapshot.ts";
import { pathClasses } from "../query/path-class.ts";
import { findAffectedCode, findUses } from "./affected-code.ts";
import { BindingWorld, type Dialects } from "./bind/world.ts";
import { isFollowed } from "./connected-calls.ts";
import { connectionsOf, findSymbolOrHandler } from "./connections.ts";
import { gapsOf, lineAt, moduleHit, unreadUses } from "./find-references.ts";
import { buildGraph, type Graph } from "./graph.ts";
import type { SymbolInFile } from "./hierarchy.ts";
import { referenceRules, requireEdges } from "./reference-rules.ts";

/** Changed symbols that are followed; a larger change is a release. */
const MOST_CHANGED = 40;
/** Symbols whose users are searched, at all distances together. */
const MOST_FOLLOWED = 80;
const MOST_TESTS = 30;

/** Throws `symbol_not_found`, `ambiguous_symbol`, `no_edges_available`. */
export async function impact(ask: ImpactRequest, at: Snapshot, ids: IdSource): Promise<ImpactAnswer> {
  requireEdges(at);
  const named = ask.symbol && (await findSymbolOrHandler(ask.symbol, at, ids));
  const changed = named === undefined ? ask.changed : [changedSymbolNamed(named, ids)];
  const graph = buildGraph(at, referenceRules);
  const walk = new ImpactWalk(at, ids, graph);
  await walk.from(changed.slice(0, MOST_CHANGED), ask.depth);
  const central = await fileCentrality(at, referenceRules);
  const found = walk.found.toSorted((a, b) => byCertainty(a, b) || byCentrality(a, b, central));
  const { tests } = await findAffectedCode(
    { changed, paths: [...ask.paths, ...changed.map(({ path }) => path)], callersOfEach: 0, tests: MOST_TESTS },
    at,
  );
  const unread = named === undefined ? [] : await unreadUses(named.record, named.index, at);
  const affected: AffectedSymbol[] = [];
  for (const reached of found.slice(0, ask.limit)) affected.push(await walk.shown(reached));
  return {
    changed: await withCentrality(changed, at),
    affected,
    total: found.length,
    possible: found.filter(isPossible).length,
    tests,
    cut: walk.cut || changed.length > MOST_CHANGED,
    gaps: gapsOf(await languagesOf(changed, at), [...graph.limits, ...unread], at),
  };
}

async function languagesOf(changed: readonly ChangedSymbol[], at: Snapshot): Promise<string[]> {
  const files = await Promise.all(changed.map(({ path }) => at.file(path)));
  return files.flatMap((file) => file?.language ?? []);
}

/** Adds how much of the project depends on each symbol. */
async function withCentrality(changed: readonly ChangedSymbol[], at: Snapshot): Promise<ImpactAnswer["changed"]> {
  const all: ImpactAnswer["changed"][number][] = [];
  for (const symbol of changed) all.push({ ...symbol, centrality: await symbolCentrality(at, referenceRules, symbol) });
  return all;
}

function changedSymbolNamed({ record, index }: SymbolInFile, ids: IdSource): ChangedSymbol {
  const { symbolId, path, symbol } = symbolHit(record, index, ids);
  return { symbolId, path, name: symbol.name, qualifiedName: symbol.qualifiedName, signature: true };
}

const NO_OVERRIDES = { symbols: [], cut: false };

interface ImpactedUse {
  readonly edge: Edge | ConnectionEdge;
  readonly of: string;
  readonly distance: number;
  readonly implements: boolean;
  /** A connection is on the way to it. */
  readonly beyond?: true;
}

/** A symbol that is followed further. */
type ImpactedPlace = SymbolLocation & Pick<ImpactedUse, "beyond">;

class ImpactWalk {
  readonly found: ImpactedUse[] = [];
  cut = false;
  private readonly seen = new Set<string>();
  private followed = 0;
  private readonly at: Snapshot;
  private readonly ids: IdSource;
  private readonly graph: Graph;

  constructor(at: Snapshot, ids: IdSource, graph: Graph) {
    this.at = at;
    this.ids = ids;
    this.graph = graph;
  }

  async from(changed: readonly ChangedSymbol[], depth: number): Promise<void> {
    let ring: ImpactedPlace[] = [];
    for (const symbol of changed) {
      const own = await this.placeOf(symbol);
      if (own !== undefined) this.seen.add(symbolKey(own));
    }
    for (const symbol of changed) {
      const place = await this.placeOf(symbol);
      const reached = place === undefined ? [] : await this.requests(place);
      const edges = [...(await this.overrides(symbol)), ...(await findUses(symbol, this.at, this.graph)), ...reached];
      ring.push(...this.note(edges, symbol.qualifiedName, 1));
    }
    for (let distance = 2; distance <= depth; distance++) {
      const next: ImpactedPlace[] = [];
      for (const place of ring) {
        if (++this.followed > MOST_FOLLOWED) {
          this.cut = true;
          return;
        }
        const edges = (await this.graph.referencesTo(place)).filter((it) => it.resolution !== "name_only");
        const all = [...edges, ...(await this.requests(place))];
        next.push(...this.note(all, await this.nameOf(place), distance, place.beyond));
      }
      ring = next;
    }
  }

  /** Uses of the keys that a symbol serves. */
  private async requests(symbol: SymbolLocation): Promise<ConnectionEdge[]> {
    const found = await (await connectionsOf(this.at, referenceRules)).to(symbol);
    return found.filter(({ side }) => side === "use");
  }

  /** What overrides or implements a changed member has to change with it. */
  private async overrides(symbol: ChangedSymbol): Promise<Edge[]> {
    const place = await this.placeOf(symbol);
    const { symbols, cut } = place === undefined ? NO_OVERRIDES : await this.graph.overridesOf(place);
    this.cut ||= cut;
    const edges: Edge[] = [];
    for (const { path, index } of symbols) {
      const { symbols: all, language } = await this.at.record((await this.at.file(path))!);
      const found = all[index]!;
      const isStructural = referenceRules(language)?.structuralInterfaces === true;
      const edge = { kind: "implements", resolution: "receiver", name: found.name, path, column: 0 } as const;
      // A subtype of a changed type is listed by its own use of the name, where it has to name it.
      if (found.name === symbol.name || isStructural) edges.push({ ...edge, line: nameLine(found), from: index });
    }
    return edges;
  }

  /** Every symbol is shown once, at its nearest and surest use; returns those that can be followed further. */
  private note(
    edges: readonly (Edge | ConnectionEdge)[],
    of: string,
    distance: number,
    beyond?: true,
  ): ImpactedPlace[] {
    return edges.flatMap((edge) => {
      const place = { path: edge.path, index: edge.from ?? -1 };
      if (edge.kind === "imports" || this.seen.has(symbolKey(place))) return [];
      this.seen.add(symbolKey(place));
      const isImplementer = edge.kind === "implements" || edge.kind === "extends";
      this.found.push({ edge, of, distance, implements: isImplementer, ...(beyond && { beyond }) });
      if (edge.resolution === "name_only" || place.index < 0) return [];
      if ("side" in edge) return isFollowed(edge) ? [{ ...place, beyond: true as const }] : [];
      return [beyond ? { ...place, beyond } : place];
    });
  }

  private async placeOf({ symbolId }: ChangedSymbol): Promise<SymbolLocation | undefined> {
    const [found] = symbolId === undefined ? [] : await this.at.symbolsById(symbolId);
    return found && { path: found.file.path, index: found.index };
  }

  private async nameOf({ path, index }: SymbolLocation): Promise<string> {
    const record = await this.at.record((await this.at.file(path))!);
    return record.symbols[index]?.qualifiedName ?? path;
  }

  async shown({ edge, ...rest }: ImpactedUse): Promise<AffectedSymbol> {
    const file = (await this.at.file(edge.path))!;
    const record = await this.at.record(file);
    const hit = edge.from === undefined ? moduleHit(record, this.ids) : symbolHit(record, edge.from, this.ids);
    const { kind, resolution, path, line } = edge;
    const possible = isPossible({ edge }) && { possible: true as const };
    return { hit, ...rest, ...possible, kind, resolution, path, line, context: lineAt(await this.at.text(file), line) };
  }
}

/** Orders equal uses by how much of the project depends on their file, then by path and line. */
function byCentrality(
  { edge: a }: ImpactedUse,
  { edge: b }: ImpactedUse,
  central: ReadonlyMap<string, number>,
): number {
  const centrality = (central.get(b.path) ?? 0) - (central.get(a.path) ?? 0);
  return centrality || (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line);
}

/** What surely breaks first: implementers, then users by distance, code before tests; a shared name is last. */
function byCertainty(a: ImpactedUse, b: ImpactedUse): number {
  const unsure = (it: ImpactedUse) =>
    isPossible(it) ? 1 : it.edge.resolution === "name_only" ? 3 : 2 * Number("side" in it.edge || it.beyond === true);
  const test = ({ edge }: ImpactedUse) => Number(pathClasses(edge.path).includes("test"));
  return (
    unsure(a) - unsure(b) || a.distance - b.distance || Number(b.implements) - Number(a.implements) || test(a) - test(b)
  );
}

/** The use means a base or an override: at run time it may reach what changed. */
function isPossible({ edge }: Pick<ImpactedUse, "edge">): boolean {
  return "via" in edge && edge.via !== undefined;
}

function symbolKey({ path, index }: SymbolLocation): string {
  return `${path}\0${index}`;
}

const DAMPING = 0.85;
/** The order of files no longer changes after about ten rounds on repositories of a million lines. */
const ROUNDS = 15;

/** By path; files that nothing imports are missing. */
export async function fileCentrality(at: Snapshot, dialects: Dialects): Promise<ReadonlyMap<string, number>> {
  return (await BindingWorld.of(at, dialects)).ranks(pageRank);
}

/**
 * How central a symbol is, from 0 to 1: its file's centrality times the share of the file's importers that use the
 * symbol's name. Nothing is stored for it, so an edit costs nothing.
 */
export async function symbolCentrality(
  at: Snapshot,
  dialects: Dialects,
  symbol: { readonly path: string; readonly name: string },
): Promise<number> {
  const importers = await (await BindingWorld.of(at, dialects)).importersOf(symbol.path);
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

/** One PageRank iteration; the rank of nodes without targets is shared by all. */
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
