import { z } from "zod";
import type { Reading } from "../compass/compass.ts";
import type { SearchHit, SymbolHit } from "../model/search.ts";
import type { Format } from "../model/status.ts";
import { cutAtCharacter, cutToTokens, escapeUnseen } from "../text/snippet.ts";
import { estimateLineTokens, estimateTokens } from "../text/tokens.ts";
import { defineTool, type Fields, VIEW_ERRORS } from "./define.ts";
import * as fields from "./input.ts";
import { contextLines } from "./text/layouts.ts";
import { MODEL_VIEW } from "./text/style.ts";
import { metadataSchema, nextActionsSchema } from "./wire/metadata.ts";
import { roundScore } from "./wire/result.ts";

const STRATEGIES = ["breadth", "depth"] as const;
type Strategy = (typeof STRATEGIES)[number];
const DEFAULT_TOKENS = 4_000;
/** Maximum results to consider: as many as a budget could show. */
const MOST_HITS = { breadth: 400, depth: 100 } as const;
const LEAST_ITEM_TOKENS = { breadth: 20, depth: 60 } as const;
/** One body takes at most this part of the budget; what it loses is marked. */
const BODY_SHARE = 0.5;
const SHORTEST_BODY_TOKENS = 60;
const MAX_SIGNATURE_CHARS = 200;
/** Below this, the envelope takes most of the budget, so items are reduced to name and location. */
const TIGHT_TOKENS = 400;
/** Estimated tokens of an answer without items. */
const ENVELOPE_TOKENS = { json: 106, text: 8 } as const;
/**
 * From an estimate to the budget. Over flask, trpc, chi, kombu, alembic, undici and rack the estimates of an answer in text were
 * 0.96 to 1.10 times the true count; those of breadth in JSON, over the first four, 1.03 to 1.09 times. Bodies are any code.
 */
const RESERVE = { breadth: { json: 1, text: 1.045 }, depth: { json: 1.02, text: 1.045 } } as const;
/** A rest of the budget that is not worth looking up more. */
const UNUSED_SHARE = 0.03;
/** What remains below this is not worth another item. */
const LEAST_LEFT_TOKENS = 30;
/** Definitions whose callees, callers and tests are looked up at once, and the part of the budget that the first may take. */
const EXPANDED = 4;
const NEIGHBOUR_SHARE = 0.25;
/** Where the hits do not fill the budget, so many definitions more are looked up. */
const MOST_EXPANDED = 40;
const NEIGHBOURS_OF_EACH = 5;
/** Hits that come before the neighbours of the best ones. */
const FIRST_HITS = { breadth: 40, depth: 4 } as const;

export default defineTool({
  name: "get_code_context",
  title: "Collect the relevant code within a token budget",
  description:
    "Use instead of grep and reading files one by one to collect what a task needs within a token budget: " +
    "definitions that match, what they call, their callers and tests. breadth: many signatures; depth: bodies. " +
    'Example: {"query": "token refresh", "max_tokens": 4000}.',
  source: "view",
  access: "read",
  input: () =>
    z.object({
      query: fields.query.describe("Question, name or path."),
      max_tokens: z
        .int()
        .min(1, "must be at least 1")
        .default(DEFAULT_TOKENS)
        .describe("Token budget of the whole answer."),
      strategy: z.enum(STRATEGIES).default("breadth").describe("Many signatures, or bodies."),
      language: fields.language,
      path: fields.path.optional().describe("Only in this file or directory."),
      ref: fields.ref,
      freshness_policy: fields.freshnessPolicy,
      workspace: fields.workspace,
    }),
  output: () =>
    z.object({
      context_items: z.array(itemSchema()),
      estimated_tokens: z.int().describe("Estimated tokens of the items."),
      truncated: z.boolean().describe("More was found than fits the budget."),
      suggested_next_actions: nextActionsSchema(),
      metadata: metadataSchema({
        total_candidates: z.int(),
        returned: z.int(),
        strategy: z.enum(STRATEGIES),
        remaining_candidates: z.int().optional(),
        suggestion: z.string().optional(),
      }),
    }),
  text: contextLines,
  errors: [...VIEW_ERRORS, "invalid_strategy", "invalid_max_tokens"],
  example: { query: "where are tokens validated", max_tokens: 2000, strategy: "depth" },

  async run(input, { reading, format = "json" }) {
    const { strategy, max_tokens: budget } = input;
    const limit = Math.min(MOST_HITS[strategy], Math.max(5, Math.ceil(budget / LEAST_ITEM_TOKENS[strategy])));
    const answer = await reading.search({
      query: input.query,
      limit,
      brief: true,
      ...fields.languageFilter(input.language),
      ...(input.path !== undefined && { under: input.path }),
    });
    const { items, found } = await packItems(answer.hits, { strategy, budget, format }, reading);
    return {
      body: {},
      completeness: answer.completeness,
      reserve: RESERVE[strategy][format],
      list: {
        length: items.length,
        show: (kept) => shown(items.slice(0, kept), found, strategy, answer.totalCandidates),
        continuation: () => [],
        suggestion: suggestionFor(strategy),
      },
    };
  },
});

