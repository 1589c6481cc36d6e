import { z } from "zod";
import { UNKNOWN_REASONS, type UnusedAnswer, type UnusedSymbol } from "../model/navigation.ts";
import { defineTool, type Fields, truncatableList, VIEW_ERRORS } from "./define.ts";
import * as fields from "./input.ts";
import { unusedLines } from "./text/layouts.ts";
import { cursorField, openPage, paginationSchema } from "./wire/cursor.ts";
import { metadataSchema, nextActionsSchema } from "./wire/metadata.ts";
import { slimNodeFields, slimNodeShape } from "./wire/symbol.ts";

export default defineTool({
  name: "unused",
  title: "List symbols that nothing uses",
  description:
    "Use before deleting code, instead of grepping for each name. Lists functions, types, methods and top-level " +
    "values without a use in the repository; what code outside it may use is counted as unknown, with the reason. " +
    'Example: {"path": "src"}.',
  source: "view",
  access: "read",
  takesPath: true,
  input: () =>
    z.object({
      path: fields.path.optional().describe("Only symbols of this file or directory."),
      language: fields.language,
      include_unknown: z.boolean().default(false).describe("List the unknown ones too, each with its reason."),
      ref: fields.ref,
      limit: fields.limit(50),
      cursor: cursorField(),
      freshness_policy: fields.freshnessPolicy,
      max_tokens: fields.maxTokens,
      workspace: fields.workspace,
    }),
  output: () =>
    z.object({
      symbols: z.array(
        z.object({
          ...slimNodeShape(),
          line_start: z.int(),
          name_line: z.int().optional(),
          line_end: z.int(),
          verdict: z.enum(["unused", "unknown"]),
          reason: z.enum(UNKNOWN_REASONS).optional().describe("Why it is not known."),
        }),
      ),
      checked: z.int().describe("Symbols examined; tests, examples, vendored and generated files are not."),
      used: z.int(),
      possibly_used: z.int().describe("Only a site of the same name may use it."),
      unused: z.int(),
      unknown: z.int().describe("No use was found, and code outside the repository may use it."),
      entry_points: z.int().describe("Called by a runtime or a language construct, such as main."),
      unknown_by_reason: z.record(z.string(), z.int()),
      pagination: paginationSchema().optional().describe("Present if there are more symbols than shown."),
      suggested_next_actions: nextActionsSchema(),
      metadata: metadataSchema(),
    }),
  text: unusedLines,
  errors: [...VIEW_ERRORS, "no_edges_available"],
  example: { path: "src" },

  async run(input, { reading, under }) {
    const question = ["unused", under, input.language, input.include_unknown, reading.status.ref];
    const page = openPage({ cursor: input.cursor, pageSize: input.limit, question, generation: reading.generation });
    const answer = await reading.unused({
      ...(under !== "" && { under }),
      ...fields.languageFilter(input.language),
      includeUnknown: input.include_unknown,
      offset: page.offset,
      limit: page.size,
    });
    const rows = answer.symbols.map(symbolRow);
    const isWhole = page.offset + rows.length >= answer.total;
    return {
      body: countFields(answer),
      completeness: answer.withoutReferences.length > 0 ? "partial" : isWhole ? "complete" : "truncated",
      warnings: page.warnings,
      coverage: { without_references: answer.withoutReferences },
      list: truncatableList("symbols", rows, {
        fields: (kept) => page.paginationIfMore(kept, answer.total),
        continuation: (kept) => [
          {
            tool: "unused",
            cursor: page.pagination(kept, answer.total).next_cursor,
            include_unknown: input.include_unknown,
          },
        ],
        suggestion: "Pass next_cursor to get the next page, or ask for a directory.",
      }),
    };
  },
});

function symbolRow({ hit, reason }: UnusedSymbol): Fields {
  return {
    ...slimNodeFields(hit),
    line_end: hit.symbol.span.lineEnd,
    verdict: reason === undefined ? "unused" : "unknown",
    ...(reason !== undefined && { reason }),
  };
}

function countFields({ counts, byReason }: UnusedAnswer): Fields {
  return {
    checked: counts.checked,
    used: counts.used,
    possibly_used: counts.possiblyUsed,
    unused: counts.unused,
    unknown: counts.unknown,
    entry_points: counts.entryPoints,
    unknown_by_reason: byReason,
  };
}
