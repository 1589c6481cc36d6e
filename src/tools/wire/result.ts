/** A search hit as a result on the wire, at one of three levels of detail, and the calls to suggest next. */
import { z } from "zod";
import type { Reading } from "../../compass/compass.ts";
import type { LocateAnswer, SearchHit, SymbolHit } from "../../model/search.ts";
import type { DetailLevel, Format } from "../../model/status.ts";
import { namesSeveral } from "../../model/workspace-selector.ts";
import { cutAtCharacter, cutToTokens, escapeUnseen } from "../../text/snippet.ts";
import { estimateTokens } from "../../text/tokens.ts";
import type { Fields, NextAction } from "../define.ts";
import { type ExcerptLine, excerpt } from "../text/excerpt.ts";

/** Tokens of a location; its one handle stays out where path and name are too long for both. */
const LOCATION_TOKENS = 64;
/**
 * Size of a whole result at `signature` in characters; 120 tokens are 480. Counted in characters, since the ids are a
 * third of it and a tokenizer's view of hex says nothing about the part that varies.
 */
const SIGNATURE_CHARS = 400;
/** What shows the text is never cut below this, even where path and name are very long. */
const SHORTEST_CHARS = 60;
/** A snippet shows what matched; who wants more asks for `context`. */
const SNIPPET_CHARS = 120;
/** Where only one line has room, it is the best one. */
const SNIPPET_LINES = { most: 3, least: 1 } as const;
/** Size of S2's shape at `context`, the handles on top: 500 tokens by an estimate that is 7 % high on average. */
const CONTEXT_TOKENS = 535;
const SHORTEST_BODY_TOKENS = 150;
/** Room that a long body leaves to the related symbols. */
const RELATED_TOKENS = 90;
const MOST_RELATED = 12;

const neighbour = () => z.object({ kind: z.string(), name: z.string(), path: z.string(), line: z.int() });

export const resultSchema = () =>
  z.object({
    workspace: z.string().optional(),
    result_id: z.string().optional(),
    symbol_id: z.string().optional(),
    symbol_stable_id: z.string().optional(),
    result_type: z.enum(["symbol", "snippet", "file"]).optional(),
    path: z.string(),
    line_start: z.int(),
    line_end: z.int(),
    kind: z.string().optional(),
    name: z.string().optional(),
    qualified_name: z.string().optional(),
    signature: z.string().optional(),
    language: z.string().optional(),
    source_layer: z.enum(["base", "overlay"]).optional(),
    visibility: z.enum(["public", "private", "protected", "internal"]).optional(),
    score: z.number().optional(),
    snippet: z.string().optional(),
    doc: z.string().optional(),
    body_preview: z.string().optional(),
    parent: neighbour().optional(),
    related_symbols: z.array(neighbour()).optional(),
  });

interface ResultShape {
  readonly detail: DetailLevel;
  readonly compact: boolean;
  /** `typed` results say what they are and show the text that matched. */
  readonly of: "typed" | "symbols";
  /** Decide which lines of a snippet are shown. */
  readonly words?: readonly string[];
  readonly format?: Format | undefined;
}

export async function renderResults(
  hits: readonly SearchHit[],
  shape: ResultShape,
  reading: Reading,
): Promise<Fields[]> {
  // Fetch all layers at once: each may wait for git.
  if (!shape.compact) await Promise.all(hits.map(({ path }) => reading.layer(path)));
  const results: Fields[] = [];
  for (const hit of hits) {
    const whose = hit.workspace === undefined ? {} : { workspace: hit.workspace };
    results.push({ ...whose, ...(await renderResult(hit, shape, reading)) });
  }
  return results;
}

async function renderResult(hit: SearchHit, shape: ResultShape, reading: Reading): Promise<Fields> {
  if (shape.format === "text") return readableResult(hit, shape, reading);
  if (shape.compact) return shape.detail === "location" ? locationResult(hit, {}) : compactResult(hit, shape);
  const layer = await layerField(hit, reading);
  if (shape.detail === "location") return locationResult(hit, layer);
  if (shape.detail === "signature") return { ...signatureResult(hit, shape), ...layer };
  return { ...(await contextResult(hit, shape, reading)), ...layer };
}

/** An address, and the lines that matter: no ids, which an address replaces. */
async function readableResult(
  hit: SearchHit,
  { detail, compact, of, words = [] }: ResultShape,
  reading: Reading,
): Promise<Fields> {
  const named = hit.symbol?.symbol;
  const where = { ...locationFields(hit), score: roundScore(hit.score) };
  if (compact || detail === "location") return { ...where, ...(named && { qualified_name: named.qualifiedName }) };
  if (of === "symbols" && detail === "signature") {
    return { ...where, qualified_name: named?.qualifiedName, signature: named?.signature };
  }
  if (detail === "context") {
    return {
      ...where,
      qualified_name: named?.qualifiedName,
      body_preview: await preview(hit, CONTEXT_TOKENS, reading),
    };
  }
  const text = hit.text || (hit.symbol === undefined ? "" : await reading.body(hit.symbol));
  // A definition is known by its head; elsewhere the words decide.
  const lines = excerpt(text, hit.lineStart, hit.type === "symbol" ? [] : words, { within: named?.span });
  // A chunk may hold several symbols; its own is named only where the shown lines belong to it.
  const within = named && lines.some(({ number }) => number >= named.span.lineStart && number <= named.span.lineEnd);
  return {
    path: hit.path,
    line_start: lines[0]?.number ?? hit.lineStart,
    line_end: hit.lineEnd,
    ...(within && { kind: named.kind, name: named.name, qualified_name: named.qualifiedName }),
    score: where.score,
    lines,
  };
}

