/** semantic_search and hybrid_search: the same fields, pages and results over two rankings. */
import { z } from "zod";
import type { SemanticAnswer, SemanticHit, SemanticRequest } from "../model/search.ts";
import type { Format } from "../model/status.ts";
import { cutAtCharacter, escapeUnseen } from "../text/snippet.ts";
import {
  type DraftAnswer,
  defineTool,
  type Fields,
  type NextAction,
  type ToolContexts,
  truncatableList,
  VIEW_ERRORS,
} from "./define.ts";
import * as fields from "./input.ts";
import { resultLines } from "./text/layouts.ts";
import {
  chunkType,
  cursorField,
  isMultiRepo,
  openPage,
  pageSizeField,
  paginationSchema,
  type ResultPage,
  repeatedInput,
} from "./wire/cursor.ts";
import { metadataSchema, nextActionsSchema, workspacesSchema } from "./wire/metadata.ts";
import { nextTarget } from "./wire/result.ts";

export const semanticSearch = defineTool({
  name: "semantic_search",
  title: "Semantic search only",
  description:
    "Use instead of grep when you know what code does but not its words: returns the chunks closest in " +
    "meaning, with a calibrated score (0.6 broad, 0.8 very close). search_code combines words and meaning. " +
    'Example: {"query": "retry with backoff"}.',
  source: "view",
  access: "read",
  takesPath: true,
  usesModel: true,
  multiWorkspace: true,
  failsAs: "protocol_error",
  input: () => semanticInput({ byDefault: 0.6, doc: "Least score of a result, 0 to 1." }, fields.workspaces),
  output: () => semanticOutput("semantic"),
  text: resultLines,
  errors: VIEW_ERRORS,
  example: { query: "retry a failed request with backoff", path: "src", top_k: 5 },

  run: (input, at) => answerSemantic({ tool: "semantic_search", input, at, ask: (ask) => at.reading.semantic(ask) }),
});

export const hybridSearch = defineTool({
  name: "hybrid_search",
  title: "Search by words and meaning",
  description:
    "Use instead of grep when you know some words and what the code is about: ranks words, names and meaning " +
    "together, with a reciprocal-rank-fusion score (0.02 or more is near the top; at most 0.049). Example: " +
    '{"query": "database connection retry"}.',
  source: "view",
  access: "read",
  takesPath: true,
  usesModel: true,
  failsAs: "protocol_error",
  input: () =>
    semanticInput(
      { byDefault: 0.02, doc: "Least fused score of a result; useful from 0.01 to 0.05." },
      fields.workspace,
    ),
  output: () => semanticOutput("hybrid"),
  text: resultLines,
  errors: VIEW_ERRORS,
  example: { query: "database connection retry", path: "src", top_k: 5 },

  run: (input, at) => answerSemantic({ tool: "hybrid_search", input, at, ask: (ask) => at.reading.hybrid(ask) }),
});

const DEFAULT_TOP_K = 10;
const DEFAULT_CONTEXT = 2;
const MOST_CONTEXT = 50;
const DEFAULT_SNIPPET = 500;
const LONGEST_SNIPPET = 10_000;

interface Threshold {
  readonly byDefault: number;
  readonly doc: string;
}

/** `workspace`: one, or several. */
function semanticInput<Workspace extends typeof fields.workspace | typeof fields.workspaces>(
  { byDefault, doc }: Threshold,
  workspace: Workspace,
) {
  return z.object({
    query: z
      .string({ error: ({ input }) => (input === undefined ? "Query cannot be empty" : "must be a string") })
      .refine((text) => text.trim() !== "", "Query cannot be empty")
      .describe("What the code does, in plain words or in code."),
    path: fields.path.optional().describe("Directory or file to search, absolute or relative to the workspace."),
    threshold: z
      .number()
      .min(0, "must be at least 0")
      .max(1, "must be at most 1")
      .default(byDefault)
      .describe(`${doc} Default: ${byDefault}.`),
    top_k: z
      .int()
      .min(1, "must be at least 1")
      .optional()
      .describe(`Maximum number of results over all pages. Default: ${DEFAULT_TOP_K}; with page_size or cursor, all.`),
    page_size: pageSizeField(),
    cursor: cursorField(),
    context_lines: z
      .int()
      .min(0, "must not be negative")
      .default(DEFAULT_CONTEXT)
      .describe(`Lines shown around each result. Default: ${DEFAULT_CONTEXT}.`),
    snippet_length: z.int().default(DEFAULT_SNIPPET).describe("Maximum characters per snippet."),
    include_snippet: z.boolean().default(true).describe("Include source."),
    glob: fields.glob,
    language: fields.language,
    ref: fields.ref,
    max_tokens: fields.maxTokens,
    workspace,
  });
}

type SemanticInput = z.output<ReturnType<typeof semanticInput<typeof fields.workspace>>>;

