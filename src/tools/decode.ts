/** From whatever a client sent as arguments to a tool's input: forgiving where nothing is lost, exact where something is. */
import type { z } from "zod";
import { CompassError } from "../model/errors.ts";
import type { Fields, ToolDefinition } from "./define.ts";
import { MAX_LIMIT, MAX_QUERY_CHARS, MAX_WAIT_SECONDS } from "./fields.ts";

export interface DecodedInput {
  readonly input: Fields;
  readonly warnings: readonly string[];
}

/** Refuses with `invalid_input` (or `invalid_max_tokens`); what it had to change is in the warnings. */
export function decode(tool: ToolDefinition, raw: unknown): DecodedInput {
  const given = withoutNulls(raw);
  const warnings = unknownFields(tool, given);
  const parsed = tool.input.safeParse(given);
  if (!parsed.success) throw refusal(parsed.error.issues[0]!, given);
  return { input: clamped(parsed.data, warnings), warnings };
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

const MOST_NAMED = 5;

function unknownFields(tool: ToolDefinition, given: Fields): string[] {
  const unknown = Object.keys(given).filter((key) => !Object.hasOwn(tool.input.shape, key));
  if (unknown.length === 0) return [];
  const named = unknown.slice(0, MOST_NAMED).map((key) => JSON.stringify(key.slice(0, 40)));
  const more = unknown.length > MOST_NAMED ? ` and ${unknown.length - MOST_NAMED} more` : "";
  return [`Unknown parameters were ignored: ${named.join(", ")}${more}.`];
}

function refusal(issue: z.core.$ZodIssue, given: Fields): CompassError {
  const parameter = issue.path.map(String).join(".") || "arguments";
  if (parameter === "max_tokens") return new CompassError("invalid_max_tokens", { parameter });
  if (parameter === "strategy") {
    return new CompassError("invalid_strategy", { parameter, strategy: JSON.stringify(given.strategy)?.slice(0, 40) });
  }
  const text = sentence(issue);
  // A rule that is worded as a sentence of its own is shown as it is.
  const reason = /^[A-Z]/.test(text) ? text : `${parameter} ${text}`;
  const allowed = issue.code === "invalid_value" ? { allowed: issue.values } : {};
  return new CompassError("invalid_input", { parameter, reason, ...allowed });
}

/** Our own rules speak for themselves; the library's wording is put in ours. */
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
    result.query = query.slice(0, MAX_QUERY_CHARS).toWellFormed();
    warnings.push(`query was cut to its first ${MAX_QUERY_CHARS} characters.`);
  }
  return result;
}
