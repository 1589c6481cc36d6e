/** regex_search: matching lines of one workspace, or of several, page by page. */
import { z } from "zod";
import type { MultiRepoReading } from "../compass/compass.ts";
import { type GrepAnswer, type GrepHit, notSearchedWarnings } from "../model/grep.ts";
import type { GrepPosition, MultiRepoGrepAnswer, MultiRepoGrepRequest } from "../model/multi-repository.ts";
import { cutAtCharacter, escapeUnseen } from "../text/snippet.ts";
import { estimateTokens } from "../text/tokens.ts";
import { type DraftAnswer, defineTool, type Fields, type NextAction, truncatableList, VIEW_ERRORS } from "./define.ts";
import * as fields from "./input.ts";
import { matchLines } from "./text/layouts.ts";
import {
  chunkType,
  cursorField,
  isMultiRepo,
  openMultiRepoPage,
  openPage,
  pageSizeField,
  paginationSchema,
  type ResultPage,
  repeatedInput,
} from "./wire/cursor.ts";
import { metadataSchema, nextActionsSchema, workspacesSchema } from "./wire/metadata.ts";

const DEFAULT_CONTEXT = 3;
const MOST_CONTEXT = 50;
const DEFAULT_SNIPPET = 500;
const LONGEST_SNIPPET = 10_000;
const SUGGESTION = "Pass next_cursor to get the next page, or ask with less context, a path or a narrower pattern.";

