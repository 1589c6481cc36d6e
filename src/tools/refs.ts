/** list_refs and switch_ref. */
import { z } from "zod";
import type { RefStatus } from "../compass/compass.ts";
import { defineTool, truncatableList } from "./define.ts";
import * as fields from "./input.ts";
import { isoTime } from "./wire/job.ts";
import { metadataSchema, nextActionsSchema } from "./wire/metadata.ts";

const row = () =>
  z.object({
    ref: z.string(),
    is_default: z.boolean(),
    last_indexed_commit: z.string().nullable(),
    merge_base_commit: z.string().nullable().describe("Merge base with the default branch."),
    file_count: z.int().describe("Default ref: all files. Other refs: the files the ref changed."),
    symbol_count: z.int(),
    status: z.enum(["active", "stale", "syncing", "gone"]).describe("gone: the repository no longer has this ref."),
    last_accessed_at: z.string(),
  });

export const listRefs = defineTool({
  name: "list_refs",
  title: "List the indexed refs",
  description:
    "Use to see which branches, tags and commits are indexed, instead of checking them out to grep. Any other " +
    "ref can be passed as ref too: it is indexed from git objects. Example: {}.",
  source: "project",
  access: "read",
  input: () => z.object({ workspace: fields.workspace, max_tokens: fields.maxTokens }),
  output: () =>
    z.object({
      refs: z.array(row()),
      total_refs: z.int(),
      vcs_mode: z.boolean(),
      suggested_next_actions: nextActionsSchema(),
      metadata: metadataSchema(),
    }),
  errors: ["index_incompatible"],
  example: {},

  async run(_, { compass, project }) {
    const refs = (await compass.refs(project)).map(refFields);
    const { viewStatus } = await compass.status(project);
    return {
      viewStatus,
      body: { total_refs: refs.length, vcs_mode: project.vcs },
      list: truncatableList("refs", refs, { suggestion: "Ask with a larger max_tokens." }),
    };
  },
});

function refFields(it: RefStatus) {
  return {
    ref: it.ref,
    is_default: it.isDefault,
    last_indexed_commit: it.lastIndexedCommit ?? null,
    merge_base_commit: it.mergeBase ?? null,
    file_count: it.fileCount,
    symbol_count: it.symbolCount,
    status: it.status,
    last_accessed_at: isoTime(it.lastAccessedAt),
  };
}

const GUIDANCE = "This caller has no session to remember the ref in: pass `ref` with every call instead.";

export const switchRef = defineTool({
  name: "switch_ref",
  title: "Switch this session to another ref",
  description:
    "Use for several queries about a branch that is not checked out, instead of checking it out to grep it: " +
    "later calls of this session without ref use it. ensure_worktree also writes its files to a directory. " +
    'Example: {"ref": "feat/auth"}.',
  source: "project",
  access: "session",
  input: () =>
    z.object({
      ref: fields.ref.unwrap().describe("Branch, tag or commit to switch to."),
      ensure_worktree: z
        .boolean()
        .default(false)
        .describe("Also check the ref out into a directory of its own and return its path."),
      workspace: fields.workspace,
    }),
  output: () =>
    z.object({
      ref: z.string(),
      previous_ref: z.string(),
      worktree_path: z.string().optional().describe("Directory where the ref is checked out, if any."),
      status: z.enum(["active", "no_session"]),
      last_indexed_commit: z.string().nullable(),
      metadata: metadataSchema(),
    }),
  errors: ["ref_not_indexed", "overlay_not_ready", "index_incompatible"],
  example: { ref: "feat/auth" },

  async run(input, { compass, project, session }) {
    const switched = await compass.switchRef(project, {
      ref: input.ref,
      ensureWorktree: input.ensure_worktree,
      ...(session !== undefined && { session }),
    });
    const { ref, previousRef, worktreePath, lastIndexedCommit } = switched;
    return {
      viewStatus: switched.viewStatus,
      ...(!switched.switched && { warnings: [GUIDANCE] }),
      body: {
        ref,
        previous_ref: previousRef,
        ...(worktreePath !== undefined && { worktree_path: worktreePath }),
        status: switched.switched ? "active" : "no_session",
        last_indexed_commit: lastIndexedCommit ?? null,
      },
    };
  },
});
