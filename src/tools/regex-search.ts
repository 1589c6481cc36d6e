import { z } from "zod";
import { type GrepAnswer, notSearchedWarnings } from "../model/grep.ts";
import { defineTool, type NextAction, VIEW_ERRORS } from "./define.ts";
import * as fields from "./fields.ts";
import { cursorField, openPage, pageSizeField, paginationSchema, type ResultPage } from "./wire/cursor.ts";
import { grepHitSchema, grepResult } from "./wire/grep-hit.ts";
import { metadataSchema, nextActionsSchema } from "./wire/metadata.ts";
import { answerMultiRepoGrep, isMultiRepo } from "./wire/wide-lines.ts";
import { workspacesSchema } from "./wire/workspaces.ts";

const DEFAULT_CONTEXT = 3;
const MOST_CONTEXT = 50;
const DEFAULT_SNIPPET = 500;
const LONGEST_SNIPPET = 10_000;

export default defineTool({
  name: "regex_search",
  title: "Find every line that matches a regular expression",
  description:
    "Use instead of grep or ripgrep when you need every occurrence of a text or pattern, with an exact count: the " +
    "same " +
    "matches as ripgrep on the same files, found through an index, in any indexed ref. Syntax is ripgrep's (Rust " +
    "regex): line by line, Unicode classes, \\b, (?i), no look-around or back-references. Results are sorted by " +
    "path and line, each with its enclosing definition. To find code by meaning, use search_code.",
  source: "view",
  access: "read",
  takesPath: true,
  multiWorkspace: true,
  failsAs: "protocol_error",
  input: () =>
    z.object({
      pattern: z
        .string()
        .refine((text) => text !== "", "Pattern cannot be empty")
        .describe("Regular expression."),
      path: fields.path.optional().describe("Directory or file to search, absolute or relative. Default: all."),
      ignore_case: z.boolean().optional().describe("Ignore case. Default: false."),
      case_insensitive: z.boolean().optional().describe("Alias of ignore_case."),
      fixed_strings: z.boolean().default(false).describe("Treat the pattern as literal text. Default: false."),
      whole_words: z.boolean().default(false).describe("Match whole words only. Default: false."),
      glob: fields.glob,
      language: fields.language,
      context: z
        .int()
        .min(0, "must not be negative")
        .default(DEFAULT_CONTEXT)
        .describe(`Lines of context around each match. Default: ${DEFAULT_CONTEXT}.`),
      page_size: pageSizeField(),
      cursor: cursorField(),
      snippet_length: z
        .int()
        .default(DEFAULT_SNIPPET)
        .describe(`Maximum characters per snippet. Default: ${DEFAULT_SNIPPET}.`),
      include_snippet: z.boolean().default(true).describe("Include the matching lines. Default: true."),
      ref: fields.ref,
      max_tokens: fields.maxTokens,
      workspace: fields.workspaces,
    }),
  output: () =>
    z.object({
      results: z.array(grepHitSchema()),
      pagination: paginationSchema(),
      suggested_next_actions: nextActionsSchema(),
      metadata: metadataSchema({
        total_results: z.int(),
        search_mode: z.literal("regex"),
        files_matched: z.int(),
        files_searched: z.int().optional(),
        total_is_exact: z
          .boolean()
          .optional()
          .describe("false: more matches exist than total_results; request the next page."),
        workspaces: workspacesSchema().optional(),
      }),
    }),
  errors: VIEW_ERRORS,
  example: { pattern: "SELECT .* FROM", path: "src", page_size: 20 },

  async run(input, { reading, under }) {
    const { pattern, context, snippet_length: length } = input;
    const options = {
      ignoreCase: input.ignore_case ?? input.case_insensitive ?? false,
      literal: input.fixed_strings,
      wholeWords: input.whole_words,
    };
    const scope = { under, ...fields.globFilter(input.glob), ...fields.languageFilter(input.language) };
    const around = Math.min(context, MOST_CONTEXT);
    const shape = { include: input.include_snippet, length: Math.min(Math.max(1, length), LONGEST_SNIPPET) };
    if (isMultiRepo(reading)) {
      const ask = { pattern, ...options, ...scope, before: around, after: around };
      return answerMultiRepoGrep({ ask, shape, input, reading });
    }
    const question = ["regex_search", pattern, options, scope, reading.status.ref];
    const { cursor, page_size: pageSize } = input;
    const page = openPage({ cursor, pageSize, question, generation: reading.generation });
    const answer = await reading.grep({
      pattern,
      ...options,
      ...scope,
      before: around,
      after: around,
      offset: page.offset,
      limit: page.size,
    });
    const results = answer.hits.map((hit) => grepResult(hit, shape));
    return {
      body: {},
      metadata: countFields(answer),
      warnings: [...page.warnings, ...grepWarnings(answer)],
      completeness: answer.complete && answer.notSearched.length === 0 ? "complete" : "partial",
      needsSymbols: false,
      list: {
        length: results.length,
        show: (kept) => ({
          body: { results: results.slice(0, kept), pagination: page.pagination(kept, answer.total) },
        }),
        continuation: (kept) => nextPage(input, page, kept, answer.total),
        suggestion: "Go on with next_cursor, or ask with less context, a path or a narrower pattern.",
      },
    };
  },
});

function countFields({ total, files, filesSearched }: GrepAnswer) {
  return { total_results: total, search_mode: "regex", files_matched: files.length, files_searched: filesSearched };
}

function grepWarnings({ complete, notSearched }: GrepAnswer): string[] {
  return [
    ...(complete ? [] : ["The pattern asks for too much work on this code; lines may be missing. Simplify it."]),
    ...notSearchedWarnings(notSearched),
  ];
}

function nextPage(
  input: { readonly pattern: string; readonly path?: string | undefined },
  page: ResultPage,
  kept: number,
  total: number,
): NextAction[] {
  const { next_cursor: cursor } = page.pagination(kept, total);
  const where = input.path === undefined ? {} : { path: input.path };
  const pattern = input.pattern.length <= MOST_ECHOED ? { pattern: input.pattern } : {};
  return [{ tool: "regex_search", ...pattern, ...where, cursor }];
}

/** Who sent a longer pattern has it. */
const MOST_ECHOED = 200;
