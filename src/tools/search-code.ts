import { z } from "zod";
import { INTENTS } from "../model/status.ts";
import { defineTool, VIEW_ERRORS } from "./define.ts";
import * as fields from "./input.ts";
import { queryWords } from "./text/excerpt.ts";
import { resultLines } from "./text/layouts.ts";
import { literalFields, literalShape, metadataSchema, nextActionsSchema, workspacesSchema } from "./wire/metadata.ts";
import { rankingReasons, reasonsSchema } from "./wire/reasons.ts";
import { nextFromHits, nextTarget, renderResults, resultSchema, smallerRequest } from "./wire/result.ts";

export default defineTool({
  name: "search_code",
  title: "Search the code",
  description:
    "Use first, instead of grep or reading directories, whenever you look for code by meaning, name, path or error " +
    "message: one call returns ranked results for the whole repository, with file and line ranges. " +
    "Understands questions (where is rate limiting done), symbol names, paths, and pasted traces, compiler output, " +
    "links and diffs: the places they name come first. Definitions come " +
    "before mentions; tests, generated and vendored code sink. detail_level context adds source, so you need not " +
    "open the file. metadata says whether the answer is fresh and complete and how many files it covers.",
  source: "view",
  access: "read",
  takesPath: true,
  usesModel: true,
  alwaysLoad: true,
  multiWorkspace: true,
  input: () =>
    z.object({
      query: fields.query.describe(
        "Question, symbol name, path or error message. A phrase in quotes is literal. " +
          "Filters: lang: path: file: kind: repo:, negated with a leading minus.",
      ),
      language: fields.language,
      path: fields.path.optional().describe("Rank only within this directory or file, absolute or relative."),
      glob: fields.glob,
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
    const words = format === "text" ? { words: queryWords(input.query) } : {};
    const shape = { detail: input.detail_level, compact: input.compact, of: "typed", ...words } as const;
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
      next: input.compact ? [] : nextFromHits(answer.hits, "search_code", input.query, where),
      list: {
        length: results.length,
        show: (kept) => ({
          body: { results: results.slice(0, kept) },
          metadata: rankingReasons(answer.hits.slice(0, kept), level),
        }),
        continuation: () => [smallerRequest("search_code", { query: input.query }, where, input.limit)],
        suggestion: "Ask with detail_level location, a smaller limit, or a path or language filter.",
      },
    };
  },
});