export default defineTool({
  name: "regex_search",
  title: "Find every line that matches a regular expression",
  description:
    "Use instead of grep or ripgrep to find every line that matches: same syntax and matches as ripgrep, any " +
    'ref, exact counts, sorted by path. Example: {"pattern": "TODO|FIXME", "path": "src"}.',
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
      path: fields.path.optional().describe("Directory or file to search, absolute or relative."),
      ignore_case: z.boolean().optional().describe("Ignore case."),
      case_insensitive: z.boolean().optional().describe("Alias of ignore_case."),
      fixed_strings: z.boolean().default(false).describe("Literal text."),
      whole_words: z.boolean().default(false).describe("Whole words only."),
      glob: fields.glob,
      language: fields.language,
      context: z
        .int()
        .min(0, "must not be negative")
        .optional()
        .describe(`Lines around each match. Default: ${DEFAULT_CONTEXT}, in text 0.`),
      page_size: pageSizeField(),
      cursor: cursorField(),
      snippet_length: z.int().default(DEFAULT_SNIPPET).describe("Maximum characters per snippet."),
      include_snippet: z.boolean().default(true).describe("Include source."),
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
  text: matchLines,
  errors: VIEW_ERRORS,
  example: { pattern: "SELECT .* FROM", path: "src", page_size: 20 },

  async run(input, { reading, under, format }) {
    const { pattern, snippet_length: length } = input;
    const context = input.context ?? (format === "text" ? 0 : DEFAULT_CONTEXT);
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
      list: truncatableList("results", results, {
        fields: (kept) => ({ pagination: page.pagination(kept, answer.total) }),
        continuation: (kept) => nextPage(input, page, kept, answer.total),
        suggestion: SUGGESTION,
      }),
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
  return [{ tool: "regex_search", ...repeatedInput({ pattern: input.pattern }, input.path), cursor }];
}

const grepHitSchema = () =>
  z.object({
    workspace: z.string().optional(),
    file: z.string(),
    line_start: z.int().describe("The matching line."),
    line_end: z.int(),
    score: z.number(),
    snippet: z.string().optional().describe("The matching line with its context."),
    snippet_start: z.int().optional().describe("First line of the snippet."),
    chunk_type: z.string(),
    breadcrumb: z.string().optional(),
    estimated_tokens: z.int(),
    language: z.string(),
  });

interface SnippetShape {
  readonly include: boolean;
  readonly length: number;
}

function grepResult(hit: GrepHit, { include, length }: SnippetShape): Fields {
  const { text, start } = snippetAround(hit, length);
  return {
    ...(hit.workspace !== undefined && { workspace: hit.workspace }),
    file: hit.path,
    line_start: hit.line,
    line_end: hit.line,
    // Every line that matches, matches.
    score: 1,
    ...(include && { snippet: escapeUnseen(text), snippet_start: start }),
    chunk_type: chunkType(hit.symbol?.kind),
    ...(hit.symbol && { breadcrumb: hit.symbol.qualifiedName }),
    estimated_tokens: estimateTokens(text),
    language: hit.language,
  };
}

/** The line with as much of its context as fits, the same number of lines on both sides where there are as many. */
function snippetAround({ line, text, before, after, spans }: GrepHit, length: number): { text: string; start: number } {
  for (let around = Math.max(before.length, after.length); around > 0; around--) {
    const above = before.slice(-around);
    const shown = [...above, text, ...after.slice(0, around)].join("\n");
    if (shown.length <= length) return { text: shown, start: line - above.length };
  }
  if (text.length <= length) return { text, start: line };
  return { text: window(text, spans()[0]?.start ?? 0, length), start: line };
}

/** Of a line that is too long, the stretch that shows the match, with a little before it. */
function window(text: string, match: number, length: number): string {
  const from = match < length ? 0 : Math.max(0, match - Math.floor(length / 4));
  const inPair = from > 0 && text.charCodeAt(from) >= 0xdc00 && text.charCodeAt(from) <= 0xdfff;
  return cutAtCharacter(text.slice(inPair ? from + 1 : from), length);
}

interface MultiRepoGrepCall {
  readonly ask: Omit<MultiRepoGrepRequest, "from" | "limit">;
  readonly shape: SnippetShape;
  readonly input: {
    readonly pattern: string;
    readonly cursor?: string | undefined;
    readonly page_size?: number | undefined;
    readonly ref?: string | undefined;
    readonly workspace?: string | undefined;
    readonly path?: string | undefined;
  };
  readonly reading: MultiRepoReading;
}

async function answerMultiRepoGrep({ ask, shape, input, reading }: MultiRepoGrepCall): Promise<DraftAnswer> {
  const { before: _, after: __, ...criteria } = ask;
  const question = ["regex_search", criteria, input.workspace, input.ref];
  const page = openMultiRepoPage({ cursor: input.cursor, pageSize: input.page_size, question });
  const lines = await reading.grepMany({ ...ask, limit: page.size, ...(page.from && { from: page.from }) });
  const results = lines.hits.map((hit) => grepResult(hit, shape));
  const total = page.before + lines.counted;
  const paginated = (kept: number) => page.pagination(total, kept, positionAfter(lines, kept, page.from));
  const { workspace, ref } = input;
  return {
    body: {},
    metadata: {
      total_results: total,
      ...(!lines.exact && { total_is_exact: false }),
      search_mode: "regex",
      files_matched: lines.filesMatched,
      ...(lines.filesSearched !== undefined && { files_searched: lines.filesSearched }),
    },
    warnings: [...page.warnings, ...multiRepoWarnings(lines)],
    completeness: lines.complete && lines.notSearched.length === 0 ? "complete" : "partial",
    needsSymbols: false,
    list: truncatableList("results", results, {
      fields: (kept) => ({ pagination: paginated(kept) }),
      continuation: (kept) => [
        {
          tool: "regex_search",
          ...repeatedInput({ pattern: input.pattern }, input.path),
          ...(ref !== undefined && { ref }),
          workspace,
          cursor: paginated(kept).next_cursor,
        },
      ],
      suggestion: SUGGESTION,
    }),
  };
}

const BEGINNING: GrepPosition = { workspace: "", skip: 0 };

/** There is a next page where lines of this one were cut, were counted behind it, or may be there uncounted. */
function positionAfter(
  { hits, counted, more }: MultiRepoGrepAnswer,
  kept: number,
  from = BEGINNING,
): GrepPosition | undefined {
  if (kept >= counted && !(more && kept > 0)) return undefined;
  return hits[kept - 1]?.behind ?? from;
}

function multiRepoWarnings({ complete, notSearched }: MultiRepoGrepAnswer): string[] {
  return [
    ...(complete
      ? []
      : ["The pattern asks for too much work on this code, or for too much time; lines may be missing."]),
    ...notSearchedWarnings(notSearched),
  ];
}
