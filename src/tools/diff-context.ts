import { z } from "zod";
import type { Diff } from "../compass/compass.ts";
import { WORKTREE } from "../model/changes.ts";
import { type Cuttable, defineTool, type NextAction } from "./define.ts";
import * as fields from "./fields.ts";
import { changeOf, changeSchema, fileChangeOf, fileChangeSchema } from "./wire/change.ts";
import { metadataSchema, nextActionsSchema } from "./wire/metadata.ts";

const DEFAULT_LIMIT = 50;

export default defineTool({
  name: "diff_context",
  title: "Symbols that changed between two refs",
  description:
    "Use to review a branch or your own uncommitted work, instead of reading a line diff: returns the functions, types " +
    "and other symbols that were added, modified or deleted, with signatures and lines before and after. Compares the " +
    "merge base of base_ref and head_ref with head_ref, so commits that only base_ref has do not show. Refs are " +
    "branches, tags or commits and need not be indexed; head_ref worktree compares the files on disk. " +
    "A moved or renamed symbol is modified with renamed_from.",
  source: "project",
  access: "read",
  input: () =>
    z.object({
      base_ref: fields.ref.describe("Ref to compare with. Default: the project's default branch."),
      head_ref: fields.ref.describe("Ref to look at, or worktree for the files on disk. Default: HEAD."),
      path_filter: fields.path.optional().describe("Only this file or directory, relative to the workspace root."),
      limit: fields.limit(DEFAULT_LIMIT),
      max_tokens: fields.maxTokens,
      workspace: fields.workspace,
    }),
  output: () =>
    z.object({
      base_ref: z.string(),
      head_ref: z.string(),
      merge_base_commit: z.string(),
      affected_files: z.int(),
      changes: z.array(changeSchema()),
      file_changes: z.array(fileChangeSchema()),
      total_changes: z.int(),
      truncated: z.boolean(),
      suggested_next_actions: nextActionsSchema(),
      metadata: metadataSchema(),
    }),
  errors: ["ref_not_indexed", "merge_base_failed"],
  example: { base_ref: "main", head_ref: "feat/oauth2" },

  async run(input, { compass, project, signal }) {
    const ask = {
      ...(input.base_ref !== undefined && { baseRef: input.base_ref }),
      ...(input.head_ref !== undefined && { headRef: input.head_ref }),
      ...(input.path_filter !== undefined && { pathFilter: input.path_filter }),
    };
    const diff = await compass.diff(project, ask, signal);
    const cut = diff.changes.length > input.limit;
    return {
      body: {
        base_ref: diff.baseRef,
        head_ref: diff.headRef,
        merge_base_commit: diff.mergeBase,
        affected_files: diff.files.length,
      },
      standing: diff.standing,
      completeness: cut ? "truncated" : diff.warnings.length > 0 ? "partial" : "complete",
      list: listOf(diff, input.limit, input.path_filter),
      next: next(diff),
    };
  },
});

/** Symbols first: when not all fits, the list of files is the part that the caller can get from git. */
function listOf(diff: Diff, limit: number, pathFilter: string | undefined): Cuttable {
  const changes = diff.changes.slice(0, limit).map(changeOf);
  const files = diff.files.map(fileChangeOf);
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
