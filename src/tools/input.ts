/** Input fields that tools share (one description, one rule, one default each), and the decoding of a call's arguments. */
import { z } from "zod";
import { CompassError } from "../model/errors.ts";
import {
  DETAIL_LEVELS,
  EXPLAIN_LEVELS,
  type ExplainLevel,
  FORMATS,
  type Format,
  FRESHNESS_POLICIES,
} from "../model/status.ts";
import { closest } from "../text/edit-distance.ts";
import type { Fields, ToolDefinition } from "./define.ts";

/** Above this a `limit` is cut down with a warning rather than refused. */
export const MAX_LIMIT = 200;
/** Longer queries are cut with a warning: no query text may make a search fail. */
export const MAX_QUERY_CHARS = 1 << 16;
export const MAX_WAIT_SECONDS = 600;
const MAX_PATH_CHARS = 4096;
const MAX_REF_CHARS = 512;

const noControl = /^[^\0-\x1f\x7f]*$/;

/** A path as the caller spells it; resolving it checks that it is inside a workspace. */
const pathText = z
  .string()
  .min(1, "must not be empty")
  .max(MAX_PATH_CHARS, `must be at most ${MAX_PATH_CHARS} characters long`)
  .regex(noControl, "must not contain control characters");

export const workspace = pathText
  .optional()
  .describe("Workspace directory, or a repository's name in the shared store. Default: the server's.");

/** For tools that can search several workspaces. An array is joined with commas. */
export const workspaces = z
  .preprocess((given) => (Array.isArray(given) ? given.join(",") : given), pathText)
  .optional()
  .describe(
    "Workspace directory, or repository names in the shared store: with commas, repo:github.com/acme/*, or all.",
  );

export const ref = z
  .string()
  .min(1, "must not be empty")
  .max(MAX_REF_CHARS, `must be at most ${MAX_REF_CHARS} characters long`)
  .regex(noControl, "must not contain control characters")
  .optional()
  .describe("Branch, tag or commit. Default: the working tree.");

export const path = pathText;

export const query = z.string().refine((text) => text.trim() !== "", "must not be empty");

export const symbolName = z.string().refine((text) => text.trim() !== "", "must not be empty");

export const symbolId = z
  .string()
  .max(200, "must be at most 200 characters long")
  .optional()
  .describe("Id from an earlier result, instead of the name.");

export const symbolStableId = z
  .string()
  .max(200, "must be at most 200 characters long")
  .optional()
  .describe("The same across moves and refs.");

export const strictSymbol = z
  .boolean()
  .default(false)
  .describe("Refuse a name that several symbols have, instead of answering for each.");

/** 1 or more; `run.ts` cuts what is above `MAX_LIMIT`. */
export function limit(byDefault: number) {
  return z.int().min(1, "must be at least 1").default(byDefault).describe("Maximum number of results.");
}

export const language = z
  .string()
  .min(1, "must not be empty")
  .max(64, "must be at most 64 characters long")
  .optional()
  .describe("Only this language.");

export const glob = z.string().optional().describe("Only matching paths: *.rs,!*_test.rs.");

export const detailLevel = z
  .enum(DETAIL_LEVELS)
  .default("signature")
  .describe("Tokens per result: about 50, 100 or 400.");

export const compact = z.boolean().default(false).describe("Only ids, location and score.");

export const freshnessPolicy = z
  .enum(FRESHNESS_POLICIES)
  .optional()
  .describe("On a stale index: refuse; answer and sync; answer.");

export const rankingExplainLevel = z.enum(EXPLAIN_LEVELS).optional().describe("Explain the ranking in metadata.");

export const maxTokens = z.int().min(1, "must be at least 1").optional().describe("Token budget of the whole answer.");

/** The symbol whose surroundings a tool shows. */
export const anchorSymbol = {
  symbol_name: symbolName.describe("Name, qualified name, path:line or path#name."),
  path: path.optional().describe("File or directory that defines it."),
  symbol_id: symbolId,
  symbol_stable_id: symbolStableId,
};
/** How one view is read, and how much of the answer is wanted. */
export const oneView = { freshness_policy: freshnessPolicy, max_tokens: maxTokens, workspace };
/** Which view is searched, and what each result shows. */
export const rankedResults = {
  ref,
  limit: limit(10),
  detail_level: detailLevel,
  compact,
  freshness_policy: freshnessPolicy,
  ranking_explain_level: rankingExplainLevel,
  max_tokens: maxTokens,
  workspace: workspaces,
};
export const force = z.boolean().default(false);

export const waitSeconds = z
  .number()
  .min(0, "must not be negative")
  .default(0)
  .describe(
    `Wait up to this many seconds for the job to finish. Default: 0, answer at once. Most: ${MAX_WAIT_SECONDS}.`,
  );

/** The level of a call: its own word, else the configured one. */
export function explainLevel(requested: ExplainLevel | undefined, configured: ExplainLevel): ExplainLevel {
  return requested ?? configured;
}

