import { z } from "zod";
import { HIERARCHY_DIRECTIONS, type HierarchyNode } from "../model/navigation.ts";
import { defineTool, type Fields, type TruncatableList, VIEW_ERRORS } from "./define.ts";
import * as fields from "./input.ts";
import { hierarchyLines } from "./text/layouts.ts";
import { metadataSchema, nextActionsSchema } from "./wire/metadata.ts";
import { nodeFields, nodeSchema, othersWarning, symbolSelector } from "./wire/symbol.ts";

export default defineTool({
  name: "get_symbol_hierarchy",
  title: "Show the parents or members of a symbol",
  description:
    "Use instead of grep to see what contains a symbol or what it contains: ancestors is the chain from a " +
    "method to its module; descendants is the tree of a type's members, also from other files. Example: " +
    '{"symbol_name": "User", "direction": "descendants"}.',
  source: "view",
  access: "read",
  input: () =>
    z.object({
      ...fields.anchorSymbol,
      direction: z.enum(HIERARCHY_DIRECTIONS).default("ancestors").describe("Direction."),
      ref: fields.ref,
      ...fields.oneView,
    }),
  output: () =>
    z.object({
      hierarchy: z.array(nodeSchema().extend({ depth: z.int(), children: z.array(z.looseObject({})).optional() })),
      direction: z.enum(HIERARCHY_DIRECTIONS),
      chain_length: z.int().describe("Number of nodes in the whole hierarchy, including nodes not shown."),
      suggested_next_actions: nextActionsSchema(),
      metadata: metadataSchema(),
    }),
  text: hierarchyLines,
  errors: [...VIEW_ERRORS, "symbol_not_found", "ambiguous_symbol"],
  example: { symbol_name: "has_role", direction: "ancestors" },

  async run(input, { reading }) {
    const { direction } = input;
    const { nodes, count, others } = await reading.hierarchy({ ...symbolSelector(input), direction });
    return {
      body: { direction, chain_length: count },
      warnings: othersWarning(others, nodes[0]!.hit.symbol.name),
      list: hierarchyList(nodes, count, direction),
    };
  },
});

function hierarchyList(nodes: readonly HierarchyNode[], count: number, direction: string): TruncatableList {
  const { path } = nodes[0]!.hit;
  return {
    length: count,
    show: (kept) => ({ body: { hierarchy: firstNodes(nodes, { left: kept }, direction) } }),
    continuation: () => [{ tool: "get_file_outline", path, depth: "top" }],
    suggestion: "Ask for one of the nested symbols, or for the file's outline.",
  };
}

/** The first nodes in the order in which a reader meets them. */
function firstNodes(nodes: readonly HierarchyNode[], budget: { left: number }, direction: string): Fields[] {
  const shown: Fields[] = [];
  for (const { hit, depth, children } of nodes) {
    if (budget.left <= 0) break;
    budget.left--;
    const inside = firstNodes(children, budget, direction);
    shown.push({ ...nodeFields(hit), depth, ...(direction === "descendants" && { children: inside }) });
  }
  return shown;
}
