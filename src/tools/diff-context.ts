import { z } from "zod";
import type { Compass, Diff, Project } from "../compass/compass.ts";
import { type DiffRequest, type SymbolChange, signatureChanged, WORKTREE } from "../model/changes.ts";
import { CompassError } from "../model/errors.ts";
import { FORMATS } from "../model/status.ts";
import { defineTool, type NextAction, type TruncatableList } from "./define.ts";
import * as fields from "./input.ts";
import { changeLines } from "./text/layouts.ts";
import { type AffectedWithWarnings, findAffected, isNotCode, isPublic } from "./wire/affected.ts";
import { changeFields, changeSchema, fileChangeFields, fileChangeSchema, treePath } from "./wire/change.ts";
import { metadataSchema, nextActionsSchema } from "./wire/metadata.ts";
import { callerSchema, packed, packFields, packItems, packMarkdown, testSchema } from "./wire/review-pack.ts";

const DEFAULT_LIMIT = 50;

export default defineTool({
  name: "diff_context",
  title: "List the symbols that changed between two refs",
  description:
    "Use to review a branch or uncommitted work (head_ref worktree), instead of reading a line diff: returns " +
    'added, modified and deleted symbols, most important first, against the merge base. Example: {"base_ref": ' +
    '"main"}.',
  source: "project",
  access: "read",
  input: () =>
    z.object({
      base_ref: fields.ref.describe("Compare with. Default: the default branch."),
      head_ref: fields.ref.describe("Ref, or worktree for the files on disk. Default: HEAD."),
      path_filter: fields.path.optional().describe("Only in this file or directory."),
      limit: fields.limit(DEFAULT_LIMIT),
      max_tokens: fields.maxTokens,
      pack: z
        .int()
        .min(1, "must be at least 1")
        .optional()
        .describe("Token budget of a review pack: code, callers and likely tests too."),
      format: z
        .enum([...FORMATS, "markdown"])
        .optional()
        .describe("markdown: a pack as a pull-request comment."),
      workspace: fields.workspace,
    }),
  output: () =>
    z.object({
      base_ref: z.string(),
      head_ref: z.string(),
      merge_base_commit: z.string(),
      affected_files: z.int(),
      changes: z.array(changeSchema()).optional(),
      file_changes: z.array(fileChangeSchema()).optional(),
      callers: z.array(callerSchema()).optional(),
      total_callers: z.int().optional(),
      likely_tests: z.array(testSchema()).optional(),
      markdown: z.string().optional(),
      total_changes: z.int(),
      truncated: z.boolean(),
      suggested_next_actions: nextActionsSchema(),
      metadata: metadataSchema(),
    }),
  text: changeLines,
  errors: ["ref_not_indexed", "merge_base_failed"],
  example: { base_ref: "main", head_ref: "feat/oauth2" },

  async run(input, { compass, project, signal, session }) {
    const switchedTo = session === undefined ? undefined : compass.sessionRef(project, session);
    if (input.format === "markdown" && input.pack === undefined) throw formatWithoutPack();
    const diff = await compass.diff(
      project,
      diffRequest({ ...input, head_ref: input.head_ref ?? switchedTo }, project),
      signal,
    );
    const body = {
      base_ref: diff.baseRef,
      head_ref: diff.headRef,
      merge_base_commit: diff.mergeBase,
      affected_files: diff.files.length,
    };
    const partial = diff.warnings.length > 0 ? ("partial" as const) : ("complete" as const);
    if (input.pack !== undefined) {
      const around = await findAffected(diff, compass, project, signal);
      const warnings = [...diff.viewStatus.warnings, ...around.warnings];
      return {
        body,
        viewStatus: { ...diff.viewStatus, warnings },
        completeness: partial,
        list: await packList(diff, around, {
          budget: input.pack,
          limit: input.limit,
          format: input.format === "markdown" ? "markdown" : "json",
        }),
      };
    }
    const cut = diff.changes.length > input.limit;
    return {
      body,
      viewStatus: diff.viewStatus,
      completeness: cut ? "truncated" : partial,
      list: changeList(cut ? await byImportance(diff, compass, project, signal) : diff, input.limit, input.path_filter),
      next: next(diff),
    };
  },
});

interface DiffInput {
  readonly base_ref?: string | undefined;
  readonly head_ref?: string | undefined;
  readonly path_filter?: string | undefined;
}

