/** A symbol and a use of it on the wire. */
import { z } from "zod";
import { EDGE_KINDS, RESOLUTIONS } from "../../model/edges.ts";
import type { ReferenceHit } from "../../model/navigation.ts";
import type { SymbolHit } from "../../model/search.ts";
import { cutAtCharacter, escapeUnseen } from "../../text/snippet.ts";
import type { Fields } from "../define.ts";

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
  });

export const referenceSchema = () =>
  z.object({
    path: z.string(),
    line_start: z.int().describe("Line of the use."),
    edge_type: z.enum(EDGE_KINDS),
    resolution: z.enum(RESOLUTIONS),
    source_layer: z.enum(["base", "overlay"]).optional(),
    context: z.string().describe("The source line, trimmed."),
    from_symbol: symbolSchema().omit({ path: true, line_start: true }),
  });

export function symbolFields(hit: SymbolHit): Fields {
  return { ...symbolNames(hit), path: hit.path, line_start: hit.symbol.span.lineStart };
}

export function referenceFields({ edge, context, from }: ReferenceHit, layer: string | undefined): Fields {
  return {
    path: edge.path,
    line_start: edge.line,
    edge_type: edge.kind,
    resolution: edge.resolution,
    ...(layer !== undefined && { source_layer: layer }),
    context: escapeUnseen(cut(context)),
    from_symbol: symbolNames(from),
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
