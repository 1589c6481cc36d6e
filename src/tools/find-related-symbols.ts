import { z } from "zod";
import { RELATED_SCOPES, RELATIONS } from "../model/navigation.ts";
import { defineTool, truncatableList, VIEW_ERRORS } from "./define.ts";
import * as fields from "./input.ts";
import { relatedLines } from "./text/layouts.ts";
import { metadataSchema, nextActionsSchema } from "./wire/metadata.ts";
import { nodeFields, nodeSchema, othersWarning, symbolSelector } from "./wire/symbol.ts";

const SCOPE_LADDER = { file: "module", module: "package", package: undefined } as const;

export default defineTool({
  name: "find_related_symbols",
  title: "Find related symbols",
  description:
    "Use instead of listing files to see what is defined next to a symbol: in its file, its module (folder and " +
    'imports) or its package, nearest first. Example: {"symbol_name": "validate_token", "scope": "module"}.',
  source: "view",
  access: "read",
  input: () =>
    z.object({
      ...fields.anchorSymbol,
      scope: z.enum(RELATED_SCOPES).default("file").describe("Scope of the search."),
      ref: fields.ref,
      limit: fields.limit(20),
      ...fields.oneView,
    }),
  output: () =>
    z.object({
      anchor: nodeSchema(),
      related: z.array(nodeSchema().extend({ relation: z.enum(RELATIONS) })),
      scope_used: z.enum(RELATED_SCOPES),
      total_found: z.int().describe("Total before limit."),
      suggested_next_actions: nextActionsSchema(),
      metadata: metadataSchema(),
    }),
  text: relatedLines,
  errors: [...VIEW_ERRORS, "symbol_not_found", "ambiguous_symbol"],
  example: { symbol_name: "validate_token", scope: "module", limit: 10 },

  async run(input, { reading }) {
    const { scope, limit } = input;
    const answer = await reading.neighbours({ ...symbolSelector(input), scope, limit });
    const rows = answer.related.map(({ hit, relation }) => ({ ...nodeFields(hit), language: hit.language, relation }));
    const { name } = answer.anchor.symbol;
    const again = { tool: "find_related_symbols", symbol_name: name, symbol_id: answer.anchor.symbolId };
    const wider = SCOPE_LADDER[scope];
    return {
      body: {
        anchor: { ...nodeFields(answer.anchor), language: answer.anchor.language },
        scope_used: scope,
        total_found: answer.total,
      },
      completeness: rows.length < answer.total ? "truncated" : "complete",
      warnings: othersWarning(answer.others, name),
      next: rows.length === 0 && wider !== undefined ? [{ ...again, scope: wider }] : [],
      list: truncatableList("related", rows, {
        continuation: (kept) => [{ ...again, scope, limit: Math.max(1, kept) }],
        suggestion: "Ask with a narrower scope or a smaller limit.",
      }),
    };
  },
});
