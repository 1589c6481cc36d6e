/** The metadata every response carries: how far the answer can be trusted. */
import { z } from "zod";
import type { ViewStatus } from "../../compass/compass.ts";
import type { Coverage } from "../../model/code.ts";
import type { CompassError, ErrorCode } from "../../model/errors.ts";
import type { MultiRepoReport } from "../../model/multi-repository.ts";
import type { LiteralAnswer } from "../../model/search.ts";
import { COMPLETENESS, type Completeness, FRESHNESS, INDEXING_STATUSES, SCHEMA_STATUSES } from "../../model/status.ts";
import type { Fields } from "../define.ts";

const PROTOCOL_VERSION = "1.0";

const languageFilesSchema = () => z.array(z.object({ language: z.string(), files: z.int() })).optional();

const coverageSchema = () =>
  z.object({
    files_indexed: z.int(),
    files_skipped: z.int(),
    skipped_reasons: z.record(z.string(), z.int()),
    without_symbols: languageFilesSchema().describe("Languages whose definitions are not known."),
    without_references: languageFilesSchema().describe("Languages whose uses are not known."),
  });

const metadataShape = () => ({
  codecompass_protocol_version: z.string(),
  cruxe_protocol_version: z.string(),
  freshness_status: z.enum(FRESHNESS),
  indexing_status: z.enum(INDEXING_STATUSES),
  result_completeness: z.enum(COMPLETENESS),
  ref: z.string(),
  schema_status: z.enum(SCHEMA_STATUSES),
  coverage: coverageSchema().optional(),
  published: z
    .object({ commit: z.string().optional(), at: z.string() })
    .optional()
    .describe("What the query asked for, if the repository is not checked out and freshness cannot be compared."),
  warnings: z.array(z.string()).optional(),
  safety_limit_applied: z.boolean().optional(),
  omitted: z.object({ count: z.int(), suggestion: z.string() }).optional(),
});

/** `metadata` of a tool's output schema, with the fields that only this tool adds. */
export function metadataSchema(extra: z.ZodRawShape = {}) {
  return z.object({ ...metadataShape(), ...extra });
}

/** Whether the query's code-like part occurs, and what it may have meant. */
export const literalShape = () => ({
  literal_match: z
    .enum(["present", "absent"])
    .optional()
    .describe("absent: the name or phrase does not occur in the index; the results are its closest neighbours."),
  ...didYouMeanShape(),
});

export const didYouMeanShape = () => ({
  did_you_mean: z.array(z.string()).optional().describe("Symbol names that resemble one that does not occur."),
});

export function literalFields(literal: LiteralAnswer | undefined): Fields {
  if (literal === undefined) return {};
  return { literal_match: literal.match, ...didYouMeanFields(literal.didYouMean) };
}

export function didYouMeanFields(names: readonly string[] = []): Fields {
  return names.length === 0 ? {} : { did_you_mean: names };
}

export const nextActionsSchema = () =>
  z
    .array(z.looseObject({ tool: z.string() }))
    .optional()
    .describe("Suggested next calls.");

/** The six fields of the protocol, plus coverage and warnings where there are any. */
export function metadataFields(viewStatus: ViewStatus, completeness: Completeness, warnings: readonly string[]) {
  const all = [...viewStatus.warnings, ...warnings];
  return {
    codecompass_protocol_version: PROTOCOL_VERSION,
    cruxe_protocol_version: PROTOCOL_VERSION,
    freshness_status: viewStatus.freshness,
    indexing_status: viewStatus.indexing,
    result_completeness: completeness,
    ref: viewStatus.ref,
    schema_status: viewStatus.schema,
    ...(viewStatus.coverage !== undefined && { coverage: coverageFields(viewStatus.coverage) }),
    ...(viewStatus.published !== undefined && { published: publishedFields(viewStatus.published) }),
    ...(all.length > 0 && { warnings: all }),
  };
}

/** Metadata of a refusal: only what is known to be true, from the view that was read or from the refusal itself. */
export function errorMetadata({ code, data }: CompassError, status: ViewStatus | undefined): Fields {
  const ref = [data.ref, data.head_ref].find((one) => typeof one === "string" && one !== "");
  return {
    codecompass_protocol_version: PROTOCOL_VERSION,
    cruxe_protocol_version: PROTOCOL_VERSION,
    ...(ref !== undefined && { ref: String(ref).slice(0, 500).toWellFormed() }),
    ...(status !== undefined && {
      freshness_status: status.freshness,
      indexing_status: status.indexing,
      ref: status.ref,
      schema_status: status.schema,
    }),
    ...KNOWN_FROM_CODE[code],
    ...(SCHEMA_STATUSES.some((one) => one === data.schema_status) && { schema_status: data.schema_status }),
    ...(INDEXING_STATUSES.some((one) => one === data.indexing_status) && { indexing_status: data.indexing_status }),
  };
}

/** What a code says of the index. */
const KNOWN_FROM_CODE: Readonly<Partial<Record<ErrorCode, Fields>>> = {
  index_stale: { freshness_status: "stale" },
  index_not_ready: { indexing_status: "not_indexed" },
  index_in_progress: { freshness_status: "syncing", indexing_status: "indexing" },
  sync_in_progress: { freshness_status: "syncing", indexing_status: "indexing" },
  index_incompatible: { indexing_status: "failed", schema_status: "reindex_required" },
};

function publishedFields({ commit, at }: NonNullable<ViewStatus["published"]>) {
  return { ...(commit !== undefined && { commit }), at: new Date(at).toISOString() };
}

function coverageFields(coverage: Coverage) {
  return {
    files_indexed: coverage.filesIndexed,
    files_skipped: coverage.filesSkipped,
    skipped_reasons: coverage.skippedReasons,
  };
}

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
