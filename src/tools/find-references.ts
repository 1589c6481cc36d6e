import { z } from "zod";
import { CONNECTION_KINDS } from "../model/connections.ts";
import { EDGE_KINDS } from "../model/edges.ts";
import type { ReferenceHit, ReferencesAnswer } from "../model/navigation.ts";
import type { Completeness } from "../model/status.ts";
import { type DraftAnswer, defineTool, type Fields, type NextAction, truncatableList, VIEW_ERRORS } from "./define.ts";
import * as fields from "./input.ts";
import { referenceLines } from "./text/layouts.ts";
import { cursorField, openPage, paginationSchema } from "./wire/cursor.ts";
import { metadataSchema, nextActionsSchema } from "./wire/metadata.ts";
import {
  candidateDraft,
  forEachCandidate,
  referenceFields,
  referenceSchema,
  symbolFields,
  symbolSchema,
  symbolSelector,
  textMatchesSchema,
  textMatchFields,
} from "./wire/symbol.ts";

export default defineTool({
  name: "find_references",
  title: "Find every use of a symbol",
  description:
    "Use instead of grep to see every call, import or subclass of a symbol. Returns each site with its line; " +
    "sites that mean a base or an override (via) follow, and those that only share the name come last. A name that several symbols have is answered for " +
    'each. Example: {"symbol_name": "Auth.login"}.',
  source: "view",
  access: "read",
  input: () =>
    z.object({
      symbol_name: fields.symbolName.describe(
        "Name, qualified name, path:line, path#name, or a route (GET /users/:id).",
      ),
      kind: z
        .enum([...EDGE_KINDS, ...CONNECTION_KINDS])
        .optional()
        .describe("Only uses of this kind."),
      path: fields.path.optional().describe("File or directory that defines it."),
      symbol_id: fields.symbolId,
      symbol_stable_id: fields.symbolStableId,
      strict_symbol: fields.strictSymbol,
      ref: fields.ref,
      limit: fields.limit(20),
      cursor: cursorField(),
      ...fields.oneView,
    }),
  output: () => {
    const answer = {
      symbol: symbolSchema(),
      references: z.array(referenceSchema()),
      total_references: z.int().describe("Total before limit."),
      certain_references: z.int(),
      name_only_references: z.int(),
      compiler_references: z.int().optional().describe("Certain ones that an imported compiler index lists."),
      possible_references: z.int().optional().describe("Sites that mean a base or an override of it; not certain."),
      connection_references: z
        .int()
        .optional()
        .describe("Sites that name a key which it serves, such as a route; not certain."),
      references_by_kind: z.record(z.string(), z.int()),
      text_matches: textMatchesSchema(
        "Lines that hold the name and may use it: where the language has no references, or no use was bound.",
      ),
    };
    return z.object({
      ...answer,
      symbol: answer.symbol.optional(),
      candidates: z.array(z.object(answer)).optional().describe("Of an ambiguous name: an answer for each symbol."),
      candidate_count: z.int().optional(),
      pagination: paginationSchema().optional().describe("Present if there are more references than shown."),
      suggested_next_actions: nextActionsSchema(),
      metadata: metadataSchema(),
    });
  },
  text: referenceLines,
  errors: [...VIEW_ERRORS, "symbol_not_found", "ambiguous_symbol", "no_edges_available"],
  example: { symbol_name: "validate_token", kind: "calls", limit: 10 },

  async run(input, { reading, format }) {
    const selector = symbolSelector(input);
    const question = ["find_references", selector, input.kind, reading.status.ref];
    const { cursor, limit } = input;
    const page = openPage({ cursor, pageSize: limit, question, generation: reading.generation });
    const kind = input.kind === undefined ? {} : { kind: input.kind };
    const { answers, count } = await forEachCandidate(input, selector, (one) =>
      reading.references({ ...one, ...kind, offset: page.offset, limit: page.size }),
    );
    const layer = (path: string) => reading.layer(path);
    if (count !== undefined) return draftOfEach(answers, { count, limit: page.size, layer });
    const answer = answers[0]!;
    const rows = await referenceRows(answer.references, layer);
    const { symbol, symbolId, path } = answer.symbol;
    const name =
      format === "text"
        ? { symbol_name: `${path}:${symbol.nameLine ?? symbol.span.lineStart}` }
        : { symbol_name: symbol.name, symbol_id: symbolId };
    const again = { tool: "find_references", ...name };
    const { ref } = reading.status;
    return {
      body: { symbol: symbolFields(answer.symbol), ...countFields(answer) },
      completeness: completenessOf(answer, page.offset),
      warnings: [...page.warnings, ...answer.limits],
      coverage: { without_references: answer.withoutReferences },
      next: more(answer, { ...again, ref }),
      list: truncatableList("references", rows, {
        fields: (kept) => page.paginationIfMore(kept, answer.total),
        continuation: () => [{ ...again, ref, kind: "calls" }],
        suggestion: "Ask for one kind of reference at a time, or with a smaller limit.",
      }),
    };
  },
});