/** Language filter as the read path takes it. */
export function languageFilter(word: string | undefined): { readonly languages?: readonly string[] } {
  return word === undefined ? {} : { languages: word.split(",").map((one) => one.trim().toLowerCase()) };
}

/** Path filter as the read path takes it. Commas part globs, except inside braces. */
export function globFilter(text: string | undefined): { readonly globs?: readonly string[] } {
  const parts = text?.match(/(?:\{[^}]*\}|[^,{]|\{)+/g) ?? [];
  return text === undefined ? {} : { globs: parts.map((part) => part.trim()).filter((part) => part !== "") };
}

export interface DecodedInput {
  readonly input: Fields;
  readonly warnings: readonly string[];
}

/** Refuses with `invalid_input` (or `invalid_max_tokens`); what it had to change is in the warnings. */
export function decode(tool: ToolDefinition, raw: unknown): DecodedInput {
  const warnings: string[] = [];
  const given = withIdAsName(tool, renamed(tool, withoutNulls(raw), warnings));
  const parsed = tool.input.safeParse(given);
  if (parsed.success) return { input: clamped(parsed.data, warnings), warnings };
  // Reading the schema takes longer than most answers, so only what does not fit as it is is read again.
  const second = tool.input.safeParse(retyped(tool, given, parsed.error.issues, warnings));
  if (!second.success) throw refusal(tool, second.error.issues[0]!, { given, warnings });
  return { input: clamped(second.data, warnings), warnings };
}

/** The call's own `format`; undefined if it names none. What it must not be is refused by `decode`. */
export function requestedFormat(raw: unknown): Format | undefined {
  const given = (raw as { readonly format?: unknown } | null | undefined)?.format;
  return FORMATS.find((format) => format === given);
}

/** Words that callers use for the same parameter. */
const SYNONYMS: readonly (readonly string[])[] = [
  ["symbol_name", "name", "symbol", "function", "function_name", "identifier"],
  ["query", "q", "pattern", "regex", "question", "search", "text"],
  ["path", "path_filter", "file", "file_path", "filename", "filepath", "directory", "dir", "folder"],
  ["language", "lang", "type"],
  ["limit", "page_size", "top_k", "max_results", "num_results", "count", "n"],
  ["ref", "branch", "commit", "revision"],
  ["base_ref", "base"],
  ["head_ref", "head"],
  ["max_tokens", "budget", "token_budget"],
  ["workspace", "repo", "repository", "root", "project", "cwd"],
  ["detail_level", "detail"],
  ["context", "context_lines"],
  ["ignore_case", "case_insensitive"],
];

/** The words that mean one of these parameters and are none of them, with the parameter. */
export function parameterSynonyms(known: readonly string[]): (readonly [word: string, parameter: string])[] {
  return SYNONYMS.flatMap((group) => {
    const parameter = group.find((word) => known.includes(word));
    if (parameter === undefined) return [];
    return group.filter((word) => !known.includes(word)).map((word) => [word, parameter] as const);
  });
}

/** Reads synonyms, and leaves out parameters that do not exist; the warnings say so. */
function renamed(tool: ToolDefinition, given: Fields, warnings: string[]): Fields {
  const known = Object.keys(tool.input.shape);
  const result: Record<string, unknown> = Object.create(null);
  const unknown: string[] = [];
  for (const [key, value] of Object.entries(given)) {
    if (known.includes(key)) result[key] = value;
    else if (key === "format") checkFormat(value);
    else unknown.push(key);
  }
  const ignored: string[] = [];
  for (const key of unknown) {
    const words = SYNONYMS.find((group) => group.includes(key)) ?? [];
    const meant = words.find((word) => known.includes(word) && !(word in result));
    if (meant === undefined) ignored.push(key);
    else {
      result[meant] = given[key];
      warnings.push(`${key} was read as ${meant}.`);
    }
  }
  if (ignored.length > 0) warnings.push(ignoredWarning(ignored, known));
  return result;
}

function checkFormat(value: unknown): void {
  if (FORMATS.some((format) => format === value)) return;
  const reason = `format must be one of: ${FORMATS.join(", ")}`;
  throw new CompassError("invalid_input", { parameter: "format", reason, allowed: FORMATS });
}

const MOST_NAMED = 5;

function ignoredWarning(ignored: readonly string[], known: readonly string[]): string {
  const named = ignored.slice(0, MOST_NAMED).map((key) => {
    const near = closest(key, known);
    return `${JSON.stringify(key.slice(0, 40))}${near === undefined ? "" : ` (did you mean ${near}?)`}`;
  });
  const more = ignored.length > MOST_NAMED ? ` and ${ignored.length - MOST_NAMED} more` : "";
  return `Unknown parameters were ignored: ${named.join(", ")}${more}.`;
}

/** An id needs no name. */
function withIdAsName({ input }: ToolDefinition, given: Fields): Fields {
  const id = given.symbol_id ?? given.symbol_stable_id;
  const name = ["symbol_name", "name"].find((key) => key in input.shape);
  return id === undefined || name === undefined || name in given ? given : { ...given, [name]: id };
}

interface Property {
  readonly type?: string;
  readonly enum?: readonly unknown[];
}

/** `"5"` is 5, `"true"` is true, and `Context` is `context`. */
function retyped(tool: ToolDefinition, given: Fields, issues: readonly z.core.$ZodIssue[], warnings: string[]): Fields {
  const { properties = {} } = z.toJSONSchema(tool.input, { io: "input" });
  const result: Record<string, unknown> = { ...given };
  for (const key of new Set(issues.map(({ path }) => String(path[0])))) {
    const value = given[key];
    if (typeof value !== "string") continue;
    const read = readText(value.trim(), (properties[key] ?? {}) as Property);
    if (read === undefined) continue;
    result[key] = read;
    warnings.push(`${key} ${JSON.stringify(value)} was read as ${read}.`);
  }
  return result;
}

function readText(text: string, { type, enum: values }: Property): unknown {
  if (values !== undefined) return values.find((value) => String(value).toLowerCase() === text.toLowerCase());
  if (type === "boolean") return ({ true: true, false: false } as Fields)[text.toLowerCase()];
  const isNumber = (type === "integer" || type === "number") && text !== "" && Number.isFinite(Number(text));
  return isNumber ? Number(text) : undefined;
}

/** Clients fill fields they do not use with null. */
function withoutNulls(raw: unknown): Fields {
  if (raw === undefined || raw === null) return {};
  if (typeof raw !== "object" || Array.isArray(raw)) {
    throw new CompassError("invalid_input", { parameter: "arguments", reason: "arguments must be an object" });
  }
  // No prototype: a field named __proto__ must stay a field.
  const given: Record<string, unknown> = Object.create(null);
  for (const [key, value] of Object.entries(raw)) if (value !== null) given[key] = value;
  return given;
}

function refusal(
  tool: ToolDefinition,
  issue: z.core.$ZodIssue,
  { given, warnings }: { readonly given: Fields; readonly warnings: readonly string[] },
): CompassError {
  const parameter = issue.path.map(String).join(".") || "arguments";
  if (parameter === "max_tokens") return new CompassError("invalid_max_tokens", { parameter });
  if (parameter === "strategy") {
    return new CompassError("invalid_strategy", { parameter, strategy: JSON.stringify(given.strategy)?.slice(0, 40) });
  }
  const text = sentence(issue);
  // A rule that is worded as a sentence of its own is shown as it is.
  const reason = /^[A-Z]/.test(text) ? text : `${parameter} ${text}`;
  const allowed = issue.code === "invalid_value" ? { allowed: issue.values } : {};
  const example = given[parameter] === undefined ? { example: tool.example } : {};
  const noted = warnings.length > 0 ? { warnings } : {};
  return new CompassError("invalid_input", { parameter, reason, ...allowed, ...example, ...noted });
}

/** Messages of our own rules are used as they are; zod's are rewritten. */
function sentence(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_value") return `must be one of: ${issue.values.map(String).join(", ")}`;
  if (issue.code === "invalid_type" && issue.message.startsWith("Invalid input")) {
    return issue.input === undefined && !("received" in issue) ? `must be ${article(issue.expected)}` : issue.message;
  }
  return issue.message
    .replace(/^Too (small|big): expected \w+ to/, "must")
    .replace(/^Invalid input: /, "")
    .replace("<=", "at most ")
    .replace(">=", "at least ");
}

function article(type: string): string {
  return type === "int" ? "a whole number" : `a ${type}`;
}

function clamped(input: Fields, warnings: string[]): Fields {
  const result: Record<string, unknown> = { ...input };
  const { limit, wait_seconds: wait, query } = result;
  if (typeof limit === "number" && limit > MAX_LIMIT) {
    result.limit = MAX_LIMIT;
    warnings.push(`limit ${limit} was clamped to ${MAX_LIMIT}.`);
  }
  if (typeof wait === "number" && wait > MAX_WAIT_SECONDS) {
    result.wait_seconds = MAX_WAIT_SECONDS;
    warnings.push(`wait_seconds ${wait} was clamped to ${MAX_WAIT_SECONDS}.`);
  }
  if (typeof query === "string" && query.length > MAX_QUERY_CHARS) {
    const cut = query.slice(0, MAX_QUERY_CHARS);
    // Half a word would be another word.
    const whole = /\s/.test(query[MAX_QUERY_CHARS]!) ? cut : cut.replace(/\s\S{1,100}$/, "");
    result.query = whole.toWellFormed();
    warnings.push(`query was cut to its first ${MAX_QUERY_CHARS} characters.`);
  }
  return result;
}
