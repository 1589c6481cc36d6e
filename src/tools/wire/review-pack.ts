/**
 * A change for a reviewer within a token budget: changed symbols with code, their users, and likely tests. Items are
 * in order of priority; `fit.ts` keeps as many of the first as fit.
 */
import { z } from "zod";
import type { Diff } from "../../compass/compass.ts";
import { type SymbolChange, signatureChanged } from "../../model/changes.ts";
import { RESOLUTIONS } from "../../model/edges.ts";
import { inTurns } from "../../model/event-loop.ts";
import type { AffectedCode, CallSite, ChangedSymbol, LikelyTest } from "../../model/navigation.ts";
import { lineDiff } from "../../text/line-diff.ts";
import { estimateTokens } from "../../text/tokens.ts";
import type { Fields } from "../define.ts";
import { changeFields } from "./change.ts";

export const callerSchema = () =>
  z.object({
    of: z.string(),
    path: z.string(),
    line_start: z.int(),
    context: z.string(),
    from_symbol: z.string().optional(),
    resolution: z.enum(RESOLUTIONS),
  });

export const testSchema = () =>
  z.object({
    path: z.string(),
    reason: z.enum(["changed", "uses", "named_alike", "reaches", "imports", "name_only"]),
    uses: z.array(z.string()).optional().describe("What changed and is used or reached there."),
    distance: z.int().optional().describe("Steps through the call graph from what changed."),
  });

interface PackContent {
  readonly changes: readonly { readonly change: SymbolChange; readonly code?: string }[];
  readonly callers: readonly CallSite[];
  readonly tests: readonly LikelyTest[];
}

type PackItem =
  | { readonly change: SymbolChange }
  | { readonly codeOf: SymbolChange; readonly code: string }
  | { readonly caller: CallSite }
  | { readonly test: LikelyTest };

/** Parts of the budget that the first symbols, their users and the tests may take before code is shown. */
const SHARE = { changes: 0.4, callers: 0.2, tests: 0.1 } as const;
/** One symbol's code takes at most this part. */
const CODE_SHARE = 0.2;
/** Tokens of a response without its lists. */
const ENVELOPE_TOKENS = 250;

/** The symbols whose users and tests are looked up. */
export function changedSymbols(diff: Diff): ChangedSymbol[] {
  return diff.changes
    .filter((change) => (change.after ?? change.before)!.symbol.kind !== "heading")
    .map((change) => {
      const { symbol, path, symbolId } = (change.after ?? change.before)!;
      const { name, qualifiedName } = symbol;
      const id = change.after === undefined ? {} : { symbolId };
      return { ...id, name, qualifiedName, path, signature: signatureChanged(change) };
    });
}

export async function packItems(diff: Diff, around: AffectedCode, limit: number, budget: number): Promise<PackItem[]> {
  const room = Math.max(0, budget - ENVELOPE_TOKENS);
  const worths = await inTurns(diff.changes, (change) => priority(change, diff));
  const worth = new Map(diff.changes.map((change, at) => [change, worths[at]!]));
  const sorted = [...diff.changes].sort((a, b) => worth.get(b)! - worth.get(a)!).slice(0, limit);
  const changes = sorted.map((change): PackItem => ({ change }));
  const codes = await inTurns(sorted, (change): PackItem[] => {
    const code = changedCode(change, diff, room * CODE_SHARE);
    return code === "" ? [] : [{ codeOf: change, code }];
  });
  const callers = around.callers.map((caller): PackItem => ({ caller }));
  const tests = around.tests.map((test): PackItem => ({ test }));
  const heads = within(changes, room * SHARE.changes);
  const first = [
    ...heads,
    ...within(tests, room * SHARE.tests),
    ...within(callers, room * SHARE.callers),
    ...codes
      .flat()
      .filter((piece) => "codeOf" in piece && heads.some((it) => "change" in it && it.change === piece.codeOf)),
  ];
  const shown = new Set(first);
  return [...first, ...[...changes, ...callers, ...tests, ...codes.flat()].filter((piece) => !shown.has(piece))];
}

/** A signature that changed is what others have to know of; in what only moved there is nothing to review. */
function priority(change: SymbolChange, { textOf }: Diff): number {
  const { before, after, renamedFrom } = change;
  if (before === undefined || after === undefined) return 1;
  if (signatureChanged(change)) return 2;
  return renamedFrom !== undefined && textOf(before, "before") === textOf(after, "after") ? 0 : 1;
}

function within(pieces: readonly PackItem[], tokens: number): PackItem[] {
  let left = tokens;
  return pieces.filter((piece) => {
    left -= estimateTokens(JSON.stringify(itemFields(piece)));
    return left >= 0;
  });
}

function itemFields(piece: PackItem): Fields {
  if ("change" in piece) return slim(piece.change);
  if ("caller" in piece) return callerFields(piece.caller);
  return "test" in piece ? testFields(piece.test) : { code: piece.code };
}

/** The first pieces, put together again. */
export function packed(pieces: readonly PackItem[]): PackContent {
  const codes = new Map(pieces.flatMap((piece) => ("codeOf" in piece ? [[piece.codeOf, piece.code] as const] : [])));
  return {
    changes: pieces.flatMap((piece) => {
      if (!("change" in piece)) return [];
      const code = codes.get(piece.change);
      return [{ change: piece.change, ...(code !== undefined && { code }) }];
    }),
    callers: pieces.flatMap((piece) => ("caller" in piece ? [piece.caller] : [])),
    tests: pieces.flatMap((piece) => ("test" in piece ? [piece.test] : [])),
  };
}

export function packFields({ changes, callers, tests }: PackContent): Fields {
  return {
    changes: changes.map(({ change, code }) => ({ ...slim(change), ...(code !== undefined && { code }) })),
    callers: callers.map(callerFields),
    likely_tests: tests.map(testFields),
  };
}

