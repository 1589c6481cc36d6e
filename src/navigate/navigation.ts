/** Relations between symbols of a view: containers and members, neighbours, calls, and the impact of a change. */

import type { FileRecord } from "../model/code.ts";
import { type IdSource, symbolHit } from "../model/ids.ts";
import type {
  CallEdge,
  CallGraphAnswer,
  CallGraphRequest,
  ChangedSymbol,
  HierarchyAnswer,
  HierarchyNode,
  HierarchyRequest,
  ImpactAnswer,
  ImpactRequest,
  RelatedAnswer,
  RelatedRequest,
  ScipPage,
  ScipRequest,
  UnusedAnswer,
  UnusedRequest,
} from "../model/navigation.ts";
import type { SymbolHit } from "../model/search.ts";
import type { Snapshot } from "../ports/snapshot.ts";
import { type WalkedCall, walkCalls } from "./call-graph.ts";
import { type ConnectedCall, walkConnections } from "./connected-calls.ts";
import { findSymbolOrHandler } from "./connections.ts";
import { gapsOf, moduleHit, unreadUses } from "./find-references.ts";
import { findInFile } from "./find-symbol.ts";
import { buildGraph } from "./graph.ts";
import { ancestors, descendants, type SymbolInFile } from "./hierarchy.ts";
import { impact } from "./impact.ts";
import { referenceRules, requireEdges } from "./reference-rules.ts";
import { neighbours } from "./related.ts";
import { scipDocuments } from "./scip-documents.ts";
import { unused } from "./unused.ts";

export interface NameInLine {
  readonly path: string;
  readonly line: number;
  readonly name: string;
}

export interface Navigation {
  /** Throws `symbol_not_found`; `ambiguous_symbol` when several files define the name. */
  hierarchy(ask: HierarchyRequest): Promise<HierarchyAnswer>;
  /** Throws as `hierarchy`. */
  neighbours(ask: RelatedRequest): Promise<RelatedAnswer>;
  /** The symbols that a name in a line of a file means; empty where that is not known. */
  definitions(ask: NameInLine): Promise<readonly SymbolHit[]>;
  /** Throws `symbol_not_found`, `ambiguous_symbol`, `no_edges_available`. */
  callGraph(ask: CallGraphRequest): Promise<CallGraphAnswer>;
  /** Throws as `callGraph` where a symbol is named. */
  impact(ask: ImpactRequest): Promise<ImpactAnswer>;
  /** Throws `no_edges_available`. */
  unused(ask: UnusedRequest): Promise<UnusedAnswer>;
  /** Definitions and certain uses in some files of the view, as SCIP. */
  scip(ask: ScipRequest): Promise<ScipPage>;
}

export function createNavigation(at: Snapshot, ids: IdSource): Navigation {
  return {
    hierarchy: (ask) => hierarchy(ask, at, ids),
    neighbours: (ask) => findRelated(ask, at, ids),
    definitions: (ask) => definitions(ask, at, ids),
    callGraph: (ask) => callGraph(ask, at, ids),
    impact: (ask) => impact(ask, at, ids),
    unused: (ask) => unused(ask, at, ids),
    scip: (ask) => scipDocuments(ask, at),
  };
}

/** Navigation before the first index is published: what asks about a symbol is refused. */
export function noNavigation(refuse: () => Promise<never>): Navigation {
  return {
    hierarchy: refuse,
    neighbours: refuse,
    definitions: async () => [],
    callGraph: refuse,
    impact: async ({ symbol, changed }) =>
      symbol === undefined
        ? { changed: changed.map(uncounted), affected: [], total: 0, possible: 0, tests: [], cut: true, gaps: NO_GAPS }
        : refuse(),
    unused: async () => ({ symbols: [], total: 0, counts: NO_COUNTS, byReason: {}, withoutReferences: [] }),
    scip: async () => ({ bytes: new Uint8Array(), files: 0, documents: 0, occurrences: 0 }),
  };
}

const NO_GAPS = { withoutReferences: [], limits: [], isPartial: false };
const NO_COUNTS = { checked: 0, used: 0, possiblyUsed: 0, unused: 0, unknown: 0, entryPoints: 0 };

function uncounted(symbol: ChangedSymbol) {
  return { ...symbol, centrality: 0 };
}

async function hierarchy(ask: HierarchyRequest, at: Snapshot, ids: IdSource): Promise<HierarchyAnswer> {
  const { others, ...found } = await findInFile(ask, at, ids);
  const nodes = ask.direction === "ancestors" ? await ancestors(found, at, ids) : [await descendants(found, at, ids)];
  const count = nodes.reduce((sum, node) => sum + countNodes(node), 0);
  return { nodes, count, others, ...(await inheritance(found, ask.direction, at, ids)) };
}

