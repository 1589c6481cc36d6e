import { z } from "zod";
import { INTENTS } from "../model/status.ts";
import { defineTool, truncatableList, VIEW_ERRORS } from "./define.ts";
import * as fields from "./input.ts";
import { queryWords } from "./text/excerpt.ts";
import { resultLines } from "./text/layouts.ts";
import { literalFields, literalShape, metadataSchema, nextActionsSchema, workspacesSchema } from "./wire/metadata.ts";
import { rankingReasons, reasonsSchema } from "./wire/reasons.ts";
import { nextDefinition, nextTarget, renderResults, resultSchema, smallerRequest } from "./wire/result.ts";

export default defineTool({
  name: "search_code",
  title: "Search the code",
  description:
    "Use first, instead of grep, to find code by meaning, name, path, error text or a pasted trace. Returns " +
    "ranked results from the whole repository: path:line, symbol and source; definitions before mentions. " +
    'Example: {"query": "where is rate limiting done"}.',
  source: "view",
  access: "read",
  takesPath: true,
  usesModel: true,
  alwaysLoad: true,
  multiWorkspace: true,
  input: () =>
    z.object({
      query: fields.query.describe(
        "Question, name, path, error or trace; a phrase in quotes is literal. Filters: lang: path: kind: repo:, -lang: ...",
      ),
      language: fields.language,
      path: fields.path.optional().describe("Only in this file or directory."),
      glob: fields.glob,
      ...fields.rankedResults,
    }),
  output: () =>
    z.object({
      results: z.array(resultSchema()),
      query_intent: z.enum(INTENTS),
      total_candidates: z.int(),
      suggested_next_actions: nextActionsSchema(),
      debug: z.object({ join_status: z.object({ hits: z.int(), misses: z.int() }) }).optional(),
      metadata: metadataSchema({
        ranking_reasons: reasonsSchema(),
        workspaces: workspacesSchema().optional(),
        suppressed_duplicate_count: z.int().optional(),
        ...literalShape(),
      }),
    }),
  text: resultLines,
  errors: VIEW_ERRORS,
  example: { query: "where is rate limiting implemented", limit: 5 },

  async run(input, { reading, settings, under, format }) {
    const level = fields.explainLevel(input.ranking_explain_level, settings.rankingExplainLevel);
    const answer = await reading.search({
      query: input.query,
      limit: input.limit,
      brief: level === "off",
      ...fields.languageFilter(input.language),
      ...fields.globFilter(input.glob),
      ...(under !== "" && { under }),
    });
    const words = queryWords(input.query);
    const shape = { detail: input.detail_level, compact: input.compact, of: "typed", words, format } as const;
    const results = await renderResults(answer.hits, shape, reading);
    const where = nextTarget(input, reading);
    const duplicates = answer.suppressedDuplicates;
    return {
      body: {
        query_intent: answer.intent,
        total_candidates: answer.totalCandidates,
        ...(settings.debug && { debug: { join_status: answer.joins } }),
      },
      metadata: {
        ...(duplicates > 0 && { suppressed_duplicate_count: duplicates }),
        ...literalFields(answer.literal),
      },
      completeness: answer.completeness,
      warnings: answer.notes,
      next: input.compact ? [] : nextDefinition(answer.hits, where),
      list: truncatableList("results", results, {
        metadata: (kept) => rankingReasons(answer.hits.slice(0, kept), level),
        continuation: () => [smallerRequest("search_code", { query: input.query }, where, input.limit)],
        suggestion: "Ask with detail_level location, a smaller limit, or a path or language filter.",
      }),
    };
  },
});
