/** Symbols and references on the wire, and the input fields that select a symbol. */
import { z } from "zod";
import type { CodeSymbol } from "../../model/code.ts";
import { CONNECTION_KINDS, KEY_MATCHES } from "../../model/connections.ts";
import { type ConnectionEdge, EDGE_KINDS, MEMBER_RELATIONS, RESOLUTIONS } from "../../model/edges.ts";
import { CompassError } from "../../model/errors.ts";
import type { ReferenceGaps, ReferenceHit, SymbolSelector } from "../../model/navigation.ts";
import type { SymbolHit, TextMatch } from "../../model/search.ts";
import { cutAtCharacter, escapeUnseen } from "../../text/snippet.ts";
import { type DraftAnswer, type Fields, truncatableList } from "../define.ts";

/** A longer signature is a parameter list that the definition shows better. */
const MAX_SIGNATURE_CHARS = 240;
const MAX_LINE_CHARS = 200;

export const nodeSchema = () =>
  z.object({
    symbol_id: z.string(),
    symbol_stable_id: z.string(),
    name: z.string(),
    kind: z.string(),
    qualified_name: z.string(),
    path: z.string(),
    line_start: z.int(),
    name_line: z.int().optional().describe("Line of the name, if it is not line_start."),
    line_end: z.int(),
    signature: z.string().optional(),
    language: z.string().optional(),
  });

export function nodeFields({ symbolId, symbolStableId, symbol, path }: SymbolHit): Fields {
  return {
    symbol_id: symbolId,
    symbol_stable_id: symbolStableId,
    name: symbol.name,
    kind: symbol.kind,
    qualified_name: symbol.qualifiedName,
    path,
    line_start: symbol.span.lineStart,
    ...nameLineField(symbol),
    line_end: symbol.span.lineEnd,
    ...(symbol.signature !== undefined && { signature: shortened(symbol.signature, MAX_SIGNATURE_CHARS) }),
  };
}

/** A decorator or a long head precedes the name. */
export function nameLineField({ nameLine }: Pick<CodeSymbol, "nameLine">): Fields {
  return nameLine === undefined ? {} : { name_line: nameLine };
}

/** The short handle of a symbol, for rows of a list. */
export const slimNodeShape = () => ({
  symbol_id: z.string(),
  name: z.string(),
  kind: z.string(),
  qualified_name: z.string(),
  path: z.string(),
});

/** Where many are shown, the long handle stays out: the short one finds the symbol too. */
export function slimNodeFields(hit: SymbolHit): Fields {
  const { symbol_stable_id: _, signature: __, line_end: ___, ...rest } = nodeFields(hit) as Record<string, unknown>;
  return rest;
}

/** Lines that hold a name where only text is known. */
export function textMatchesSchema(description: string) {
  const line = z.object({ path: z.string(), line_start: z.int(), context: z.string() });
  return z.array(line).optional().describe(description);
}

export function textMatchFields(matches: readonly TextMatch[] | undefined): Fields {
  if (matches === undefined) return {};
  return {
    text_matches: matches.map(({ path, line, context }) => ({ path, line_start: line, context: shortLine(context) })),
  };
}

export function shortLine(text: string): string {
  return shortened(text, MAX_LINE_CHARS);
}

function shortened(text: string, chars: number): string {
  return escapeUnseen(text.length <= chars ? text : `${cutAtCharacter(text, chars - 1)}…`);
}

interface SymbolInput {
  readonly symbol_name: string;
  readonly symbol_id?: string | undefined;
  readonly symbol_stable_id?: string | undefined;
  readonly path?: string | undefined;
}