async function inheritance(
  { record, index }: SymbolInFile,
  direction: HierarchyRequest["direction"],
  at: Snapshot,
  ids: IdSource,
): Promise<Pick<HierarchyAnswer, "inheritance" | "cut">> {
  if (referenceRules(record.language) === undefined) return { inheritance: [], cut: false };
  const graph = buildGraph(at, referenceRules);
  const symbol = { path: record.path, index };
  const { symbols, cut } =
    direction === "descendants"
      ? await graph.overridesOf(symbol)
      : { symbols: await graph.overriddenBy(symbol), cut: false };
  const hits: SymbolHit[] = [];
  for (const it of symbols) hits.push(await hitAt(it, at, ids));
  return { inheritance: hits, cut };
}

function countNodes({ children }: HierarchyNode): number {
  return children.reduce((sum, child) => sum + countNodes(child), 1);
}

async function findRelated(ask: RelatedRequest, at: Snapshot, ids: IdSource): Promise<RelatedAnswer> {
  const { record, index, others } = await findInFile(ask, at, ids);
  const imported = ask.scope === "file" ? [] : await buildGraph(at, referenceRules).importedBy(record.path);
  const { scope, limit } = ask;
  const found = await neighbours({ record, index, scope, limit, imported }, at, ids);
  return { anchor: symbolHit(record, index, ids), ...found, others };
}

async function definitions({ path, line, name }: NameInLine, at: Snapshot, ids: IdSource): Promise<SymbolHit[]> {
  const found = await buildGraph(at, referenceRules).meantAt(path, line, name);
  return Promise.all(found.map((place) => hitAt(place, at, ids)));
}

/** Follow this many times the limit, so that the answer can count the calls beyond its limit. */
const COUNTED_BEYOND_LIMIT = 4;

async function callGraph(ask: CallGraphRequest, at: Snapshot, ids: IdSource): Promise<CallGraphAnswer> {
  requireEdges(at);
  const { record, index } = await findSymbolOrHandler(ask, at, ids);
  const { direction, depth, limit } = ask;
  const root = { path: record.path, index };
  const graph = buildGraph(at, referenceRules);
  const walk = { root, direction, depth, enough: COUNTED_BEYOND_LIMIT * limit };
  const walked = await walkCalls(walk, graph);
  const calls = await withKnownNames(walked.calls, at);
  const unread = direction === "callees" ? [] : await unreadUses(record, index, at);
  const connected = await walkConnections(walk, calls, graph, at);
  const sure = calls.filter(({ resolution }) => resolution !== "name_only");
  const all = [...sure, ...connected.calls, ...calls.slice(sure.length)];
  const edges: CallEdge[] = [];
  for (const call of all.slice(0, limit)) edges.push(await describeCall(call, at, ids));
  return {
    root: symbolHit(record, index, ids),
    edges,
    total: all.length,
    connected: connected.calls.length,
    nameOnly: calls.filter((call) => call.resolution === "name_only").length,
    possible: calls.filter((call) => call.possible).length,
    unexpanded: walked.unexpanded + connected.unexpanded,
    gaps: gapsOf([record.language], [...graph.limits, ...unread], at),
  };
}

/** Drops calls of names that no symbol of the view has: they call code outside the project. */
async function withKnownNames(calls: readonly WalkedCall[], at: Snapshot): Promise<WalkedCall[]> {
  const known = new Map<string, boolean>();
  const kept: WalkedCall[] = [];
  for (const call of calls) {
    const { name, resolution } = call;
    if (resolution === "name_only" && !known.has(name)) {
      const { candidates } = await at.symbols({ name, match: "exact", limit: 1 });
      known.set(name, candidates.length > 0);
    }
    if (resolution !== "name_only" || known.get(name)) kept.push(call);
  }
  return kept;
}

async function describeCall(
  { from, to, ...call }: WalkedCall | ConnectedCall,
  at: Snapshot,
  ids: IdSource,
): Promise<CallEdge> {
  const target = to && (await hitAt(to, at, ids));
  return { from: await hitAt(from, at, ids), ...(target && { to: target }), ...call };
}

async function hitAt(place: { path: string; index: number }, at: Snapshot, ids: IdSource): Promise<SymbolHit> {
  const record: FileRecord = await at.record((await at.file(place.path))!);
  return place.index < 0 ? moduleHit(record, ids) : symbolHit(record, place.index, ids);
}