/** Outside version control there are no layers. */
async function layerField({ path }: SearchHit, reading: Reading): Promise<Fields> {
  const layer = await reading.layer(path);
  return layer === undefined ? {} : { source_layer: layer };
}

function locationFields(hit: SearchHit): Fields {
  const named = hit.symbol?.symbol;
  const file = hit.type === "file" ? { kind: "file", name: hit.path.slice(hit.path.lastIndexOf("/") + 1) } : {};
  return {
    path: hit.path,
    line_start: hit.lineStart,
    line_end: hit.lineEnd,
    ...(named === undefined ? file : { kind: named.kind, name: named.name }),
  };
}

/** One handle at most: two ids would take half of a location's 60 tokens. It goes before the layer. */
function locationResult(hit: SearchHit, layer: Fields): Fields {
  const handle = hit.symbol === undefined ? { result_id: hit.resultId } : { symbol_id: hit.symbol.symbolId };
  const where = locationFields(hit);
  const handled = { ...handle, ...where };
  const fitting = [{ ...handled, ...layer }, handled].find((one) => countTokens(one) <= LOCATION_TOKENS);
  return fitting ?? where;
}

function identified(hit: SearchHit, shape: ResultShape, signature?: string): Fields {
  const symbol = hit.symbol;
  return {
    ...handles(hit),
    ...(shape.of === "typed" && { result_type: hit.type }),
    ...locationFields(hit),
    ...(symbol !== undefined && { qualified_name: symbol.symbol.qualifiedName }),
    ...(signature !== undefined && { signature: escapeUnseen(signature) }),
    language: hit.language,
    ...(symbol?.symbol.visibility !== undefined && hit.type === "symbol" && { visibility: symbol.symbol.visibility }),
    score: roundScore(hit.score),
  };
}

function handles({ resultId, symbol }: SearchHit): Fields {
  return {
    ...(resultId !== undefined && { result_id: resultId }),
    ...(symbol !== undefined && { symbol_id: symbol.symbolId, symbol_stable_id: symbol.symbolStableId }),
  };
}

/** A caller of `locate_symbol` knows the name. */
function compactResult(hit: SearchHit, shape: ResultShape): Fields {
  const { result_id, ...ofSymbol } = handles(hit);
  const ids = hit.symbol === undefined ? { result_id } : ofSymbol;
  const { kind: _, name, ...where } = locationFields(hit);
  return { ...ids, ...where, ...(shape.of === "typed" && { name }), score: roundScore(hit.score) };
}

function signatureResult(hit: SearchHit, shape: ResultShape): Fields {
  const signature = hit.symbol?.symbol.signature;
  const bare = identified(hit, shape);
  const left = charsLeft(bare);
  if (hit.type === "symbol" || shape.of === "symbols") {
    return signature === undefined ? bare : identified(hit, shape, cutText(signature, left));
  }
  // A snippet that starts with its symbol shows the signature anyway.
  const inside =
    signature !== undefined && hit.lineStart > hit.symbol!.symbol.span.lineStart && left > 2 * SHORTEST_CHARS;
  const result = inside ? identified(hit, shape, cutText(signature, left - SHORTEST_CHARS)) : bare;
  const room = Math.min(charsLeft(result), SNIPPET_CHARS);
  const lines = excerpt(hit.text, hit.lineStart, shape.words ?? [], {
    within: hit.symbol?.symbol.span,
    lines: SNIPPET_LINES[room < SNIPPET_CHARS ? "least" : "most"],
  });
  return { ...result, snippet: cutLines(lines, room) };
}

/** Whole lines; the first one is cut where it is too long. */
function cutLines(lines: readonly ExcerptLine[], chars: number): string {
  const [first = "", ...rest] = lines.map(({ text }) => text);
  let shown = first;
  for (const line of rest) {
    if (shown.length + line.length >= chars) break;
    shown += `\n${line}`;
  }
  return cutText(shown, chars);
}

