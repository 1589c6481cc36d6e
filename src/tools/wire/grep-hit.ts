/** A matching line as the S5 family shows its results. */
import { z } from "zod";
import type { GrepHit } from "../../model/grep.ts";
import { cutAtCharacter, escapeUnseen } from "../../text/snippet.ts";
import { estimateTokens } from "../../text/tokens.ts";
import type { Fields } from "../define.ts";

export const grepHitSchema = () =>
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

export interface SnippetShape {
  readonly include: boolean;
  readonly length: number;
}

export function grepResult(hit: GrepHit, { include, length }: SnippetShape): Fields {
  const { text, start } = snippetAround(hit, length);
  return {
    ...(hit.workspace !== undefined && { workspace: hit.workspace }),
    file: hit.path,
    line_start: hit.line,
    line_end: hit.line,
    // Every line that matches, matches.
    score: 1,
    ...(include && { snippet: escapeUnseen(text), snippet_start: start }),
    chunk_type: chunkType(hit),
    ...(hit.symbol && { breadcrumb: hit.symbol.qualifiedName }),
    estimated_tokens: estimateTokens(text),
    language: hit.language,
  };
}

/** What a reader calls the piece of code that the line belongs to. */
function chunkType({ symbol }: GrepHit): string {
  if (symbol === undefined) return "text";
  return symbol.kind === "fn" ? "function" : symbol.kind;
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
