/** Callers on the left, callees on the right. A click on a node adds its neighbours, up to a limit that a person can read. */
import { useEffect, useState } from "preact/hooks";
import { CallError, call } from "./api.ts";
import { count, Failure, visible } from "./parts.tsx";
import { scope } from "./scope.ts";
import { symbolLink } from "./symbol.tsx";

interface GraphAnswer {
  readonly root?: GraphNode;
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  readonly total_edges: number;
}

interface GraphNode {
  readonly symbol_id: string;
  readonly name: string;
  readonly qualified_name: string;
  readonly kind: string;
  readonly path: string;
  readonly line_start: number;
}

interface GraphEdge {
  readonly from: string;
  readonly to?: string;
  readonly resolution: string;
  readonly possible?: boolean;
}

type Side = "callers" | "callees";

interface PositionedNode extends GraphNode {
  /** Negative: callers of the root. */
  readonly column: number;
}

interface Graph {
  readonly nodes: ReadonlyMap<string, PositionedNode>;
  readonly edges: ReadonlyMap<string, GraphEdge>;
  readonly expanded: ReadonlySet<string>;
  /** Neighbours that are not shown. */
  readonly left: number;
}

const MOST_NODES = 200;
const MOST_NEIGHBOURS = 30;
const [WIDTH, GAP, HEIGHT] = [210, 60, 34];

export function CallGraph({ symbol, params }: { readonly symbol: string; readonly params: URLSearchParams }) {
  const [graph, setGraph] = useState<Graph>();
  const [error, setError] = useState<CallError>();
  const ask = (name: string, direction: Side | "both") =>
    call<GraphAnswer>("get_call_graph", {
      symbol_name: name,
      direction,
      depth: 1,
      limit: MOST_NEIGHBOURS,
      ...scope(params),
    });
  const fail = (reason: unknown) =>
    setError(reason instanceof CallError ? reason : new CallError("bug", String(reason)));
  useEffect(() => {
    let isShown = true;
    ask(symbol, "both").then(
      (answer) => isShown && setGraph(started(answer)),
      (reason) => isShown && fail(reason),
    );
    return () => {
      isShown = false;
    };
  }, [symbol]);
  const expand = async (node: PositionedNode, side: Side) => {
    const answer = await ask(`${node.path}:${node.line_start}`, side).catch(fail);
    if (answer) setGraph((now) => now && grown(now, node, side, answer));
  };
  if (error)
    return error.code === "no_edges_available" ? (
      <p class="dim">{visible(error.message)}</p>
    ) : (
      <Failure error={error} />
    );
  if (graph === undefined) return <p role="status">Finding calls…</p>;
  return (
    <section>
      <h2>
        Callers and callees: {count(graph.nodes.size, "symbol")}
        {graph.left > 0 && `, ${count(graph.left, "more call")} not shown`}
      </h2>
      <Drawing graph={graph} onExpand={expand} />
    </section>
  );
}

function started({ root, nodes, edges, total_edges: total }: GraphAnswer): Graph {
  if (root === undefined) return { nodes: new Map(), edges: new Map(), expanded: new Set(), left: 0 };
  const start = {
    nodes: new Map([[root.symbol_id, { ...root, column: 0 }]]),
    edges: new Map(),
    expanded: new Set<string>(),
    left: 0,
  };
  const known = withTarget(edges, root.symbol_id);
  const callers = new Set(known.filter(({ to }) => to === root.symbol_id).map(({ from }) => from));
  const both = added(start, nodes, known, (id) => (callers.has(id) ? -1 : 1));
  return {
    ...both,
    expanded: new Set([`${root.symbol_id} callers`, `${root.symbol_id} callees`]),
    left: Math.max(0, total - edges.length),
  };
}

/** Of a call that only names the symbol, the answer does not say what it calls. */
function withTarget(edges: readonly GraphEdge[], symbol: string): readonly GraphEdge[] {
  return edges.map((edge) => (edge.to === undefined && edge.from !== symbol ? { ...edge, to: symbol } : edge));
}