const itemSchema = () =>
  z.object({
    symbol_id: z.string().optional(),
    name: z.string().optional(),
    kind: z.string().optional(),
    qualified_name: z.string().optional(),
    path: z.string(),
    line_start: z.int(),
    line_end: z.int(),
    language: z.string().optional(),
    score: z.number().optional(),
    signature: z.string().optional(),
    body: z.string().optional(),
    body_truncated: z.boolean().optional(),
    role: z.enum(["callee", "caller", "test"]).optional().describe("Why it is shown beside the matches."),
  });

function suggestionFor(strategy: Strategy): string {
  return strategy === "depth"
    ? "Raise max_tokens, or use strategy breadth."
    : "Raise max_tokens, or ask more narrowly.";
}

function shown(items: readonly Fields[], found: number, strategy: Strategy, candidates: number) {
  const cut = items.length < found;
  return {
    body: {
      context_items: items,
      estimated_tokens: items.length === 0 ? 0 : estimateTokens(JSON.stringify(items)),
      truncated: cut,
    },
    metadata: {
      total_candidates: candidates,
      returned: items.length,
      strategy,
      ...(cut && {
        remaining_candidates: Math.max(candidates, found) - items.length,
        suggestion: suggestionFor(strategy),
      }),
    },
  };
}

interface PackShape {
  readonly strategy: Strategy;
  readonly budget: number;
  readonly format: Format;
}

/** The best hits, then what they call, their callers and tests, then further hits, until the budget is full. */
async function packItems(
  hits: readonly SearchHit[],
  shape: PackShape,
  reading: Reading,
): Promise<{ items: Fields[]; found: number }> {
  const { budget, format, strategy } = shape;
  const items: Fields[] = [];
  const seen = new Set<string>();
  const room = Math.max(budget / RESERVE[strategy][format] - ENVELOPE_TOKENS[format], budget / 4);
  let left = room;
  const offered = new Set<string>();
  /** Adds the item if it fits, and else as much of its body as does; `last` ones even by name and location. */
  const add = (item: Fields, { last = false } = {}): boolean => {
    const key = itemKey(item);
    if (seen.has(key) || isShown(item, items)) return false;
    offered.add(key);
    const forms = [item, shortened(item, left), last ? locationOf(item) : undefined];
    const fitting = forms.find((one) => one !== undefined && itemTokens([one], format) <= left);
    if (fitting === undefined) return false;
    seen.add(key);
    left -= itemTokens([fitting], format);
    return items.push(fitting) > 0;
  };
  const addHits = async (some: readonly SearchHit[], { last = false } = {}) => {
    for (const hit of some) {
      const head = itemHead(hit, { tight: budget < TIGHT_TOKENS });
      if (strategy === "breadth") add(head, { last });
      else if (left > LEAST_LEFT_TOKENS) add({ ...head, ...(await itemBody(hit, budget, reading)) });
      else offered.add(itemKey(head));
    }
  };
  const first = FIRST_HITS[strategy];
  await addHits(hits.slice(0, first));
  const definitions = definitionsIn(hits);
  const addNeighbours = async (from: number, reserve: number) => {
    const some = definitions.slice(from, from + EXPANDED);
    for (const neighbour of await neighbours(some, strategy, reading)) if (left > reserve) add(neighbour);
  };
  if (budget >= TIGHT_TOKENS) await addNeighbours(0, left - budget * NEIGHBOUR_SHARE);
  await addHits(hits.slice(first));
  // Each item was rounded up: together they take less, and more fits.
  left = room - itemTokens(items, format);
  await addHits(hits);
  for (let from = EXPANDED; from < MOST_EXPANDED && left > budget * UNUSED_SHARE; from += EXPANDED) {
    await addNeighbours(from, 0);
    left = room - itemTokens(items, format);
  }
  // In depth, each item has a body.
  if (strategy === "breadth") await addHits(hits, { last: true });
  // Nothing is cut at the end: what did not fit was counted.
  return { items, found: offered.size };
}

function itemTokens(items: readonly Fields[], format: Format): number {
  if (format === "json") return estimateTokens(JSON.stringify(items)) + 1;
  return estimateLineTokens(`${contextLines({ context_items: items }, MODEL_VIEW).join("\n")}\n`);
}

function itemKey({ path, line_start }: Fields): string {
  return `${path}:${line_start}`;
}

