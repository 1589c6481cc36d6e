import { z } from "zod";
import { CONNECTION_KINDS } from "../model/connections.ts";
import { CALL_DIRECTIONS, type CallEdge, type CallGraphAnswer } from "../model/navigation.ts";
import type { SymbolHit } from "../model/search.ts";
import { type DraftAnswer, defineTool, type Fields, VIEW_ERRORS } from "./define.ts";
import * as fields from "./input.ts";
import { graphLines } from "./text/layouts.ts";
import { metadataSchema, nextActionsSchema } from "./wire/metadata.ts";
import {
  candidateDraft,
  forEachCandidate,
  gapFields,
  nodeFields,
  nodeSchema,
  SHOWN_RESOLUTIONS,
  slimNodeFields,
  symbolSelector,
  withGaps,
} from "./wire/symbol.ts";

const MAX_DEPTH = 5;

export default defineTool({
  name: "get_call_graph",
  title: "Show callers and callees of a symbol",
  description:
    "Use instead of repeated greps to follow calls: callers, callees or both, up to five steps. Returns edges " +
    "from caller to callee with the line of the call; edges that only share the name come last and are not " +
    'followed. Example: {"symbol_name": "validate_token", "direction": "callers"}.',
  source: "view",
  access: "read",
  input: () =>
    z.object({
      ...fields.anchorSymbol,
      strict_symbol: fields.strictSymbol,
      direction: z.enum(CALL_DIRECTIONS).default("both").describe("Which calls to follow."),
      depth: z
        .int()
        .min(1, "must be at least 1")
        .max(MAX_DEPTH, `must be at most ${MAX_DEPTH}`)
        .default(2)
        .describe("Maximum distance."),
      ref: fields.ref,
      limit: fields.limit(50),
      ...fields.oneView,
    }),
  output: () => {
    const graph = {
      root: nodeSchema(),
      nodes: z.array(
        nodeSchema()
          .partial({ symbol_stable_id: true, line_end: true })
          .extend({ depth: z.int().describe("Distance from the root.") }),
      ),
      edges: z.array(
        z.object({
          from: z.string().describe("symbol_id of the caller."),
          to: z.string().optional().describe("symbol_id of the callee; absent if only the name is known."),
          name: z.string().optional(),
          path: z.string(),
          line_start: z.int().describe("Line of the first call."),
          call_sites: z.int().optional().describe("Number of call sites, if more than one."),
          resolution: z.enum(SHOWN_RESOLUTIONS),
          connection: z
            .object({ kind: z.enum(CONNECTION_KINDS), key: z.string() })
            .optional()
            .describe("Both ends name this key, such as a route; not a certain call."),
          possible: z.boolean().optional().describe("The call names a base; at run time it may reach this override."),
          beyond_connection: z.boolean().optional().describe("Reached only through a connection; not certain."),
          depth: z.int(),
        }),
      ),
      total_edges: z.int().describe("Total edges before limit."),
      name_only_edges: z.int(),
      possible_edges: z.int().optional().describe("Edges of calls that may reach an override at run time."),
      connection_edges: z.int().optional().describe("Edges between places that name the same key, and calls beyond."),
      unexpanded_nodes: z.int().optional().describe("Symbols whose calls were not followed."),
    };
    return z.object({
      direction: z.enum(CALL_DIRECTIONS),
      ...graph,
      root: graph.root.optional(),
      candidates: z.array(z.object(graph)).optional().describe("Of an ambiguous name: a graph for each symbol."),
      candidate_count: z.int().optional(),
      suggested_next_actions: nextActionsSchema(),
      metadata: metadataSchema(),
    });
  },
  text: graphLines,
  errors: [...VIEW_ERRORS, "symbol_not_found", "ambiguous_symbol", "no_edges_available"],
  example: { symbol_name: "validate_token", direction: "callers", depth: 2 },

  async run(input, { reading }) {
    const { direction, depth, limit } = input;
    const { answers, count } = await forEachCandidate(input, symbolSelector(input), (selector) =>
      reading.callGraph({ ...selector, direction, depth, limit }),
    );
    if (count !== undefined) return draftOfEach(answers, { count, direction, limit });
    const answer = answers[0]!;
    const { root, edges } = answer;
    const cut = edges.length < answer.total || answer.unexpanded > 0;
    const again = { tool: "get_call_graph", symbol_name: root.symbol.name, symbol_id: root.symbolId };
    return {
      body: { root: nodeFields(root), direction, ...countFields(answer) },
      completeness: answer.gaps.isPartial ? "partial" : cut ? "truncated" : "complete",
      ...gapFields([answer.gaps]),
      list: {
        length: edges.length,
        show: (kept) => ({ body: graphFields(root, edges.slice(0, kept)) }),
        continuation: () => [{ ...again, direction: direction === "both" ? "callers" : direction, depth: 1 }],
        suggestion: "Ask for one direction, or with a smaller depth.",
      },
    };
  },
});

/** A graph for each symbol of the name, the one with the most certain calls first; they share the limit. */
function draftOfEach(
  answers: readonly CallGraphAnswer[],
  { count, direction, limit }: { count: number; direction: string; limit: number },
): DraftAnswer {
  const sure = ({ total, nameOnly }: CallGraphAnswer) => total - nameOnly;
  const best = answers.toSorted((a, b) => sure(b) - sure(a));
  const share = Math.max(1, Math.ceil(limit / best.length));
  const candidates = best.map((one) => ({
    root: nodeFields(one.root),
    ...countFields(one),
    ...graphFields(one.root, one.edges.slice(0, share)),
  }));
  const sum = (of: (answer: CallGraphAnswer) => number) => best.reduce((total, one) => total + of(one), 0);
  const totals = { total_edges: sum(({ total }) => total), name_only_edges: sum(({ nameOnly }) => nameOnly) };
  const cut = answers.length < count || best.some(({ total, unexpanded }) => total > share || unexpanded > 0);
  const draft = candidateDraft(candidates, count, cut, { direction, nodes: [], edges: [], ...totals });
  return withGaps(
    draft,
    best.map(({ gaps }) => gaps),
  );
}

function countFields({ total, nameOnly, possible, connected, unexpanded }: CallGraphAnswer): Fields {
  return {
    total_edges: total,
    name_only_edges: nameOnly,
    ...(possible > 0 && { possible_edges: possible }),
    ...(connected > 0 && { connection_edges: connected }),
    ...(unexpanded > 0 && { unexpanded_nodes: unexpanded }),
  };
}

/** Edges and the nodes at their ends, without the root. A truncated graph has no unconnected nodes. */
function graphFields(root: SymbolHit, edges: readonly CallEdge[]): Fields {
  const nodes = new Map<string, Fields>();
  const note = (hit: SymbolHit | undefined, depth: number) => {
    if (hit !== undefined && hit.symbolId !== root.symbolId && !nodes.has(hit.symbolId))
      nodes.set(hit.symbolId, { ...slimNodeFields(hit), depth });
  };
  for (const { from, to, depth } of edges) {
    note(from, depth);
    note(to, depth);
  }
  return { nodes: [...nodes.values()], edges: edges.map(edgeFields) };
}

function edgeFields(edge: CallEdge): Fields {
  const { from, to, name, path, line, sites, resolution, connection, possible, beyond, depth } = edge;
  return {
    from: from.symbolId,
    ...(to === undefined ? { name } : { to: to.symbolId }),
    path,
    line_start: line,
    ...(sites > 1 && { call_sites: sites }),
    resolution,
    ...(connection && { connection }),
    ...(possible && { possible }),
    ...(beyond && { beyond_connection: true }),
    depth,
  };
}
