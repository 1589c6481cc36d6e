import { z } from "zod";
import { defineTool } from "./define.ts";
import * as fields from "./fields.ts";
import { metadataSchema } from "./wire/metadata.ts";

const GUIDANCE = "This caller has no session to remember the ref in: pass `ref` with every call instead.";

export default defineTool({
  name: "switch_ref",
  title: "Switch this session to another ref",
  description:
    "Use for several queries about a branch that is not checked out, instead of checking it out to grep it: calls " +
    "of this session without `ref` then use this ref. Other sessions and the checkout are unaffected. A ref that " +
    "is not indexed returns an error: call index_repo with it first. With ensure_worktree its files are written " +
    "to a directory under the data directory, for commands that need them on disk.",
  source: "project",
  access: "session",
  input: () =>
    z.object({
      ref: fields.ref.unwrap().describe("Branch, tag or commit to switch to."),
      ensure_worktree: z
        .boolean()
        .default(false)
        .describe("Also check the ref out into a directory of its own and return its path. Default: false."),
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