/** Stable ids are long, and a reviewer does not need them. */
function slim(change: SymbolChange): Fields {
  const { before, after, ...rest } = changeFields(change);
  return { ...rest, before: withoutStableId(before), after: withoutStableId(after) };
}

function withoutStableId(side: unknown): Fields | null {
  if (side === null) return null;
  const { symbol_stable_id: _, ...rest } = side as Record<string, unknown>;
  return rest;
}

function callerFields({ of, path, line, context, from, resolution }: CallSite): Fields {
  return {
    of,
    path,
    line_start: line,
    context: context.slice(0, 200).toWellFormed(),
    ...(from !== undefined && { from_symbol: from }),
    resolution,
  };
}

export function testFields({ path, reason, uses, distance }: LikelyTest): Fields {
  return {
    path,
    reason,
    ...(uses.length > 0 && { uses: uses.slice(0, 5) }),
    ...(distance !== undefined && { distance }),
  };
}

/** Before and after as one; of what is gone, the signature is enough. */
function changedCode(change: SymbolChange, diff: Diff, tokens: number): string {
  if (change.after === undefined) return "";
  const after = diff.textOf(change.after, "after");
  const before = change.before === undefined ? "" : diff.textOf(change.before, "before");
  const code =
    change.before === undefined
      ? after
          .split("\n")
          .map((line) => `+${line}`)
          .join("\n")
      : lineDiff(before, after);
  return cutLines(code, tokens);
}

function cutLines(code: string, tokens: number): string {
  if (estimateTokens(code) <= tokens) return code;
  const kept: string[] = [];
  let left = tokens;
  for (const line of code.split("\n")) {
    left -= estimateTokens(`${line}\n`);
    if (left < 0) break;
    kept.push(line);
  }
  return kept.length === 0 ? "" : [...kept, "@@ cut"].join("\n");
}

interface PackSummary {
  readonly totalCallers: number;
  /** What could not be checked. */
  readonly warnings: readonly string[];
}

export function packMarkdown(diff: Diff, { changes, callers, tests }: PackContent, around: PackSummary): string {
  const left = diff.changes.length - changes.length;
  return [
    `### Symbols changed: ${inlineCode(`${diff.baseRef}...${diff.headRef}`)}`,
    `${count(diff.files.length, "file")}, ${count(diff.changes.length, "symbol")} since ${inlineCode(diff.mergeBase.slice(0, 12))}`,
    ...changes.map(({ change, code }) => changeText(change, code)),
    ...(left > 0 ? [`… and ${count(left, "more symbol")}.`] : []),
    ...callersText(callers, around.totalCallers),
    ...testsText(tests),
    ...[...diff.warnings, ...around.warnings].map((warning) => `> ${inlineCode(warning)}`),
  ].join("\n\n");
}

function changeText(change: SymbolChange, patch: string | undefined): string {
  const shown = (change.after ?? change.before)!;
  const { kind, qualifiedName, span } = shown.symbol;
  const from = change.renamedFrom === undefined ? "" : `, was ${inlineCode(change.renamedFrom)}`;
  const place = inlineCode(`${shown.path}:${span.lineStart}`);
  const head = `- **${change.change}** ${kind} ${inlineCode(qualifiedName)} in ${place}${from}`;
  const body = patch ?? signatures(change);
  return body === "" ? head : `${head}\n\n${indented(fenced(body))}`;
}

function signatures({ before, after }: SymbolChange): string {
  const [old, now] = [before?.symbol.signature, after?.symbol.signature];
  if (old === now) return "";
  return [...(old === undefined ? [] : [`-${old}`]), ...(now === undefined ? [] : [`+${now}`])].join("\n");
}

function callersText(callers: readonly CallSite[], total: number): string[] {
  if (callers.length === 0) return [];
  const lines = callers.map(({ of, path, line, context, from, resolution }) => {
    const unsure = resolution === "name_only" ? " (by name only)" : "";
    const inside = from === undefined ? "" : ` in ${inlineCode(from)}`;
    return `- ${inlineCode(of)} at ${inlineCode(`${path}:${line}`)}${inside}${unsure}: ${inlineCode(context.slice(0, 160))}`;
  });
  const shown = callers.length < total ? ` (${callers.length} of ${total})` : "";
  return [`#### Uses of changed signatures${shown}`, lines.join("\n")];
}

const REASONS: Readonly<Record<LikelyTest["reason"], string>> = {
  changed: "changed here",
  named_alike: "named after a changed file",
  uses: "uses",
  reaches: "reaches",
  imports: "imports the file of",
  name_only: "only shares the name",
};

function testsText(tests: readonly LikelyTest[]): string[] {
  if (tests.length === 0) return [];
  const lines = tests.map(({ path, reason, uses }) => {
    const names = uses.slice(0, 5).map(inlineCode).join(", ");
    return `- ${inlineCode(path)}: ${REASONS[reason]}${reason !== "changed" && reason !== "named_alike" ? ` ${names}` : ""}`;
  });
  return ["#### Likely tests", lines.join("\n")];
}

/** Inline code of Markdown, with a fence as long as the backticks inside need. */
export function inlineCode(text: string): string {
  const flat = text.replace(/\s+/g, " ").trim();
  const longest = Math.max(0, ...(flat.match(/`+/g) ?? []).map((run) => run.length));
  const tick = "`".repeat(longest + 1);
  return longest === 0 ? `${tick}${flat}${tick}` : `${tick} ${flat} ${tick}`;
}

function fenced(patch: string): string {
  const longest = Math.max(2, ...(patch.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}diff\n${patch}\n${fence}`;
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, "  ");
}

function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? "" : "s"}`;
}