/** An answer for each symbol of the name, the most used one first; they share the limit. */
async function draftOfEach(
  answers: readonly ReferencesAnswer[],
  { count, limit, layer }: { count: number; limit: number; layer: (path: string) => Promise<string | undefined> },
): Promise<DraftAnswer> {
  const best = answers.toSorted((a, b) => certain(b) - certain(a));
  const share = Math.max(1, Math.ceil(limit / best.length));
  const candidates: Fields[] = [];
  for (const one of best) {
    const references = await referenceRows(one.references.slice(0, share), layer);
    candidates.push({ symbol: symbolFields(one.symbol), ...countFields(one), references });
  }
  const sum = (of: (answer: ReferencesAnswer) => number) => best.reduce((total, one) => total + of(one), 0);
  const cut = answers.length < count || best.some(({ total }) => total > share);
  const draft = candidateDraft(candidates, count, cut, {
    references: [],
    total_references: sum(({ total }) => total),
    certain_references: sum(certain),
    name_only_references: sum(({ nameOnly }) => nameOnly),
    ...compilerField(sum(({ byCompiler }) => byCompiler)),
    ...possibleField(sum(({ possible }) => possible)),
    ...connectedField(sum(({ connected }) => connected)),
    references_by_kind: {},
  });
  const warnings = [...new Set(best.flatMap(({ limits }) => limits))];
  return best.some(isPartial) ? { ...draft, completeness: "partial", warnings } : draft;
}

async function referenceRows(
  hits: readonly ReferenceHit[],
  layer: (path: string) => Promise<string | undefined>,
): Promise<Fields[]> {
  // All at once: each may wait for git.
  const layers = await Promise.all(hits.map((hit) => layer(hit.edge.path)));
  const named = new Set<string>();
  return hits.map((hit, at) => {
    const known = named.has(hit.from.symbolId);
    named.add(hit.from.symbolId);
    return referenceFields(hit, layers[at], { known });
  });
}

function completenessOf(answer: ReferencesAnswer, offset: number): Completeness {
  if (isPartial(answer)) return "partial";
  return offset + answer.references.length < answer.total ? "truncated" : "complete";
}

function isPartial({ textMatches, limits }: ReferencesAnswer): boolean {
  return textMatches !== undefined || limits.length > 0;
}

function certain({ total, nameOnly, possible, connected }: ReferencesAnswer): number {
  return total - nameOnly - possible - connected;
}

function connectedField(connected: number): Fields {
  return connected > 0 ? { connection_references: connected } : {};
}

function compilerField(byCompiler: number): Fields {
  return byCompiler > 0 ? { compiler_references: byCompiler } : {};
}

function possibleField(possible: number): Fields {
  return possible > 0 ? { possible_references: possible } : {};
}

function countFields(answer: ReferencesAnswer): Fields {
  const { total, nameOnly, byCompiler, possible, connected, byKind, textMatches } = answer;
  return {
    ...textMatchFields(textMatches),
    total_references: total,
    certain_references: certain(answer),
    name_only_references: nameOnly,
    ...compilerField(byCompiler),
    ...possibleField(possible),
    ...connectedField(connected),
    references_by_kind: byKind,
  };
}

/** The rest of a list that the limit cut. */
function more({ total, references }: ReferencesAnswer, again: NextAction): NextAction[] {
  const limit = Math.min(total, fields.MAX_LIMIT);
  return references.length < total && references.length < limit ? [{ ...again, limit }] : [];
}
