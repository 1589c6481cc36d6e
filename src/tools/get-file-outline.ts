import { z } from "zod";
import type { OutlineAnswer, OutlineNode } from "../model/search.ts";
import type { Format } from "../model/status.ts";
import { defineTool, type Fields, VIEW_ERRORS } from "./define.ts";
import * as fields from "./input.ts";
import { mostInformative, outlineBudget, outlineLines } from "./text/outline.ts";
import { metadataSchema, nextActionsSchema } from "./wire/metadata.ts";
import { nameLineField } from "./wire/symbol.ts";

const node = () =>
  z.object({
    kind: z.string(),
    name: z.string(),
    line_start: z.int(),
    name_line: z.int().optional(),
    line_end: z.int(),
    visibility: z.string().optional(),
    signature: z.string().optional(),
    children: z.array(z.looseObject({ kind: z.string(), name: z.string() })).optional(),
  });

/** Of a node without anything that may be left out: an answer never shows more nodes than fill it. */
const LEAST_NODE_BYTES = {
  json: JSON.stringify({ kind: "fn", name: "", line_start: 1, line_end: 1 }).length,
  text: "1  fn f\n".length,
} as const;

/** JSON keeps the first nodes of the file. */
const SUGGESTION = {
  json: "Ask with depth top, or read the file from the last line shown.",
  text: "Left out first: imports, what is inside functions, fields, private definitions. Raise max_tokens to see more.",
} as const;

export default defineTool({
  name: "get_file_outline",
  title: "Outline a file",
  description:
    "Use before reading a long file, instead of grepping it: returns its symbols as a tree with signatures and " +
    'lines, so you read only what you need. depth top leaves out members and imports. Example: {"path": ' +
    '"src/auth.rs"}.',
  source: "view",
  access: "read",
  input: () =>
    z.object({
      path: fields.path.describe("File path."),
      ref: fields.ref,
      depth: z.enum(["top", "all"]).default("all").describe("top: no members, no imports."),
      language: fields.language.describe("Ignored: detected from the file."),
      max_tokens: fields.maxTokens,
      workspace: fields.workspace,
    }),
  output: () =>
    z.object({
      file_path: z.string(),
      language: z.string(),
      symbols: z.array(node()),
      parse_errors: z
        .array(z.object({ line_start: z.int(), line_end: z.int() }))
        .optional()
        .describe("Lines that the parser could not read; symbols in them may be missing."),
      suggested_next_actions: nextActionsSchema(),
      metadata: metadataSchema({ symbol_count: z.int() }),
    }),
  text: outlineLines,
  errors: [...VIEW_ERRORS, "file_not_found"],
  example: { path: "src/auth/handler.rs" },

  async run(input, { reading, settings, format = "json" }) {
    const most = Math.ceil(settings.maxResponseBytes / LEAST_NODE_BYTES[format]);
    const answer = await reading.outline(relativePath(input.path), input.depth, most);
    const again = { tool: "get_file_outline", path: input.path, ref: reading.status.ref };
    const more = input.depth === "all" ? [{ ...again, depth: "top" }] : [];
    return {
      body: { file_path: answer.path, language: answer.language, ...errorFields(answer) },
      metadata: { symbol_count: answer.symbolCount },
      ...(answer.parseErrors.length > 0 && { completeness: "partial" as const }),
      ...(answer.unread && { completeness: "partial" as const, warnings: [unreadWarning(answer.unread)] }),
      needsSymbols: false,
      ...(format === "text" && { maxTokens: outlineBudget(answer.nodes, input.depth) }),
      list: {
        length: answer.nodeCount,
        show: (kept) => ({ body: { symbols: shownNodes(answer.nodes, kept, format) } }),
        continuation: () => more,
        suggestion: SUGGESTION[format],
      },
    };
  },
});

function errorFields({ parseErrors }: OutlineAnswer): Fields {
  const lines = parseErrors.map(({ lineStart, lineEnd }) => ({ line_start: lineStart, line_end: lineEnd }));
  return lines.length === 0 ? {} : { parse_errors: lines };
}

function unreadWarning(why: NonNullable<OutlineAnswer["unread"]>): string {
  const reason = why === "parse_timeout" ? "took too long to parse" : "made its parser fail";
  return `This file ${reason}: its symbols are not known. Read it, or search its text, which is indexed; index_repo tries it again.`;
}

/** `./src/a.rs` and `src//a.rs` mean `src/a.rs`. */
function relativePath(path: string): string {
  return path
    .replaceAll("\\", "/")
    .replace(/\/{2,}/g, "/")
    .replace(/^(\.\/)+/, "");
}

function shownNodes(nodes: readonly OutlineNode[], kept: number, format: Format): Fields[] {
  return firstNodes(format === "text" ? mostInformative(nodes, kept) : nodes, { left: kept });
}

/** The first nodes in the order of the file, parents before children. */
function firstNodes(nodes: readonly OutlineNode[], budget: { left: number }): Fields[] {
  const shown: Fields[] = [];
  for (const one of nodes) {
    if (budget.left <= 0) break;
    budget.left--;
    const children = firstNodes(one.children, budget);
    shown.push({ ...nodeFields(one), ...(children.length > 0 && { children }) });
  }
  return shown;
}

function nodeFields({ symbol }: OutlineNode): Fields {
  return {
    kind: symbol.kind,
    name: symbol.name,
    line_start: symbol.span.lineStart,
    ...nameLineField(symbol),
    line_end: symbol.span.lineEnd,
    ...(symbol.visibilityKeyword !== undefined && { visibility: symbol.visibilityKeyword }),
    ...(symbol.signature !== undefined && { signature: symbol.signature }),
  };
}
