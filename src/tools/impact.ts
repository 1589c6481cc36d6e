import { z } from "zod";
import type { Compass, Project } from "../compass/compass.ts";
import { WORKTREE } from "../model/changes.ts";
import type { AffectedSymbol, ImpactAnswer, ImpactRequest } from "../model/navigation.ts";
import { type DraftAnswer, defineTool, type Fields, type NextAction, VIEW_ERRORS } from "./define.ts";
import * as fields from "./input.ts";
import { impactLines } from "./text/layouts.ts";
import { treePath } from "./wire/change.ts";
import { metadataSchema, nextActionsSchema } from "./wire/metadata.ts";
import { changedSymbols, testFields, testSchema } from "./wire/review-pack.ts";
import {
  candidateDraft,
  forEachCandidate,
  gapFields,
  SHOWN_KINDS,
  SHOWN_RESOLUTIONS,
  shortLine,
  slimNodeFields,
  slimNodeShape,
  symbolSelector,
  withGaps,
} from "./wire/symbol.ts";

const MAX_DEPTH = 5;
/** Changed symbols that are named in the answer. */
const MOST_NAMED = 30;
const DEFAULT_LIMIT = 20;

export default defineTool({
  name: "impact",
  title: "Show what a change can break",
  description:
    "Use before or after an edit, instead of grep, to see what it can break: direct and transitive users, " +
    'implementers, and tests to run. Without symbol_name: of the uncommitted changes. Example: {"symbol_name": ' +
    '"validate_token"}.',
  source: "view",
  access: "read",
  input: () =>
    z.object({
      symbol_name: fields.symbolName.optional().describe("Symbol to change. Default: what is uncommitted."),
      path: fields.path.optional().describe("File or directory that defines it, or that changed."),
      symbol_id: fields.symbolId,
      symbol_stable_id: fields.symbolStableId,
      strict_symbol: fields.strictSymbol,
      base_ref: fields.ref.describe("Without symbol_name: changes since. Default: HEAD."),
      depth: z
        .int()
        .min(1, "must be at least 1")
        .max(MAX_DEPTH, `must be at most ${MAX_DEPTH}`)
        .default(2)
        .describe("Maximum distance from the change."),
      ref: fields.ref,
      limit: fields.limit(DEFAULT_LIMIT),
      ...fields.oneView,
    }),
  output: () => {
    const answer = {
      changed: z.array(
        z.object({
          symbol_id: z.string().optional().describe("Absent for a deleted symbol."),
          qualified_name: z.string(),
          path: z.string(),
          centrality: z
            .number()
            .describe("How much of the project depends on it, from 0 (nothing) to 1 (the most), by imports and uses."),
        }),
      ),
      total_changed: z.int(),
      affected: z.array(
        z.object({
          ...slimNodeShape(),
          line_start: z.int().describe("Line of the use."),
          context: z.string().describe("The source line, trimmed."),
          uses: z.string().describe("Qualified name of the used symbol."),
          edge_type: z.enum(SHOWN_KINDS),
          resolution: z.enum(SHOWN_RESOLUTIONS),
          possible: z.boolean().optional().describe("The use means a base or an override; it may reach what changed."),
          beyond_connection: z.boolean().optional().describe("Reached only through a connection; not certain."),
          distance: z.int(),
        }),
      ),
      total_affected: z.int(),
      possible_affected: z.int().optional().describe("Of the total: through a base or an override, not certain."),
      likely_tests: z.array(testSchema()),
    };
    return z.object({
      ...answer,
      candidates: z.array(z.object(answer)).optional().describe("Of an ambiguous name: an answer for each symbol."),
      candidate_count: z.int().optional(),
      suggested_next_actions: nextActionsSchema(),
      metadata: metadataSchema(),
    });
  },
  text: impactLines,
  errors: [...VIEW_ERRORS, "symbol_not_found", "ambiguous_symbol", "no_edges_available", "merge_base_failed"],
  example: { symbol_name: "validate_token", depth: 2, max_tokens: 2000 },

  async run(input, { reading, compass, project, signal }) {
    const { depth, limit, symbol_name, symbol_id, symbol_stable_id } = input;
    const named = symbol_name ?? symbol_id ?? symbol_stable_id;
    const none = { changed: [], paths: [], depth, limit };
    const { answers, count } =
      named === undefined
        ? { answers: [await reading.impact(await fromWorktree(compass, project, input, none, signal))] }
        : await forEachCandidate(input, symbolSelector({ ...input, symbol_name: symbol_name ?? "" }), (symbol) =>
            reading.impact({ ...none, symbol }),
          );
    if (count !== undefined) return draftOfEach(answers, { count, limit });
    const answer = answers[0]!;
    // The first tests are changed themselves, or use what changed; the rest reach it somehow.
    const pieces = inPriority({ ...answer, tests: answer.tests.slice(0, Math.ceil(limit / 2)) });
    const cut = answer.cut || answer.affected.length < answer.total;
    return {
      body: { total_changed: answer.changed.length, total_affected: answer.total, ...possibleField(answer.possible) },
      completeness: answer.gaps.isPartial ? "partial" : cut ? "truncated" : "complete",
      ...gapFields([answer.gaps]),
      next: moreAffected(input, answer),
      list: {
        length: pieces.length,
        show: (kept) => ({ body: shown(pieces.slice(0, kept)) }),
        continuation: () => nextActions(input, answer),
        suggestion: "Raise max_tokens, ask with depth 1, or for one symbol at a time.",
      },
    };
  },
});

