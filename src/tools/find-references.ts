import { z } from "zod";
import { EDGE_KINDS } from "../model/edges.ts";
import type { ReferenceHit, ReferencesAnswer } from "../model/navigation.ts";
import type { Completeness } from "../model/status.ts";
import { defineTool, type Fields, type NextAction, VIEW_ERRORS } from "./define.ts";
import * as fields from "./input.ts";
import { referenceLines } from "./text/layouts.ts";
import { cursorField, openPage, paginationSchema } from "./wire/cursor.ts";
import { metadataSchema, nextActionsSchema } from "./wire/metadata.ts";
import { referenceFields, referenceSchema, shortLine, symbolFields, symbolSchema } from "./wire/symbol.ts";

export default defineTool({
  name: "find_references",
  title: "Find every use of a symbol",
  description:
    "Use instead of grep to see what calls, imports, extends or otherwise uses a symbol: returns each site with " +
    "its line and enclosing symbol. resolution says how certain a site is: exact (same file, by scope), import, " +
    "receiver (by the receiver's type); name_only sites only share the name, come last and are counted " +
    "separately. An ambiguous name returns an error with candidates: pass path or symbol_id. An empty list with " +
    "complete coverage means that no use was found in the indexed files.",
  source: "view",
  access: "read",
  input: () =>
    z.object({
      symbol_name: fields.symbolName.describe(
        "Name or qualified name, for example validate_token or AuthHandler.handle.",
      ),
      kind: z.enum(EDGE_KINDS).optional().describe("Only uses of this kind. Default: all."),
      path: fields.path
        .optional()
        .describe("File or directory that defines the symbol, to tell symbols of the same name apart."),
      symbol_id: fields.symbolId,
      symbol_stable_id: fields.symbolStableId,
      ref: fields.ref,
      limit: fields.limit(20),
      cursor: cursorField(),
      freshness_policy: fields.freshnessPolicy,
      max_tokens: fields.maxTokens,
      workspace: fields.workspace,
    }),
  output: () =>
    z.object({
      symbol: symbolSchema(),
      references: z.array(referenceSchema()),
      total_references: z.int().describe("Total before limit."),
      certain_references: z.int(),
      name_only_references: z.int(),
      references_by_kind: z.record(z.string(), z.int()),
      text_matches: z
        .array(z.object({ path: z.string(), line_start: z.int(), context: z.string() }))
        .optional()
        .describe("Lines that hold the name, where the symbol's language has no references."),
      pagination: paginationSchema().optional().describe("Present if there are more references than shown."),
      suggested_next_actions: nextActionsSchema(),
      metadata: metadataSchema(),
    }),
  text: referenceLines,
  errors: [...VIEW_ERRORS, "symbol_not_found", "ambiguous_symbol", "no_edges_available"],
  example: { symbol_name: "validate_token", kind: "calls", limit: 10 },

  async run(input, { reading }) {
    const id = input.symbol_id ?? input.symbol_stable_id;
    const question = ["find_references", input.symbol_name, id, input.path, input.kind, reading.status.ref];
    const { cursor, limit } = input;
    const page = openPage({ cursor, pageSize: limit, question, generation: reading.generation });
    const answer = await reading.references({
      name: input.symbol_name.trim(),
      ...(id !== undefined && { symbolId: id }),
      ...(input.path !== undefined && { path: input.path }),
      ...(input.kind !== undefined && { kind: input.kind }),
      offset: page.offset,
      limit: page.size,
    });
    const rows = await referenceRows(answer.references, (path) => reading.layer(path));
    const again = {
      tool: "find_references",
      symbol_name: answer.symbol.symbol.name,
      symbol_id: answer.symbol.symbolId,
    };
    const { ref } = reading.status;
    return {
      body: { symbol: symbolFields(answer.symbol), ...countFields(answer) },
      completeness: completenessOf(answer, page.offset),
      warnings: page.warnings,
      coverage: { without_references: answer.withoutReferences },
      next: more(answer, { ...again, ref }),
      list: {
        length: rows.length,
        show: (kept) => ({
          body: {
            references: rows.slice(0, kept),
            ...(page.offset + kept < answer.total && { pagination: page.pagination(kept, answer.total) }),
          },
        }),
        continuation: () => [{ ...again, ref, kind: "calls" }],
        suggestion: "Ask for one kind of reference at a time, or with a smaller limit.",
      },
    };
  },
});

async function referenceRows(
  hits: readonly ReferenceHit[],
  layer: (path: string) => Promise<string | undefined>,
): Promise<Fields[]> {
  // All at once: each may wait for git.
  const layers = await Promise.all(hits.map((hit) => layer(hit.edge.path)));
  return hits.map((hit, at) => referenceFields(hit, layers[at]));
}

function completenessOf({ references, total, textMatches }: ReferencesAnswer, offset: number): Completeness {
  if (textMatches !== undefined) return "partial";
  return offset + references.length < total ? "truncated" : "complete";
}

function countFields({ total, nameOnly, byKind, textMatches }: ReferencesAnswer): Fields {
  const lines = textMatches?.map(({ path, line, context }) => ({
    path,
    line_start: line,
    context: shortLine(context),
  }));
  return {
    ...(lines && { text_matches: lines }),
    total_references: total,
    certain_references: total - nameOnly,
    name_only_references: nameOnly,
    references_by_kind: byKind,
  };
}

/** The rest of a list that the limit cut. */
function more({ total, references }: ReferencesAnswer, again: NextAction): NextAction[] {
  const limit = Math.min(total, fields.MAX_LIMIT);
  return references.length < total && references.length < limit ? [{ ...again, limit }] : [];
}