async function contextResult(hit: SearchHit, shape: ResultShape, reading: Reading): Promise<Fields> {
  const { symbol } = hit;
  let result = identified(hit, shape, symbol?.symbol.signature);
  if (symbol?.symbol.doc !== undefined) result = { ...result, doc: escapeUnseen(symbol.symbol.doc) };
  if (symbol?.parent !== undefined) result = { ...result, parent: parentFields(symbol) };
  const related = symbol === undefined ? [] : await reading.related(symbol, MOST_RELATED);
  const reserve = related.length > 0 ? RELATED_TOKENS : 0;
  const budget = CONTEXT_TOKENS + countTokens(handles(hit));
  const tokens = Math.max(SHORTEST_BODY_TOKENS, budget - reserve - countTokens(result));
  result = { ...result, body_preview: escapeUnseen(await preview(hit, tokens, reading)) };
  return withRelated(result, related, budget);
}

/** A snippet shows what matched, or the whole symbol around it where that fits. */
async function preview(hit: SearchHit, tokens: number, reading: Reading): Promise<string> {
  const body = hit.symbol !== undefined && encloses(hit.symbol, hit) ? await reading.body(hit.symbol) : "";
  const whole = cutToTokens(body || hit.text, tokens);
  return whole.cut && hit.type !== "symbol" ? cutToTokens(hit.text, tokens).text : whole.text;
}

function encloses({ symbol }: SymbolHit, hit: SearchHit): boolean {
  return symbol.span.lineStart <= hit.lineStart && symbol.span.lineEnd >= hit.lineEnd;
}

function withRelated(result: Fields, related: readonly SymbolHit[], budget: number): Fields {
  const shown: Fields[] = [];
  let used = countTokens(result);
  for (const hit of related) {
    const row = neighbourFields(hit);
    used += countTokens(row);
    if (used > budget) break;
    shown.push(row);
  }
  return shown.length === 0 ? result : { ...result, related_symbols: shown };
}

function neighbourFields(hit: SymbolHit): Fields {
  return { kind: hit.symbol.kind, name: hit.symbol.name, path: hit.path, line: hit.symbol.span.lineStart };
}

function parentFields(hit: SymbolHit): Fields {
  const { kind, name, span } = hit.parent!;
  return { kind, name, path: hit.path, line: span.lineStart };
}

function charsLeft(result: Fields): number {
  return Math.max(SHORTEST_CHARS, SIGNATURE_CHARS - JSON.stringify(result).length);
}

function cutText(text: string, chars: number): string {
  return escapeUnseen(text.length <= chars ? text : `${cutAtCharacter(text, chars - 1)}…`);
}

function countTokens(value: Fields): number {
  return estimateTokens(JSON.stringify(value));
}

/** Four decimals distinguish results and cost half the tokens of sixteen. */
export function roundScore(score: number): number {
  return Math.round(score * 10_000) / 10_000;
}

/** What a language would accept as a (qualified) name; anything else stays out of suggestions. */
const IDENTIFIER = /^(?!__)[\p{L}\p{N}_$.:#~?!]{3,120}$/u;
const ECHOED_QUERY_CHARS = 200;

/** Ref and workspace of a suggested call. */
interface QueryTarget {
  readonly ref?: string;
  readonly workspace?: string;
}

/** Several workspaces can have several refs, so `ref` is repeated only if the caller passed it. */
export function nextTarget(
  input: { readonly [K in keyof QueryTarget]?: string | undefined },
  { status }: Pick<Reading, "status">,
): QueryTarget {
  const { workspace, ref } = input;
  if (workspace === undefined) return { ref: status.ref };
  if (namesSeveral(workspace)) return { ...(ref !== undefined && { ref }), workspace };
  // No server has a repository of the shared store as its default because a call has named it.
  return { ref: status.ref, ...(status.published !== undefined && { workspace }) };
}

/** A lookup that found nothing continues with the nearest name, or as a search. */
export function findInstead({ hits, didYouMean = [] }: LocateAnswer, words: string, where: QueryTarget): NextAction[] {
  if (hits.length > 0) return [];
  const [nearest] = didYouMean;
  if (nearest !== undefined) return [{ tool: "locate_symbol", name: nearest, ...where }];
  return echoable(words) ? [{ tool: "search_code", query: words, ...where }] : [];
}

/** The definition around the best hit, unless that hit is the definition itself. */
export function nextDefinition([best]: readonly SearchHit[], where: QueryTarget): NextAction[] {
  const symbol = best?.symbol;
  if (symbol === undefined || best!.type === "symbol" || !IDENTIFIER.test(symbol.symbol.name)) return [];
  const own = symbol.workspace === undefined ? {} : { workspace: symbol.workspace };
  return [{ tool: "locate_symbol", name: symbol.symbol.name, symbol_id: symbol.symbolId, ...where, ...own }];
}

/** The same request with a smaller response. */
export function smallerRequest(
  tool: string,
  words: Readonly<Record<string, string>>,
  where: QueryTarget,
  limit: number,
): NextAction {
  const echoed = Object.entries(words).filter(([, text]) => echoable(text));
  return { tool, ...Object.fromEntries(echoed), ...where, limit, detail_level: "location", compact: true };
}

function echoable(words: string): boolean {
  return words.length <= ECHOED_QUERY_CHARS;
}