interface ImpactInput extends ComparisonInput {
  readonly symbol_name?: string | undefined;
  readonly symbol_id?: string | undefined;
  readonly symbol_stable_id?: string | undefined;
  readonly depth: number;
}

interface ComparisonInput {
  readonly base_ref?: string | undefined;
  readonly path?: string | undefined;
}

async function fromWorktree(
  compass: Compass,
  project: Project,
  { base_ref, path }: ComparisonInput,
  none: ImpactRequest,
  signal: AbortSignal | undefined,
): Promise<ImpactRequest> {
  const only = path === undefined ? {} : { pathFilter: treePath("path", path, project) };
  const ask = { baseRef: base_ref ?? "HEAD", headRef: WORKTREE, ...only };
  const diff = await compass.diff(project, ask, signal);
  return { ...none, changed: changedSymbols(diff), paths: diff.files.map((file) => file.path) };
}

/** An answer for each symbol of the name, the one with the most users first; they share the limit. */
function draftOfEach(
  answers: readonly ImpactAnswer[],
  { count, limit }: { count: number; limit: number },
): DraftAnswer {
  const best = answers.toSorted((a, b) => b.total - a.total);
  const share = Math.max(1, Math.ceil(limit / best.length));
  const candidates = best.map((one) => ({
    total_changed: one.changed.length,
    total_affected: one.total,
    ...possibleField(one.possible),
    ...shown(inPriority({ ...one, affected: one.affected.slice(0, share), tests: one.tests.slice(0, FEW) })),
  }));
  const total = best.reduce((sum, one) => sum + one.total, 0);
  const cut = answers.length < count || best.some((one) => one.cut || one.total > share);
  const draft = candidateDraft(candidates, count, cut, {
    changed: [],
    affected: [],
    likely_tests: [],
    total_changed: count,
    total_affected: total,
    ...possibleField(best.reduce((sum, { possible }) => sum + possible, 0)),
  });
  return withGaps(
    draft,
    best.map(({ gaps }) => gaps),
  );
}

type ImpactItem = { readonly changed: Fields } | { readonly affected: Fields } | { readonly test: Fields };

/** Changes, then some users and tests, then the rest, so that a small budget shows some of each. */
function inPriority({ changed, affected, tests }: ImpactAnswer): ImpactItem[] {
  const names = changed.slice(0, MOST_NAMED).map(
    ({ symbolId, qualifiedName, path, centrality }): ImpactItem => ({
      changed: {
        ...(symbolId !== undefined && { symbol_id: symbolId }),
        qualified_name: qualifiedName,
        path,
        centrality: Number(centrality.toFixed(3)),
      },
    }),
  );
  const rows = affected.map((it): ImpactItem => ({ affected: affectedFields(it) }));
  const runs = tests.map((it): ImpactItem => ({ test: testFields(it) }));
  return [...names, ...rows.slice(0, FEW), ...runs.slice(0, FEW), ...rows.slice(FEW), ...runs.slice(FEW)];
}

const FEW = 5;

function shown(pieces: readonly ImpactItem[]): Fields {
  return {
    changed: pieces.flatMap((piece) => ("changed" in piece ? [piece.changed] : [])),
    affected: pieces.flatMap((piece) => ("affected" in piece ? [piece.affected] : [])),
    likely_tests: pieces.flatMap((piece) => ("test" in piece ? [piece.test] : [])),
  };
}

function possibleField(possible: number): Fields {
  return possible > 0 ? { possible_affected: possible } : {};
}

function affectedFields({
  hit,
  of,
  kind,
  resolution,
  possible,
  beyond,
  path,
  line,
  context,
  distance,
}: AffectedSymbol): Fields {
  return {
    ...slimNodeFields(hit),
    path,
    line_start: line,
    context: shortLine(context),
    uses: of,
    edge_type: kind,
    resolution,
    ...(possible && { possible }),
    ...(beyond && { beyond_connection: true }),
    distance,
  };
}

/** The rest of a list that the limit cut. */
function moreAffected(
  { symbol_name, symbol_id, symbol_stable_id, path, base_ref, depth }: ImpactInput,
  { total, affected }: ImpactAnswer,
): NextAction[] {
  const limit = Math.min(total, fields.MAX_LIMIT);
  if (affected.length >= limit) return [];
  const asked = { symbol_name, symbol_id, symbol_stable_id, path, base_ref };
  const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
  return [{ tool: "impact", ...given, depth, limit }];
}

function nextActions({ depth }: { readonly depth: number }, { changed }: ImpactAnswer): { tool: string }[] {
  const [first] = changed;
  if (first?.symbolId === undefined) return [];
  return [
    { tool: "impact", symbol_name: first.name, symbol_id: first.symbolId, depth: Math.max(1, depth - 1) } as {
      tool: string;
    },
  ];
}
