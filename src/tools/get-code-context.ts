import { z } from "zod";
import type { Reading } from "../compass/compass.ts";
import type { SearchAnswer, SearchHit } from "../model/search.ts";
import { cutAtCharacter, cutToTokens, escapeUnseen } from "../text/snippet.ts";
import { estimateTokens } from "../text/tokens.ts";
import { defineTool, type Fields, VIEW_ERRORS } from "./define.ts";
import * as fields from "./input.ts";
import { contextLines } from "./text/layouts.ts";
import { metadataSchema, nextActionsSchema } from "./wire/metadata.ts";
import { roundScore } from "./wire/result.ts";

const STRATEGIES = ["breadth", "depth"] as const;
type Strategy = (typeof STRATEGIES)[number];
const DEFAULT_TOKENS = 4_000;
/** Maximum results to consider: as many as a budget could show. */
const MOST_ITEMS = { breadth: 200, depth: 40 } as const;
const LEAST_ITEM_TOKENS = { breadth: 40, depth: 100 } as const;
/** One body takes at most this part of the budget; what it loses is marked. */
const BODY_SHARE = 0.6;
const SHORTEST_BODY_TOKENS = 60;
const MAX_SIGNATURE_CHARS = 200;
/** Below this, the envelope takes most of the budget, so items are reduced to name and location. */
const TIGHT_TOKENS = 400;

export default defineTool({
  name: "get_code_context",
  title: "Collect the relevant code within a token budget",
  description:
    "Use instead of grep and reading files one by one to collect the code for a task: ranks like search_code and " +
    "packs as much as fits into max_tokens. breadth returns many signatures without bodies; depth returns the " +
    "full bodies of the best few. The response never exceeds the budget; metadata says how many candidates are " +
    "left.",
  source: "view",
  access: "read",
  input: () =>
    z.object({
      query: fields.query.describe("A question, a name or a path, as for search_code."),
      max_tokens: z
        .int()
        .min(1, "must be at least 1")
        .default(DEFAULT_TOKENS)
        .describe(`Token budget of the whole response. Default: ${DEFAULT_TOKENS}.`),
      strategy: z
        .enum(STRATEGIES)
        .default("breadth")
        .describe("breadth: many signatures; depth: few whole bodies. Default: breadth."),
      language: fields.language,
      path: fields.path.optional().describe("Only in this file or directory, relative to the workspace."),
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

  async run(input, { reading }) {
    const { strategy, max_tokens: budget } = input;
    const limit = Math.min(MOST_ITEMS[strategy], Math.max(5, Math.ceil(budget / LEAST_ITEM_TOKENS[strategy])));
    const answer = await reading.search({
      query: input.query,
      limit,
      brief: true,
      ...fields.languageFilter(input.language),
      ...(input.path !== undefined && { under: input.path }),
    });
    const items = await contextItems(answer, strategy, budget, reading);
    return {
      body: {},
      completeness: answer.completeness,
      list: {
        length: items.length,
        show: (kept) => shown(items.slice(0, kept), items.length, strategy, answer.totalCandidates),
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

/** Each symbol once, however many of its lines were found. */
async function contextItems(
  { hits }: SearchAnswer,
  strategy: Strategy,
  budget: number,
  reading: Reading,
): Promise<Fields[]> {
  const items: Fields[] = [];
  const seen = new Set<string>();
  for (const hit of hits) {
    const key = hit.symbol?.symbolId ?? `${hit.path}:${hit.lineStart}`;
    if (seen.has(key)) continue;
    seen.add(key);
    items.push({
      ...itemHead(hit, { tight: budget < TIGHT_TOKENS }),
      ...(strategy === "depth" && (await itemBody(hit, budget, reading))),
    });
  }
  return items;
}

function itemHead(hit: SearchHit, { tight }: { readonly tight: boolean }): Fields {
  const { symbol } = hit;
  const span = symbol?.symbol.span ?? hit;
  const signature = symbol?.symbol.signature ?? (symbol === undefined ? firstLine(hit.text) : "");
  return {
    ...(symbol !== undefined && {
      ...(!tight && { symbol_id: symbol.symbolId, name: symbol.symbol.name }),
      kind: symbol.symbol.kind,
      qualified_name: symbol.symbol.qualifiedName,
    }),
    path: hit.path,
    line_start: span.lineStart,
    line_end: span.lineEnd,
    ...(!tight && { language: hit.language, score: roundScore(hit.score) }),
    ...(signature !== "" && { signature: escapeUnseen(cutAtCharacter(signature, MAX_SIGNATURE_CHARS)) }),
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
