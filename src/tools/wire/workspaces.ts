/** Which workspaces an answer about several speaks for, on the wire. */
import { z } from "zod";
import type { MultiRepoReport } from "../../model/multi-repository.ts";
import { FRESHNESS } from "../../model/status.ts";
import type { Fields } from "../define.ts";

/** Ten thousand names would be an answer of their own. */
const MOST_NAMED = 20;

export const workspacesSchema = () =>
  z.object({
    selected: z.int(),
    searched: z.int(),
    passed_over: z
      .int()
      .optional()
      .describe("Not searched: the index shows that they lack the words, or that others match better."),
    answered: z
      .array(
        z.object({
          workspace: z.string(),
          ref: z.string(),
          commit: z.string().optional(),
          freshness_status: z.enum(FRESHNESS),
        }),
      )
      .optional()
      .describe("Workspaces that results come from."),
    late: z.array(z.string()).optional(),
    late_count: z.int().optional(),
    failed: z.array(z.object({ workspace: z.string(), code: z.string(), message: z.string() })).optional(),
    failed_count: z.int().optional(),
    not_indexed: z.array(z.string()).optional(),
    not_indexed_count: z.int().optional(),
  });

export function workspaceFields(report: MultiRepoReport): Fields {
  return {
    selected: report.selected,
    searched: report.searched,
    ...(report.passedOver > 0 && { passed_over: report.passedOver }),
    ...listed(
      "answered",
      report.answered.map(({ freshness, ...rest }) => ({ ...rest, freshness_status: freshness })),
    ),
    ...counted("late", report.late),
    ...counted("failed", report.failed),
    ...counted("not_indexed", report.notIndexed),
  };
}

function listed(name: string, all: readonly unknown[]): Fields {
  return all.length === 0 ? {} : { [name]: all };
}

function counted(name: string, all: readonly unknown[]): Fields {
  if (all.length === 0) return {};
  return { [name]: all.slice(0, MOST_NAMED), [`${name}_count`]: all.length };
}
