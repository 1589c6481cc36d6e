import { z } from "zod";
import { defineTool, VIEW_ERRORS } from "./define.ts";
import * as fields from "./input.ts";
import { resultLines } from "./text/layouts.ts";
import { metadataSchema, nextActionsSchema, workspacesSchema } from "./wire/metadata.ts";
import { rankingReasons, reasonsSchema } from "./wire/reasons.ts";
import { nextFromHits, nextTarget, renderResults, resultSchema, smallerRequest } from "./wire/result.ts";

export default defineTool({
  name: "locate_symbol",
  title: "Find where a symbol is defined",
  description:
    "Use instead of grep when you know a name and want its definition: returns exact file and line ranges of " +
    "functions, classes, types and constants, definitions first, without the noise of every mention. " +
    "Filter by kind (fn, struct, class, method ...; aliases such as function work), language, path or an id from " +
    "an earlier result. detail_level location is the cheapest, context adds the body, the parent and " +
    "related symbols. An empty list means that no symbol of that name is indexed; metadata.coverage says how many " +
    "files were covered.",
  source: "view",
  access: "read",
  alwaysLoad: true,
  multiWorkspace: true,
  input: () =>
    z.object({
      name: fields.symbolName.describe(
        "Name or qualified name, for example validate_token or auth::jwt::validate_token.",
      ),
      kind: z.string().min(1).max(64).optional().describe("Only this kind: fn, method, struct, class, enum, trait ..."),
      language: fields.language,
      path: fields.path.optional().describe("Only in this file or directory, relative to the workspace."),
      symbol_id: fields.symbolId,
      symbol_stable_id: fields.symbolStableId,
      ref: fields.ref,
      limit: fields.limit(10),
      detail_level: fields.detailLevel,
      compact: fields.compact,
      freshness_policy: fields.freshnessPolicy,
      ranking_explain_level: fields.rankingExplainLevel,
      max_tokens: fields.maxTokens,
      workspace: fields.workspaces,
    }),
  output: () =>
    z.object({
      results: z.array(resultSchema()),
      total_candidates: z.int(),
      suggested_next_actions: nextActionsSchema(),
      metadata: metadataSchema({ ranking_reasons: reasonsSchema(), workspaces: workspacesSchema().optional() }),
    }),
  text: resultLines,
  errors: VIEW_ERRORS,
  example: { name: "validate_token", kind: "fn", limit: 5 },

  async run(input, { reading, settings, format }) {
    const id = input.symbol_id ?? input.symbol_stable_id;
    const level = fields.explainLevel(input.ranking_explain_level, settings.rankingExplainLevel);
    const answer = await reading.locate({
      name: input.name.trim(),
      ...(id !== undefined && { symbolId: id }),
      ...(input.path !== undefined && { path: input.path }),
      ...(input.kind !== undefined && { kind: input.kind }),
      ...fields.languageFilter(input.language),
      limit: input.limit,
      brief: level === "off",
    });
    const words = format === "text" ? { words: [] } : {};
    const shape = { detail: input.detail_level, compact: input.compact, of: "symbols", ...words } as const;
    const results = await renderResults(answer.hits, shape, reading);
    const where = nextTarget(input, reading);
    return {
      body: { total_candidates: answer.totalCandidates },
      next: input.compact ? [] : nextFromHits(answer.hits, "locate_symbol", input.name, where),
      list: {
        length: results.length,
        show: (kept) => ({
          body: { results: results.slice(0, kept) },
          metadata: rankingReasons(answer.hits.slice(0, kept), level),
        }),
        continuation: () => [smallerRequest("locate_symbol", { name: input.name }, where, input.limit)],
        suggestion: "Ask with detail_level location, a smaller limit, or a path, kind or language filter.",
      },
    };
  },
});
