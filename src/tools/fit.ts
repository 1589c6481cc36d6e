/** Assembles an answer within its limits: drops items from the end, and reports how many and how to get them. */
import type { ViewStatus } from "../compass/compass.ts";
import { isLongTurn, nextTurn } from "../model/event-loop.ts";
import type { Completeness } from "../model/status.ts";
import { BUDGET_RESERVE, estimateLineTokens, estimateTokens, LINE_BUDGET_RESERVE } from "../text/tokens.ts";
import type { DraftAnswer, Fields, NextAction } from "./define.ts";
import { compactJson } from "./json.ts";
import { metadataFields } from "./wire/metadata.ts";

export interface ResponseLimits {
  readonly maxBytes: number;
  readonly maxTokens?: number;
  /** How much of an estimate counts; by default for the worst of all answers. */
  readonly reserve?: number;
}

export interface RenderedReply {
  readonly body: Fields;
  /** `body` as it is sent: compact JSON, or lines to read. */
  readonly text: string;
}

interface Answer {
  readonly draft: DraftAnswer;
  readonly viewStatus: ViewStatus;
  readonly warnings: readonly string[];
}

type Write = (body: Fields) => string;

/** The longest prefix of the draft's list that fits both limits. */
export async function fit(
  { draft, viewStatus, warnings }: Answer,
  allowed: ResponseLimits,
  write: Write = compactJson,
): Promise<RenderedReply> {
  const limits = { ...allowed, ...(draft.reserve !== undefined && { reserve: draft.reserve }) };
  const judged = withSymbolGaps(draft, viewStatus);
  const render = (kept: number) => reply(assemble(draft, judged, warnings, kept, limits), write);
  const all = draft.list?.length ?? 0;
  const whole = render(all);
  const room = fitRatio(whole, limits);
  if (room >= 1) return whole;
  const cut = await longestFitting(render, { all, room }, limits);
  if (cut !== undefined) return cut;
  // No item fits with the whole metadata; try with the minimal metadata.
  const lean = (kept: number) => withMinimalMetadata(render(kept), write);
  // A page without items would be asked for again and again. Its cursor is in `pagination` as well.
  const bare = (kept: number) => reply(omit(lean(kept).body, "suggested_next_actions"), write);
  for (const form of [lean, bare]) {
    const some = await longestFitting(form, { all, room }, limits);
    if (some !== undefined) return some;
  }
  return [render(0), lean(0)].find((one) => fitRatio(one, limits) >= 1) ?? bare(0);
}

/** Where symbols are missing, whatever rests on symbols is partial. */
function withSymbolGaps({ needsSymbols }: DraftAnswer, viewStatus: ViewStatus): ViewStatus {
  const { symbolGaps = [], warnings } = viewStatus;
  if (symbolGaps.length === 0 || needsSymbols === false) return viewStatus;
  return { ...viewStatus, complete: false, warnings: [...warnings, ...symbolGaps] };
}

/** Guesses before the interval is halved each time. */
const GUESSES = 8;

/** The reply with as many of the first items as fit, if any do. Items have similar sizes, so two guesses usually suffice. */
async function longestFitting(
  render: (kept: number) => RenderedReply,
  { all, room }: { readonly all: number; readonly room: number },
  limits: ResponseLimits,
): Promise<RenderedReply | undefined> {
  let best: RenderedReply | undefined;
  let [low, high, guess] = [0, all, Math.floor(all * room)];
  for (let tried = 0; high - low > 1; tried++) {
    // A long answer takes ten milliseconds to be drawn.
    if (isLongTurn()) await nextTurn();
    const kept = tried < GUESSES ? Math.min(Math.max(guess, low + 1), high - 1) : (low + high) >> 1;
    const one = render(kept);
    const left = fitRatio(one, limits);
    guess = Math.floor(kept * left);
    if (left < 1) high = kept;
    else [low, best] = [kept, one];
  }
  return best;
}

/** How many times over it would fit: below 1 it does not. */
function fitRatio({ text }: RenderedReply, { maxBytes, maxTokens, reserve }: ResponseLimits): number {
  // Three bytes a unit at most, so most answers need no encoding.
  const bytes = text.length * 3 <= maxBytes ? text.length : new TextEncoder().encode(text).length;
  if (maxTokens === undefined) return maxBytes / bytes;
  const isJson = text.startsWith("{");
  const estimate = isJson ? estimateTokens(text) : estimateLineTokens(text);
  const tokens = estimate * (reserve ?? (isJson ? BUDGET_RESERVE : LINE_BUDGET_RESERVE));
  return Math.min(maxBytes / bytes, maxTokens / tokens);
}

function omit({ ...body }: Record<string, unknown>, name: string): Fields {
  delete body[name];
  return body;
}

function reply(body: Fields, write: Write): RenderedReply {
  return { body, text: write(body) };
}

function assemble(
  draft: DraftAnswer,
  viewStatus: ViewStatus,
  warnings: readonly string[],
  kept: number,
  limits: ResponseLimits,
): Fields {
  const { list } = draft;
  const cut = list !== undefined && kept < list.length;
  const shown = list?.show(kept);
  const next = cut ? [...list.continuation(kept), ...(draft.next ?? [])] : (draft.next ?? []);
  const omitted = { count: (list?.length ?? 0) - kept, suggestion: list?.suggestion ?? "" };
  const metadata = metadataFields(
    withCoverage(draft, viewStatus, cut),
    resultCompleteness(draft, viewStatus, cut),
    warnings,
  );
  return {
    ...shown?.body,
    ...draft.body,
    ...nextFields(next),
    metadata: {
      ...metadata,
      ...(metadata.coverage && { coverage: { ...metadata.coverage, ...reportedGaps(draft) } }),
      ...draft.metadata,
      ...shown?.metadata,
      ...(cut && { omitted }),
      ...(cut && limits.maxTokens === undefined && { safety_limit_applied: true }),
    },
  };
}

/** Coverage is reported only if the answer is empty, partial or about the index itself. */
function withCoverage(draft: DraftAnswer, viewStatus: ViewStatus, cut: boolean): ViewStatus {
  const speaks = draft.list?.length === 0 || cut || !viewStatus.complete || draft.viewStatus !== undefined;
  if (speaks || draft.completeness === "partial") return viewStatus;
  const { coverage: _, ...rest } = viewStatus;
  return rest;
}

/** Only gaps that there are. */
function reportedGaps({ coverage = {} }: DraftAnswer): Fields {
  return Object.fromEntries(Object.entries(coverage).filter(([, gap]) => !Array.isArray(gap) || gap.length > 0));
}

function nextFields(next: readonly NextAction[]): Fields {
  return next.length === 0 ? {} : { suggested_next_actions: next };
}

function resultCompleteness(draft: DraftAnswer, viewStatus: ViewStatus, cut: boolean): Completeness {
  if (cut) return "truncated";
  return viewStatus.complete ? (draft.completeness ?? "complete") : "partial";
}

/** Keeps only the required metadata, for limits smaller than the metadata itself. */
function withMinimalMetadata(best: RenderedReply, write: Write): RenderedReply {
  const { metadata, suggested_next_actions: next, ...body } = best.body as Record<string, Fields>;
  const { coverage: _, warnings: __, ranking_reasons: ___, ...core } = metadata ?? {};
  const [first] = (next as unknown as readonly NextAction[] | undefined) ?? [];
  return reply({ ...body, ...nextFields(first === undefined ? [] : [first]), metadata: core }, write);
}
