/** Calls through keys: what the symbols of a call graph ask for or serve by a literal key, and the calls beyond that. */
import type { ConnectionKind } from "../model/connections.ts";
import type { ConnectionEdge, SymbolLocation } from "../model/edges.ts";
import type { CallEdge } from "../model/navigation.ts";
import type { Snapshot } from "../ports/snapshot.ts";
import { locationKey } from "./bind/qualified.ts";
import { type Walk, type WalkedCall, walkCalls } from "./call-graph.ts";
import { type ConnectionGraph, connectionsOf } from "./connections.ts";
import type { Graph } from "./graph.ts";
import { referenceRules } from "./reference-rules.ts";

/** `beyond`: a call that is reached only through a connection, so it is as certain as that. */
export type ConnectedCall = Omit<WalkedCall, "resolution"> & Pick<CallEdge, "beyond" | "connection" | "resolution">;

/** Symbols whose connections are looked up, each way. */
const MOST_LOOKED_UP = 24;

/** Kinds that no call goes through: what sets a variable does not run what reads it. */
const ENDS: ReadonlySet<ConnectionKind> = new Set(["env", "element", "resource", "config"]);

/** What is beyond a connection of the kind may be followed. */
export function isFollowed({ side, kind }: ConnectionEdge): boolean {
  return side === "use" && !ENDS.has(kind);
}

export interface ConnectedCalls {
  /** By depth. */
  readonly calls: readonly ConnectedCall[];
  /** Symbols that were reached and not looked up. */
  readonly unexpanded: number;
}

/** `calls`: what the walk found without connections. */
export async function walkConnections(
  walk: Walk,
  calls: readonly WalkedCall[],
  graph: Graph,
  at: Snapshot,
): Promise<ConnectedCalls> {
  const connections = await connectionsOf(at, referenceRules);
  const found = new Map<string, ConnectedCall>();
  let unexpanded = 0;
  for (const way of ["callers", "callees"] as const)
    if (walk.direction === "both" || walk.direction === way)
      unexpanded += await new ConnectionWalk(way, walk, graph, connections, found).from(calls);
  const direct = new Set(calls.map(edgeKey));
  const added = [...found.values()].filter((it) => it.connection !== undefined || !direct.has(edgeKey(it)));
  return { calls: added.sort((a, b) => a.depth - b.depth), unexpanded };
}

interface Reached {
  readonly place: SymbolLocation;
  readonly depth: number;
  readonly beyond: boolean;
}

class ConnectionWalk {
  private readonly way: "callers" | "callees";
  private readonly walk: Walk;
  private readonly graph: Graph;
  private readonly connections: ConnectionGraph;
  private readonly found: Map<string, ConnectedCall>;
  private readonly queue: Reached[] = [];
  private readonly seen = new Set<string>();

  constructor(
    way: "callers" | "callees",
    walk: Walk,
    graph: Graph,
    connections: ConnectionGraph,
    found: Map<string, ConnectedCall>,
  ) {
    this.way = way;
    this.walk = walk;
    this.graph = graph;
    this.connections = connections;
    this.found = found;
  }

  /** How many symbols were not looked up. */
  async from(calls: readonly WalkedCall[]): Promise<number> {
    this.reach(this.walk.root, 0, false);
    for (const call of calls) if (isSure(call)) this.reach(this.farEnd(call), call.depth, false);
    for (let i = 0; i < this.queue.length; i++) {
      if (i >= MOST_LOOKED_UP || this.found.size >= this.walk.enough)
        return this.queue.slice(i).filter(({ depth }) => depth < this.walk.depth).length;
      const reached = this.queue[i]!;
      if (reached.depth < this.walk.depth) await this.step(reached);
    }
    return 0;
  }

  private async step({ place, depth, beyond }: Reached): Promise<void> {
    const edges = this.way === "callers" ? await this.connections.to(place) : await this.connections.from(place);
    for (const edge of edges) {
      const { kind, name, resolution, path, line, from: index = -1, to } = edge;
      const from = { path, index };
      // A decorator belongs to the handler itself.
      if (to !== undefined && locationKey(from) === locationKey(to)) continue;
      const call = { from, ...(to && { to }), name, path, line, sites: 1, resolution, depth: depth + 1 };
      this.note({ ...call, connection: { kind, key: name }, ...(beyond && { beyond: true as const }) });
      const far = this.farEnd(call);
      if (!isFollowed(edge) || far === undefined || !this.reach(far, depth + 1, true)) continue;
      await this.follow(far, depth + 1);
    }
  }

  /** The calls from a symbol at the other end of a connection. */
  private async follow(root: SymbolLocation, depth: number): Promise<void> {
    if (depth >= this.walk.depth || root.index < 0) return;
    const left = { ...this.walk, root, direction: this.way, depth: this.walk.depth - depth };
    for (const call of (await walkCalls(left, this.graph)).calls.filter(isSure)) {
      this.note({ ...call, depth: call.depth + depth, beyond: true });
      this.reach(this.farEnd(call), call.depth + depth, true);
    }
  }

  private farEnd({ from, to }: Pick<WalkedCall, "from" | "to">): SymbolLocation | undefined {
    return this.way === "callers" ? from : to;
  }

  private reach(place: SymbolLocation | undefined, depth: number, beyond: boolean): boolean {
    if (place === undefined || place.index < 0 || this.seen.has(locationKey(place))) return false;
    this.seen.add(locationKey(place));
    this.queue.push({ place, depth, beyond });
    return true;
  }

  private note(call: ConnectedCall): void {
    const key = `${edgeKey(call)}\0${call.connection?.key ?? ""}`;
    if (!this.found.has(key)) this.found.set(key, call);
  }
}

function isSure({ resolution, possible }: WalkedCall): boolean {
  return resolution !== "name_only" && !possible;
}

function edgeKey({ from, to, line }: Pick<WalkedCall, "from" | "to" | "line">): string {
  return `${locationKey(from)}\0${to ? locationKey(to) : ""}\0${line}`;
}
