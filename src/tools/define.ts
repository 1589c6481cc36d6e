/**
 * What a tool is: its name, its words, its schemas, the errors it can raise, an example and `run`.
 * Listing, CLI help, docs and contract tests are derived from these values. What every tool shares lives in `run.ts`.
 */
import type { z } from "zod";
import type { Compass, Project, Reading, ViewStatus } from "../compass/compass.ts";
import type { ErrorCode } from "../model/errors.ts";
import type { Job } from "../model/jobs.ts";
import type { Completeness, ExplainLevel, Format, FreshnessPolicy } from "../model/status.ts";
import type { AnswerView } from "./text/style.ts";

/** What the configuration decides for every tool. */
export interface ToolSettings {
  readonly maxResponseBytes: number;
  readonly freshnessPolicy: FreshnessPolicy;
  readonly rankingExplainLevel: ExplainLevel;
  /** Adds `debug` to answers that have one. */
  readonly debug: boolean;
  /** Which of its two vocabularies `health_check.status` uses; the response contains the other one too. */
  readonly statusWords?: "readiness" | "health";
}

export const DEFAULT_SETTINGS: ToolSettings = {
  maxResponseBytes: 65_536,
  freshnessPolicy: "balanced",
  rankingExplainLevel: "off",
  debug: false,
};

/** What every call has, over stdio, HTTP or the CLI. */
export interface CallContext {
  readonly compass: Compass;
  readonly settings: ToolSettings;
  readonly version: string;
  readonly signal?: AbortSignal;
  /** Receives the progress of a job while the caller waits. */
  readonly onProgress?: (job: Job, project: Project) => void;
  /** Key of the caller's session, if it has one. */
  readonly session?: string;
  /** Clients served by this process now. */
  readonly connections?: number;
  /** How the answer is written. `text` may show more source than `json` and needs no ids. Default: json. */
  readonly format?: Format;
}

/** Where a tool's answer comes from decides what it receives. */
export interface ToolContexts {
  /** `under`: the directory or file that `path` selects, relative to the workspace; "" is all of it. */
  readonly view: CallContext & { readonly project: Project; readonly reading: Reading; readonly under: string };
  readonly project: CallContext & { readonly project: Project };
  /** `project` only when the call names a workspace. */
  readonly server: CallContext & { readonly project?: Project };
}
export type AnswerSource = keyof ToolContexts;

export type Fields = Readonly<Record<string, unknown>>;

/** A call the agent may make next: a tool and its arguments, made of handles, never of repository text. */
export type NextAction = { readonly tool: string } & Fields;

/** A list in the answer that may lose items at its end when the answer is too large for its caller. */
export interface TruncatableList {
  readonly length: number;
  /** Body fields and metadata fields when only the first `kept` items are shown. */
  show(kept: number): { readonly body: Fields; readonly metadata?: Fields };
  /** How to get the rest. */
  continuation(kept: number): readonly NextAction[];
  readonly suggestion: string;
}

/** A list of rows under one name. `fields` and `metadata`: what else depends on the number of rows shown. */
export function truncatableList(
  name: string,
  rows: readonly unknown[],
  {
    fields = () => ({}),
    metadata,
    continuation = () => [],
    suggestion,
  }: Partial<Pick<TruncatableList, "continuation">> &
    Pick<TruncatableList, "suggestion"> & {
      fields?(kept: number): Fields;
      metadata?(kept: number): Fields;
    },
): TruncatableList {
  return {
    length: rows.length,
    show: (kept) => ({
      body: { [name]: rows.slice(0, kept), ...fields(kept) },
      ...(metadata && { metadata: metadata(kept) }),
    }),
    continuation,
    suggestion,
  };
}

/** A tool's answer before `run.ts` adds metadata and makes it fit. */
export interface DraftAnswer {
  readonly body: Fields;
  readonly metadata?: Fields;
  /** Required of tools that do not read a view. */
  readonly viewStatus?: ViewStatus;
  readonly completeness?: Completeness;
  /** Added to the coverage: languages that the answer does not cover. */
  readonly coverage?: Fields;
  /** The answer does not rest on the symbols of the whole view. */
  readonly needsSymbols?: false;
  readonly list?: TruncatableList;
  readonly next?: readonly NextAction[];
  /** The budget for a model that names none. */
  readonly maxTokens?: number;
  /** Of a tool whose answers are estimated more exactly than others: the factor from the estimate to the budget. */
  readonly reserve?: number;
  /** Warnings in addition to those of decoding the input. */
  readonly warnings?: readonly string[];
}

type AnyObject = z.ZodObject<z.ZodRawShape>;

interface ToolTraits {
  readonly name: string;
  readonly title: string;
  /** Under 2 KB; the first sentence says when to use it instead of grep. */
  readonly description: string;
  /** `session`: changes what the caller's own session means, and nothing that others see. */
  readonly access: "read" | "session" | "write";
  /** Kept in the agent's context by clients that defer tools. */
  readonly alwaysLoad?: boolean;
  /** Other fields that name the workspace. */
  readonly workspaceAliases?: readonly string[];
  /**
   * `path` is any file or directory of a workspace: it selects the workspace and, as `under`, the part of it to
   * search.
   */
  readonly takesPath?: boolean;
  /** Takes several workspaces at once; `reading` is then a `WideReading`. */
  readonly multiWorkspace?: boolean;
  /** Ranks with the embedding model, so the command takes `--model`. */
  readonly usesModel?: boolean;
  /** Over MCP, a refusal is a JSON-RPC error instead of a tool result (the S5 family). */
  readonly failsAs?: "protocol_error";
  /** The lines of a text answer. Default: every field as `name: value`. */
  readonly text?: (body: Fields, view: AnswerView) => readonly string[];
  /** In addition to `COMMON_ERRORS`. */
  readonly errors: readonly ErrorCode[];
  readonly example: Fields;
}

export interface ToolDefinition extends ToolTraits {
  readonly source: AnswerSource;
  readonly input: AnyObject;
  readonly output: AnyObject;
  run(input: Fields, context: ToolContexts[AnswerSource]): Promise<DraftAnswer>;
}

/** A tool as it is written. Schemas are functions: building all of them takes longer than a warm answer. */
export interface ToolSource<Input extends AnyObject, From extends AnswerSource> extends ToolTraits {
  readonly source: From;
  readonly input: () => Input;
  readonly output: () => AnyObject;
  run(input: z.output<Input>, context: ToolContexts[From]): Promise<DraftAnswer>;
}

export const COMMON_ERRORS = [
  "invalid_input",
  "project_not_found",
  "workspace_not_registered",
  "workspace_not_allowed",
  "workspace_limit_exceeded",
  "internal_error",
] as const satisfies readonly ErrorCode[];

/** Errors of every tool that reads a view. */
export const VIEW_ERRORS = [
  "index_stale",
  "index_not_ready",
  "index_incompatible",
  "ref_not_indexed",
  "overlay_not_ready",
] as const satisfies readonly ErrorCode[];

/** Checks a definition's types; builds its schemas on first use. */
export function defineTool<Input extends AnyObject, From extends AnswerSource>(
  tool: ToolSource<Input, From>,
): ToolDefinition {
  let input: AnyObject | undefined;
  let output: AnyObject | undefined;
  return {
    ...(tool as unknown as ToolDefinition),
    get input() {
      input ??= tool.input();
      return input;
    },
    get output() {
      output ??= tool.output();
      return output;
    },
  };
}
