/**
 * Walks calls from a symbol, breadth first, to a depth. Each symbol is followed once, so cycles end; calls that only
 * share a name are listed next to the root and never followed.
 */

import type { Edge, Resolution, SymbolLocation } from "../model/edges.ts";
import type { CallDirection } from "../model/navigation.ts";
import { locationKey } from "./bind/qualified.ts";
import type { Graph } from "./graph.ts";

export interface Walk {
  readonly root: SymbolLocation;
  readonly direction: CallDirection;
  readonly depth: number;
  /** Edges after which nothing more is followed. */
  readonly enough: number;
}

/** `from.index` is -1 at the top of a file. */
export interface WalkedCall {
  readonly from: SymbolLocation;
  readonly to?: SymbolLocation;
  readonly name: string;
  readonly path: string;
  readonly line: number;
  readonly sites: number;
  readonly resolution: Resolution;
  /** The call names a base; at run time it may reach this override of it. */
  readonly possible?: true;
  readonly depth: number;
}

export interface CallGraphWalk {
  /** Sure ones by depth, certainty and place; then those of the same name. */
  readonly calls: readonly WalkedCall[];
  readonly unexpanded: number;
}

/** Symbols followed in one direction: each may be used in thousands of places. */
const MAX_FOLLOWED = 64;
/** Methods whose overrides are searched: each costs a search for the subtypes of its type. */
const MAX_DISPATCHED = 32;

export async function walkCalls(walk: Walk, graph: Graph): Promise<CallGraphWalk> {
  const calls = new Map<string, WalkedCall>();
  let unexpanded = 0;
  for (const way of ["callers", "callees"] as const) {
    if (walk.direction !== "both" && walk.direction !== way) continue;
    unexpanded += await follow(way, walk, graph, calls);
  }
  return { calls: [...calls.values()].sort(byDepth), unexpanded };
}

type Way = "callers" | "callees";

/** How many symbols were reached and not followed. */
async function follow(way: Way, walk: Walk, graph: Graph, calls: Map<string, WalkedCall>): Promise<number> {
  const seen = new Set([locationKey(walk.root)]);
  let frontier: SymbolLocation[] = [walk.root];
  let followed = 0;
  const dispatched = new Set<string>();
  for (let depth = 1; depth <= walk.depth; depth++) {
    const next: SymbolLocation[] = [];
    for (const at of frontier) {
      if (followed >= MAX_FOLLOWED || calls.size >= walk.enough) return frontier.length + next.length;
      followed++;
      const direct = await step(way, at, depth, graph);
      const possible = await dispatchedCalls(way, direct, { at, depth, dispatched, graph });
      const places = new Set(possible.map(siteKey));
      const known = direct.filter((it) => it.resolution !== "name_only" || !places.has(siteKey(it)));
      for (const call of [...known, ...possible]) {
        note(calls, call);
        const far = way === "callers" ? call.from : call.to;
        if (call.resolution === "name_only" || call.possible || far === undefined) continue;
        if (far.index < 0 || seen.has(locationKey(far))) continue;
        seen.add(locationKey(far));
        next.push(far);
      }
    }
    frontier = next;
  }
  return 0;
}

async function step(way: Way, at: SymbolLocation, depth: number, graph: Graph): Promise<WalkedCall[]> {
  const edges = (way === "callers" ? await graph.referencesTo(at) : await graph.edgesFrom(at)).filter(isCall);
  return edges.flatMap((edge) => {
    // A call of an override is none of its base; calls of a base are added as possible ones.
    if (edge.via !== undefined || (edge.resolution === "name_only" && depth > 1)) return [];
    const from = way === "callers" ? { path: edge.path, index: edge.from ?? -1 } : at;
    const to = way === "callers" && edge.resolution !== "name_only" ? at : edge.to;
    const { name, path, line, resolution } = edge;
    return [{ from, ...(to && { to }), name, path, line, sites: 1, resolution, depth }];
  });
}

interface DispatchContext {
  readonly at: SymbolLocation;
  readonly depth: number;
  /** Methods whose overrides were searched already. */
  readonly dispatched: Set<string>;
  readonly graph: Graph;
}

/** Calls through a base: of its overrides, seen from the caller, and of the base, seen from an override. */
async function dispatchedCalls(
  way: Way,
  calls: readonly WalkedCall[],
  { at, depth, dispatched, graph }: DispatchContext,
): Promise<WalkedCall[]> {
  const possible: WalkedCall[] = [];
  if (way === "callers") {
    const known = new Set(calls.filter((it) => it.resolution !== "name_only").map(siteKey));
    for (const base of depth === 1 ? await graph.overriddenBy(at) : [])
      for (const call of await step("callers", base, depth, graph))
        if (call.resolution !== "name_only" && !known.has(siteKey(call)))
          possible.push({ ...call, to: at, possible: true });
    return possible;
  }
  for (const call of calls) {
    if (call.to === undefined || dispatched.size >= MAX_DISPATCHED || dispatched.has(locationKey(call.to))) continue;
    dispatched.add(locationKey(call.to));
    const { symbols } = await graph.overridesOf(call.to);
    for (const to of symbols) possible.push({ ...call, to, possible: true });
  }
  return possible;
}

function siteKey({ from, path, line, name }: WalkedCall): string {
  return `${locationKey(from)}\0${path}\0${line}\0${name}`;
}

function isCall({ kind }: Edge): boolean {
  return kind === "calls";
}

/** Several sites between the same two are one call, at the first and surest of them. */
function note(calls: Map<string, WalkedCall>, call: WalkedCall): void {
  const key = `${locationKey(call.from)} ${call.to ? locationKey(call.to) : call.name}`;
  const known = calls.get(key);
  if (known === undefined) calls.set(key, call);
  else if (known.depth === call.depth && !(known.path === call.path && known.line === call.line)) {
    calls.set(key, { ...known, sites: known.sites + 1 });
  }
}

const CERTAINTY: Readonly<Record<Resolution, number>> = { compiler: 0, exact: 0, import: 0, receiver: 0, name_only: 1 };

function byDepth(a: WalkedCall, b: WalkedCall): number {
  return (
    CERTAINTY[a.resolution] - CERTAINTY[b.resolution] ||
    Number(a.possible ?? false) - Number(b.possible ?? false) ||
    a.depth - b.depth ||
    (a.path < b.path ? -1 : a.path > b.path ? 1 : 0) ||
    a.line - b.line ||
    (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)
  );
}