function diffRequest({ base_ref, head_ref, path_filter }: DiffInput, project: Project): DiffRequest {
  return {
    ...(base_ref !== undefined && { baseRef: base_ref }),
    ...(head_ref !== undefined && { headRef: head_ref }),
    ...(path_filter !== undefined && { pathFilter: treePath("path_filter", path_filter, project) }),
  };
}

function formatWithoutPack(): CompassError {
  const reason = "format markdown is the form of a pack: pass pack, its token budget, as well";
  return new CompassError("invalid_input", { parameter: "format", reason });
}

/** Symbols whose users are counted. */
const MOST_COUNTED = 40;
/** So many users make a symbol as important as its being public. */
const MANY_USERS = 10;

/** What a limit cuts is the least important: private, in tests, with an unchanged signature, used by few. */
async function byImportance(
  diff: Diff,
  compass: Compass,
  project: Project,
  signal: AbortSignal | undefined,
): Promise<Diff> {
  const changes = diff.changes.toSorted((a, b) => importance(b) - importance(a));
  const first = changes.slice(0, MOST_COUNTED);
  const { callers } = await findAffected({ ...diff, changes: first }, compass, project, signal, { everyUser: true });
  const users = Map.groupBy(callers, ({ of }) => of);
  const usedBy = (change: SymbolChange) =>
    Math.min(1, (users.get((change.after ?? change.before)!.symbol.qualifiedName)?.length ?? 0) / MANY_USERS);
  return { ...diff, changes: changes.toSorted((a, b) => importance(b) + usedBy(b) - importance(a) - usedBy(a)) };
}

function importance(change: SymbolChange): number {
  const { symbol, path } = (change.after ?? change.before)!;
  return (
    (signatureChanged(change) ? 1 : 0) +
    (isPublic(symbol) ? 1 : 0) +
    (change.change === "deleted" ? 0.5 : 0) -
    (isNotCode(path) ? 2 : 0) -
    (symbol.kind === "heading" || symbol.kind === "use" ? 3 : 0) -
    (symbol.kind === "field" || symbol.kind === "var" ? 0.5 : 0)
  );
}

interface PackOptions {
  readonly budget: number;
  readonly limit: number;
  readonly format: "json" | "markdown";
}

async function packList(
  diff: Diff,
  around: AffectedWithWarnings,
  { budget, limit, format }: PackOptions,
): Promise<TruncatableList> {
  const pieces = await packItems(diff, around, limit, budget);
  return {
    length: pieces.length,
    show: (kept) => {
      const pack = packed(pieces.slice(0, kept));
      const counts = {
        total_changes: diff.changes.length,
        total_callers: around.totalCallers,
        truncated: pack.changes.length < diff.changes.length,
      };
      if (format === "json") return { body: { ...packFields(pack), ...counts } };
      return { body: { markdown: packMarkdown(diff, pack, around), ...counts } };
    },
    continuation: () => [],
    suggestion: "Raise pack, or narrow the comparison with path_filter.",
  };
}

/** Symbols first: when not all fits, the list of files is the part that the caller can get from git. */
function changeList(diff: Diff, limit: number, pathFilter: string | undefined): TruncatableList {
  const changes = diff.changes.slice(0, limit).map(changeFields);
  const files = diff.files.map(fileChangeFields);
  const again = { tool: "diff_context", base_ref: diff.baseRef, head_ref: diff.headRef };
  return {
    length: changes.length + files.length,
    show: (kept) => ({
      body: {
        changes: changes.slice(0, kept),
        file_changes: files.slice(0, Math.max(0, kept - changes.length)),
        total_changes: diff.changes.length,
        truncated: Math.min(kept, changes.length) < diff.changes.length,
      },
    }),
    continuation: (kept) => [
      { ...again, limit: Math.max(1, Math.min(kept, changes.length)), ...(pathFilter && { path_filter: pathFilter }) },
    ],
    suggestion: "Ask for one directory at a time with path_filter.",
  };
}

/** Nothing between the two: most often the work is not committed yet. */
function next({ changes, files, baseRef, headRef }: Diff): NextAction[] {
  if (changes.length + files.length > 0 || headRef === WORKTREE) return [];
  return [{ tool: "diff_context", base_ref: baseRef, head_ref: WORKTREE }];
}