/** `src/a.py:12`, `src/a.py#Name`; a colon or # in a name has no path before it. */
const ADDRESS = /^([^:#\s]*[./][^:#\s]*)(?::(\d+)|#(.+))$/;

export function symbolSelector({ symbol_name, symbol_id, symbol_stable_id, path }: SymbolInput): SymbolSelector {
  const name = symbol_name.trim();
  const id = symbol_id ?? symbol_stable_id ?? (/^(sym_|b3:)\w+$/.test(name) ? name : undefined);
  const [, file, line, inside] = ADDRESS.exec(name) ?? [];
  if (id === undefined && file !== undefined) {
    return line === undefined ? { name: inside!, path: file } : { name, path: file, line: Number(line) };
  }
  return { name, ...(id !== undefined && { symbolId: id }), ...(path !== undefined && { path }) };
}

/** Definitions of an ambiguous name that are answered for. */
const MOST_CANDIDATES = 5;

export interface CandidateAnswers<Answer> {
  readonly answers: readonly Answer[];
  /** How many symbols have the name; absent: one was meant. */
  readonly count?: number;
}

/** One answer, or one per definition of an ambiguous name: `strict` refuses those. */
export async function forEachCandidate<Answer>(
  { strict_symbol: strict }: { readonly strict_symbol: boolean },
  selector: SymbolSelector,
  ask: (selector: SymbolSelector) => Promise<Answer>,
): Promise<CandidateAnswers<Answer>> {
  try {
    return { answers: [await ask(selector)] };
  } catch (error) {
    if (strict || !(error instanceof CompassError) || error.code !== "ambiguous_symbol") throw error;
    const { candidates, candidate_count: count } = error.data as {
      candidates: readonly { symbol_id: string }[];
      candidate_count: number;
    };
    const answers: Answer[] = [];
    for (const { symbol_id: symbolId } of candidates.slice(0, MOST_CANDIDATES)) {
      answers.push(await ask({ name: selector.name, symbolId }));
    }
    return { answers, count };
  }
}

/** An answer per definition; `body` has the fields of a single answer. */
export function candidateDraft(candidates: readonly Fields[], count: number, cut: boolean, body: Fields): DraftAnswer {
  return {
    body: { ...body, candidate_count: count },
    completeness: cut ? "truncated" : "complete",
    list: truncatableList("candidates", candidates, {
      suggestion: "Ask for one of the candidates by its path:line.",
    }),
  };
}

/** What answers about uses could not look at, in the coverage and as warnings. */
export function gapFields(gaps: readonly ReferenceGaps[]): Pick<DraftAnswer, "coverage" | "warnings"> {
  return {
    coverage: { without_references: gaps[0]?.withoutReferences ?? [] },
    warnings: [...new Set(gaps.flatMap(({ limits }) => limits))],
  };
}

/** An answer per definition is partial where one of them is. */
export function withGaps(draft: DraftAnswer, gaps: readonly ReferenceGaps[]): DraftAnswer {
  const isPartial = gaps.some((it) => it.isPartial);
  return { ...draft, ...gapFields(gaps), ...(isPartial && { completeness: "partial" as const }) };
}

/** Warning for a file with several symbols of the name. */
export function othersWarning(others: number, name: string): string[] {
  if (others === 0) return [];
  return [
    `The file has ${others} more ${others === 1 ? "symbol" : "symbols"} named ${name}; pass a qualified name or symbol_id.`,
  ];
}

/** A longer line is data in a line of code. */
const MAX_CONTEXT_CHARS = 240;

export const symbolSchema = () =>
  z.object({
    symbol_id: z.string(),
    symbol_stable_id: z.string(),
    name: z.string(),
    qualified_name: z.string(),
    kind: z.string(),
    path: z.string(),
    line_start: z.int(),
    name_line: z.int().optional(),
  });

/** Kinds and resolutions of edges and of connections. */
export const SHOWN_KINDS = [...EDGE_KINDS, ...CONNECTION_KINDS] as const;
export const SHOWN_RESOLUTIONS = [...RESOLUTIONS, ...KEY_MATCHES] as const;

export const referenceSchema = () =>
  z.object({
    path: z.string(),
    line_start: z.int().describe("Line of the use."),
    edge_type: z.enum(SHOWN_KINDS),
    resolution: z.enum(SHOWN_RESOLUTIONS),
    connection: z
      .object({
        key: z.string().describe("As the definition has it: GET /users/{}."),
        side: z.enum(["use", "definition"]),
        defined_at: z.object({ path: z.string(), line_start: z.int() }).optional(),
        handler: z
          .object({ qualified_name: z.string(), path: z.string(), line_start: z.int() })
          .optional()
          .describe("What serves the key."),
      })
      .optional()
      .describe("The site and the symbol name the same key; never certain."),
    via: z.enum(MEMBER_RELATIONS).optional().describe("The site means a base or an override of the symbol."),
    source_layer: z.enum(["base", "overlay"]).optional(),
    context: z.string().describe("The source line, trimmed."),
    from_symbol: symbolSchema()
      .omit({ path: true, line_start: true, name_line: true })
      .partial({ symbol_stable_id: true })
      .describe("symbol_stable_id: at its first site only."),
  });

export function symbolFields(hit: SymbolHit): Fields {
  return {
    ...symbolNames(hit),
    path: hit.path,
    line_start: hit.symbol.span.lineStart,
    ...nameLineField(hit.symbol),
  };
}

export function referenceFields(
  { edge, context, from, handler }: ReferenceHit,
  layer: string | undefined,
  { known }: { readonly known: boolean },
): Fields {
  const { symbol_stable_id: stableId, ...names } = symbolNames(from) as Record<string, unknown>;
  return {
    path: edge.path,
    line_start: edge.line,
    edge_type: edge.kind,
    resolution: edge.resolution,
    ...("side" in edge ? { connection: connectionFields(edge, handler) } : edge.via !== undefined && { via: edge.via }),
    ...(layer !== undefined && { source_layer: layer }),
    context: escapeUnseen(cut(context)),
    from_symbol: { ...names, ...(!known && { symbol_stable_id: stableId }) },
  };
}

function connectionFields({ name, side, definition }: ConnectionEdge, handler: SymbolHit | undefined): Fields {
  return {
    key: name,
    side,
    ...(definition && { defined_at: { path: definition.path, line_start: definition.line } }),
    ...(handler && {
      handler: {
        qualified_name: handler.symbol.qualifiedName,
        path: handler.path,
        line_start: handler.symbol.span.lineStart,
      },
    }),
  };
}

function symbolNames({ symbolId, symbolStableId, symbol }: SymbolHit): Fields {
  return {
    symbol_id: symbolId,
    symbol_stable_id: symbolStableId,
    name: symbol.name,
    qualified_name: symbol.qualifiedName,
    kind: symbol.kind,
  };
}

function cut(text: string): string {
  return text.length <= MAX_CONTEXT_CHARS ? text : `${cutAtCharacter(text, MAX_CONTEXT_CHARS - 1)}…`;
}