function semanticOutput(mode: "semantic" | "hybrid") {
  return z.object({
    results: z.array(
      z.object({
        ...(mode === "semantic" && { workspace: z.string().optional() }),
        file: z.string(),
        line_start: z.int(),
        line_end: z.int(),
        score: z.number(),
        snippet: z.string().optional(),
        chunk_type: z.string().describe("Kind of the enclosing definition."),
        breadcrumb: z.string().optional(),
        estimated_tokens: z.int(),
        language: z.string(),
        symbol_id: z.string().optional(),
      }),
    ),
    pagination: paginationSchema(),
    suggested_next_actions: nextActionsSchema(),
    metadata: metadataSchema({
      total_results: z.int(),
      search_mode: z.enum([mode, "lexical"]).describe("lexical: no embedding model was available; see warnings."),
      model: z.string(),
      threshold: z.number(),
      ...(mode === "semantic" && { workspaces: workspacesSchema().optional() }),
    }),
  });
}

interface SemanticCall {
  readonly tool: "semantic_search" | "hybrid_search";
  readonly input: SemanticInput;
  readonly at: ToolContexts["view"];
  readonly ask: (ask: SemanticRequest) => Promise<SemanticAnswer>;
}

async function answerSemantic(call: SemanticCall): Promise<DraftAnswer> {
  const { input } = call;
  const page = openSemanticPage(call);
  const answer = await call.ask({ ...semanticRequest(call), offset: page.offset, limit: page.size });
  const results = answer.hits.map((hit) => semanticResult(hit, input, call.at.format));
  return {
    body: {},
    metadata: {
      total_results: answer.total,
      search_mode: answer.mode,
      model: call.at.compass.embeddingModel,
      threshold: input.threshold,
    },
    warnings: [...page.warnings, ...answer.notes],
    completeness: answer.completeness,
    list: truncatableList("results", results, {
      fields: (kept) => ({ pagination: page.pagination(kept, answer.total) }),
      continuation: (kept) => nextSemanticPage(call, page, kept, answer.total),
      suggestion: "Pass next_cursor to get the next page, or ask without snippets, with a path or a higher threshold.",
    }),
  };
}

function semanticRequest({ input, at: { under } }: SemanticCall): Omit<SemanticRequest, "offset" | "limit"> {
  const paged = input.page_size !== undefined || input.cursor !== undefined;
  const topK = input.top_k ?? (paged ? undefined : DEFAULT_TOP_K);
  return {
    query: input.query,
    threshold: input.threshold,
    context: input.include_snippet ? Math.min(input.context_lines, MOST_CONTEXT) : 0,
    ...(topK !== undefined && { topK }),
    ...(under !== "" && { under }),
    ...fields.globFilter(input.glob),
    ...fields.languageFilter(input.language),
  };
}

function openSemanticPage({ tool, input, at: { under, reading } }: SemanticCall): ResultPage {
  const { query, threshold, top_k: topK, language, glob, cursor, page_size: pageSize } = input;
  const question = [tool, query, under, threshold, topK, language, glob, reading.status.ref];
  if (!isMultiRepo(reading)) return openPage({ cursor, pageSize, question, generation: reading.generation });
  const page = openPage({ cursor, pageSize, question: [...question, input.workspace], generation: 0 });
  return page.offset === 0 ? page : { ...page, warnings: [...page.warnings, REQUERIED] };
}

const REQUERIED =
  "Several workspaces are searched again for each page: if one was published meanwhile, results may repeat or be " +
  "missing.";

function semanticResult(hit: SemanticHit, input: SemanticInput, format?: Format): Fields {
  const length = Math.min(Math.max(1, input.snippet_length), LONGEST_SNIPPET);
  const cut = cutAtCharacter(hit.text, length);
  // A reader cannot use half a line.
  const lines = format === "text" && cut.length < hit.text.length ? cut.lastIndexOf("\n") : -1;
  const symbol = hit.symbol?.symbol;
  return {
    ...(hit.workspace !== undefined && { workspace: hit.workspace }),
    file: hit.path,
    line_start: hit.lineStart,
    line_end: hit.lineEnd,
    score: hit.score,
    ...(input.include_snippet && { snippet: escapeUnseen(lines > 0 ? cut.slice(0, lines) : cut) }),
    chunk_type: chunkType(symbol?.kind),
    ...(symbol && { breadcrumb: symbol.qualifiedName }),
    estimated_tokens: hit.tokens,
    language: hit.language,
    ...(hit.symbol && { symbol_id: hit.symbol.symbolId }),
  };
}

function nextSemanticPage(
  { tool, input, at: { reading } }: SemanticCall,
  page: ResultPage,
  kept: number,
  total: number,
): NextAction[] {
  const { next_cursor: cursor } = page.pagination(kept, total);
  const again = repeatedInput({ query: input.query }, input.path);
  const least = { threshold: input.threshold, ...(input.top_k !== undefined && { top_k: input.top_k }) };
  const whose = isMultiRepo(reading) ? nextTarget(input, reading) : {};
  return [{ tool, ...again, ...least, ...whose, cursor }];
}
