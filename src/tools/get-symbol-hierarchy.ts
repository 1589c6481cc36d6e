import { z } from "zod";
import { HIERARCHY_DIRECTIONS, type HierarchyAnswer, type HierarchyNode } from "../model/navigation.ts";
import { defineTool, type Fields, type TruncatableList, VIEW_ERRORS } from "./define.ts";
import * as fields from "./input.ts";
import { hierarchyLines } from "./text/layouts.ts";
import { metadataSchema, nextActionsSchema } from "./wire/metadata.ts";
import { nodeFields, nodeSchema, othersWarning, slimNodeFields, symbolSelector } from "./wire/symbol.ts";

export default defineTool({
  name: "get_symbol_hierarchy",
  title: "Show the parents or members of a symbol",
  description:
    "Use instead of grep to see what contains a symbol or what it contains: ancestors is the chain from a " +
    "method to its module; descendants is the tree of a type's members, also from other files. inheritance names what " +
    "it extends or overrides (ancestors) or what does so with it (descendants). Example: " +
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
      inheritance: z
        .array(nodeSchema().partial({ symbol_stable_id: true, line_end: true }))
        .optional()
        .describe(
          "ancestors: types it extends, members it overrides. descendants: subtypes, members that override it.",
        ),
      total_inheritance: z.int().optional().describe("Number of them, including those not shown."),
      suggested_next_actions: nextActionsSchema(),
      metadata: metadataSchema(),
    }),
  text: hierarchyLines,
  errors: [...VIEW_ERRORS, "symbol_not_found", "ambiguous_symbol"],
  example: { symbol_name: "has_role", direction: "ancestors" },

  async run(input, { reading }) {
    const { direction } = input;
    const { nodes, count, others, inheritance, cut } = await reading.hierarchy({ ...symbolSelector(input), direction });
    return {
      body: {
        direction,
        chain_length: count,
        ...(inheritance.length > 0 && { total_inheritance: inheritance.length }),
      },
      completeness: cut ? "truncated" : "complete",
      warnings: othersWarning(others, nodes[0]!.hit.symbol.name),
      list: hierarchyList({ nodes, count, inheritance }, direction),
    };
  },
});

function hierarchyList(
  { nodes, count, inheritance }: Pick<HierarchyAnswer, "nodes" | "count" | "inheritance">,
  direction: string,
): TruncatableList {
  const { path } = nodes[0]!.hit;
  return {
    length: count + inheritance.length,
    show: (kept) => ({
      body: {
        hierarchy: firstNodes(nodes, { left: kept }, direction),
        ...(kept > count && { inheritance: inheritance.slice(0, kept - count).map(slimNodeFields) }),
      },
    }),
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
