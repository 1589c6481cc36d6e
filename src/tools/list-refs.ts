import { z } from "zod";
import type { RefStatus } from "../compass/compass.ts";
import { defineTool } from "./define.ts";
import * as fields from "./fields.ts";
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

export default defineTool({
  name: "list_refs",
  title: "List the indexed refs",
  description:
    "Use to see which branches, tags and commits are indexed, instead of checking them out to grep. Any other ref " +
    "can be passed as `ref` to every tool too: it is then indexed from git objects, without touching the " +
    "checkout. Outside version control there is one ref, `live`.",
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
      list: {
        length: refs.length,
        show: (kept) => ({ body: { refs: refs.slice(0, kept) } }),
        continuation: () => [],
        suggestion: "Ask with a larger max_tokens.",
      },
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
