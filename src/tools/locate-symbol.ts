import { z } from "zod";
import type { Reading } from "../compass/compass.ts";
import { KINDS, parseKindFilter } from "../model/kinds.ts";
import type { SymbolSelector } from "../model/navigation.ts";
import { defineTool, truncatableList, VIEW_ERRORS } from "./define.ts";
import * as fields from "./input.ts";
import { resultLines } from "./text/layouts.ts";
import {
  didYouMeanFields,
  didYouMeanShape,
  metadataSchema,
  nextActionsSchema,
  workspacesSchema,
} from "./wire/metadata.ts";
import { rankingReasons, reasonsSchema } from "./wire/reasons.ts";
import { findInstead, nextTarget, renderResults, resultSchema, smallerRequest } from "./wire/result.ts";
import { symbolSelector, textMatchesSchema, textMatchFields } from "./wire/symbol.ts";

export default defineTool({
  name: "locate_symbol",
  title: "Find where a symbol is defined",
  description:
    "Use instead of grep when you know a name and want its definition. Returns path, lines and signature, " +
    'definitions first; detail_level context adds the body. Example: {"name": "validate_token"}.',
  source: "view",
  access: "read",
  alwaysLoad: true,
  multiWorkspace: true,
  input: () =>
    z.object({
      name: fields.symbolName.describe("Name, qualified name, path:line or path#name."),
      kind: z
        .string()
        .min(1, "must not be empty")
        .max(64, "must be at most 64 characters long")
        .refine((word) => parseKindFilter(word).length > 0, `must be one of: ${KINDS.join(", ")}`)
        .optional()
        .describe("Only this kind: fn, class, struct ..."),
      language: fields.language,
      path: fields.path.optional().describe("Only in this file or directory."),
      symbol_id: fields.symbolId,
      symbol_stable_id: fields.symbolStableId,
      ...fields.rankedResults,
    }),
  output: () =>
    z.object({
      results: z.array(resultSchema()),
      total_candidates: z.int(),
      text_matches: textMatchesSchema(
        "Lines that hold a name that is not defined, in languages whose definitions are not known.",
      ),
      suggested_next_actions: nextActionsSchema(),
      metadata: metadataSchema({
        ranking_reasons: reasonsSchema(),
        workspaces: workspacesSchema().optional(),
        ...didYouMeanShape(),
      }),
    }),
  text: resultLines,
  errors: [...VIEW_ERRORS, "symbol_not_found"],
  example: { name: "validate_token", kind: "fn", limit: 5 },

  async run(input, { reading, settings, format }) {
    const level = fields.explainLevel(input.ranking_explain_level, settings.rankingExplainLevel);
    const selector = await atLine(symbolSelector({ ...input, symbol_name: input.name }), reading);
    const answer = await reading.locate({
      ...selector,
      ...(input.kind !== undefined && { kind: input.kind }),
      ...fields.languageFilter(input.language),
      limit: input.limit,
      brief: level === "off",
    });
    const shape = { detail: input.detail_level, compact: input.compact, of: "symbols", format } as const;
    const results = await renderResults(answer.hits, shape, reading);
    const where = nextTarget(input, reading);
    return {
      body: { total_candidates: answer.totalCandidates, ...textMatchFields(answer.inText?.matches) },
      ...(answer.inText && { coverage: { without_symbols: answer.inText.languages } }),
      ...(answer.inText?.matches.length && { completeness: "partial" as const }),
      metadata: didYouMeanFields(answer.didYouMean),
      next: input.compact ? [] : findInstead(answer, input.name, where),
      list: truncatableList("results", results, {
        metadata: (kept) => rankingReasons(answer.hits.slice(0, kept), level),
        continuation: () => [smallerRequest("locate_symbol", { name: input.name }, where, input.limit)],
        suggestion: "Ask with detail_level location, a smaller limit, or a path, kind or language filter.",
      }),
    };
  },
});

/** A line selects the symbol around it. */
async function atLine(selector: SymbolSelector, reading: Reading): Promise<SymbolSelector> {
  if (selector.line === undefined) return selector;
  const { nodes } = await reading.hierarchy({ ...selector, direction: "ancestors" });
  return { name: nodes[0]!.hit.symbol.name, symbolId: nodes[0]!.hit.symbolId };
}