function locationOf({ kind, qualified_name, path, line_start, line_end }: Fields): Fields {
  return { ...(kind !== undefined && { kind, qualified_name }), path, line_start, line_end };
}

/** Whether the lines are part of a body above. */
function isShown({ path, line_start: line }: Fields, items: readonly Fields[]): boolean {
  return items.some(
    (it) =>
      it.path === path &&
      it.body !== undefined &&
      it.body_truncated === undefined &&
      Number(it.line_start) <= Number(line) &&
      Number(it.line_end) >= Number(line),
  );
}

/** The item with the beginning of its body, where that is worth the tokens that are left. */
function shortened(item: Fields, tokens: number): Fields | undefined {
  const room = Math.floor(tokens * 0.8) - SHORTEST_BODY_TOKENS;
  if (typeof item.body !== "string" || room < SHORTEST_BODY_TOKENS) return undefined;
  return { ...item, body: cutToTokens(item.body, room).text, body_truncated: true };
}

function definitionsIn(hits: readonly SearchHit[]): SymbolHit[] {
  const all = hits.flatMap(({ symbol }) => (symbol ? [[symbol.symbolId, symbol] as const] : []));
  return [...new Map(all).values()];
}

/** Each definition once: what these call, the sites that use them, and the tests that do. */
async function neighbours(definitions: readonly SymbolHit[], strategy: Strategy, reading: Reading): Promise<Fields[]> {
  if (definitions.length === 0) return [];
  const callees = await Promise.all(definitions.map((hit) => reading.related(hit, NEIGHBOURS_OF_EACH)));
  const { callers, tests } = await reading.affectedCode({
    changed: definitions.map(({ symbol, path, symbolId }) => {
      const { name, qualifiedName } = symbol;
      return { name, qualifiedName, path, symbolId, signature: true };
    }),
    paths: [],
    callersOfEach: NEIGHBOURS_OF_EACH,
    tests: NEIGHBOURS_OF_EACH,
  });
  const line = (text: string) => (strategy === "depth" ? { body: text } : { signature: text });
  const called: Fields[] = [];
  for (const hit of callees.flat()) {
    const body = strategy === "depth" ? { body: escapeUnseen(await reading.body(hit)) } : {};
    called.push({ ...symbolHead(hit, { tight: false }), ...body, role: "callee" });
  }
  return [
    ...called,
    ...callers.map((it) => ({
      path: it.path,
      line_start: it.line,
      line_end: it.line,
      ...(it.from !== undefined && { qualified_name: it.from }),
      ...line(escapeUnseen(cutAtCharacter(it.context, MAX_SIGNATURE_CHARS))),
      role: "caller",
    })),
    ...tests.map(({ path, uses }) => ({
      path,
      line_start: 1,
      line_end: 1,
      ...line(uses.length > 0 ? `uses ${uses.join(", ")}` : "named after it"),
      role: "test",
    })),
  ];
}

/** Where it is and how it begins. */
function symbolHead({ symbol, symbolId, path, language }: SymbolHit, { tight }: { readonly tight: boolean }): Fields {
  const { signature } = symbol;
  return {
    ...(!tight && { symbol_id: symbolId, name: symbol.name }),
    kind: symbol.kind,
    qualified_name: symbol.qualifiedName,
    path,
    line_start: symbol.span.lineStart,
    line_end: symbol.span.lineEnd,
    ...(!tight && { language }),
    ...(signature !== undefined && { signature: escapeUnseen(cutAtCharacter(signature, MAX_SIGNATURE_CHARS)) }),
  };
}

function itemHead(hit: SearchHit, { tight }: { readonly tight: boolean }): Fields {
  const score = tight ? {} : { score: roundScore(hit.score) };
  if (hit.symbol !== undefined) return { ...symbolHead(hit.symbol, { tight }), ...score };
  const signature = firstLine(hit.text);
  return {
    path: hit.path,
    line_start: hit.lineStart,
    line_end: hit.lineEnd,
    ...(!tight && { language: hit.language }),
    ...(signature !== "" && { signature: escapeUnseen(cutAtCharacter(signature, MAX_SIGNATURE_CHARS)) }),
    ...score,
  };
}

function firstLine(text: string): string {
  return text.trim().split("\n")[0] ?? "";
}

/** Large types are shown around what was found in them. */
async function itemBody(hit: SearchHit, budget: number, reading: Reading): Promise<Fields> {
  const whole = (hit.symbol && (await reading.body(hit.symbol))) || hit.text;
  const room = Math.max(SHORTEST_BODY_TOKENS, Math.floor(budget * BODY_SHARE));
  if (estimateTokens(whole) <= room) return { body: escapeUnseen(whole) };
  const { text } = cutToTokens(hit.type === "snippet" ? hit.text : whole, room);
  return { body: escapeUnseen(text), body_truncated: true };
}