function grown(
  graph: Graph,
  node: PositionedNode,
  side: Side,
  { nodes, edges, total_edges: total }: GraphAnswer,
): Graph {
  const next = added(
    graph,
    nodes,
    withTarget(edges, node.symbol_id),
    () => node.column + (side === "callers" ? -1 : 1),
  );
  const left = next.left + Math.max(0, total - edges.length);
  return { ...next, expanded: new Set([...graph.expanded, `${node.symbol_id} ${side}`]), left };
}

function added(
  graph: Graph,
  nodes: readonly GraphNode[],
  edges: readonly GraphEdge[],
  columnOf: (id: string) => number,
): Graph {
  const shown = new Map(graph.nodes);
  let left = graph.left;
  for (const node of nodes) {
    if (shown.has(node.symbol_id)) continue;
    if (shown.size < MOST_NODES) shown.set(node.symbol_id, { ...node, column: columnOf(node.symbol_id) });
    else left++;
  }
  const all = new Map(graph.edges);
  for (const edge of edges)
    if (edge.to !== undefined && shown.has(edge.from) && shown.has(edge.to)) all.set(`${edge.from} ${edge.to}`, edge);
  return { ...graph, nodes: shown, edges: all, left };
}

function Drawing({
  graph,
  onExpand,
}: {
  readonly graph: Graph;
  readonly onExpand: (node: PositionedNode, side: Side) => void;
}) {
  const columns = Map.groupBy(graph.nodes.values(), ({ column }) => column);
  const first = Math.min(...columns.keys());
  const rows = Math.max(...[...columns.values()].map(({ length }) => length));
  const place = new Map<string, { readonly x: number; readonly y: number }>();
  for (const [column, nodes] of columns) {
    const x = (column - first) * (WIDTH + GAP);
    for (const [row, { symbol_id: id }] of nodes.entries())
      place.set(id, { x, y: ((rows - nodes.length) / 2 + row) * HEIGHT });
  }
  const [width, height] = [columns.size * (WIDTH + GAP) - GAP, rows * HEIGHT];
  return (
    <section class="graph" tabIndex={0} aria-label="Call graph">
      <div class="canvas" style={{ width: `${width}px`, height: `${height}px` }}>
        <svg width={width} height={height} aria-hidden="true">
          {[...graph.edges].map(([key, edge]) => (
            <path
              key={key}
              d={curve(place.get(edge.from)!, place.get(edge.to!)!)}
              class={isSure(edge) ? "" : "unsure"}
            />
          ))}
        </svg>
        {[...graph.nodes.values()].map((node) => (
          <Node key={node.symbol_id} node={node} at={place.get(node.symbol_id)!} graph={graph} onExpand={onExpand} />
        ))}
      </div>
    </section>
  );
}

function Node(by: {
  readonly node: PositionedNode;
  readonly at: { readonly x: number; readonly y: number };
  readonly graph: Graph;
  readonly onExpand: (node: PositionedNode, side: Side) => void;
}) {
  const { node, at, graph, onExpand } = by;
  const offers = (side: Side) => !graph.expanded.has(`${node.symbol_id} ${side}`) && node.kind !== "module";
  const button = (side: Side, sign: string) =>
    offers(side) && (
      <button
        type="button"
        onClick={() => onExpand(node, side)}
        aria-label={`Show ${side} of ${node.name}`}
        title={`Show ${side}`}
      >
        {sign}
      </button>
    );
  return (
    <div
      class={node.column === 0 ? "node root" : "node"}
      style={{ left: `${at.x}px`, top: `${at.y}px`, width: `${WIDTH}px` }}
    >
      {node.column <= 0 && button("callers", "‹")}
      <a
        href={symbolLink(node.path, node.line_start)}
        title={`${node.qualified_name}  ${node.path}:${node.line_start}`}
      >
        {visible(node.name)}
      </a>
      {node.column >= 0 && button("callees", "›")}
    </div>
  );
}

function isSure({ resolution, possible }: GraphEdge): boolean {
  return resolution !== "name_only" && possible !== true;
}

function curve(from: { x: number; y: number }, to: { x: number; y: number }): string {
  const middle = (HEIGHT - 6) / 2;
  const [x, y, toX, toY] = [from.x + WIDTH, from.y + middle, to.x, to.y + middle];
  return `M${x} ${y}C${x + GAP / 2} ${y} ${toX - GAP / 2} ${toY} ${toX} ${toY}`;
}
